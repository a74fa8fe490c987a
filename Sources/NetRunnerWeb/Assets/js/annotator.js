// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import {
  areAlike, boxBetween, clamped, contains, cornerOf, grown, moved, points, shapeAt, withHandle,
} from "./annotation.js";
import { AnnotationDrawing } from "./annotationDrawing.js";
import { contained } from "./geometry.js";

/** How far a pointer moves before it draws, and how near it closes a polygon, in pixels. */
const leastDrag = 4;
const nearness = 12;

/**
 * Draws and changes shapes on an image by pointer and by key. Sends every finished change to
 * `change(shapes, merges)`, and what is selected to `select(index)`. `merges` says that a change
 * continues the one before it.
 */
export class Annotator {
  /** The label of new shapes. */
  label = "object";
  /** What dragging on the image draws: "box" or "polygon". */
  tool = "box";
  selected = -1;
  shapes = [];
  #drawing = new AnnotationDrawing();
  #frame;
  #size = null;
  #actions;
  #suggestions = [];
  /** The pointer's action: a function for each movement, and one for its end. */
  #drag = null;
  /** The corners of an unfinished polygon, or null. */
  #corners = null;
  /** Where the next corner is placed by key. */
  #cursor = null;
  #lastKey = 0;

  constructor(frame, actions) {
    this.#frame = frame;
    this.#actions = actions;
    const { root } = this.#drawing;
    frame.append(root, this.#drawing.labels);
    root.addEventListener("pointerdown", (event) => this.#down(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("pointerup", (event) => this.#up(event));
    root.addEventListener("pointercancel", () => this.#cancel());
    root.addEventListener("dblclick", () => this.finish());
    root.addEventListener("focusin", ({ target }) => {
      const index = target.dataset.shape;
      if (index !== undefined && !this.#drag) this.select(Number(index));
    });
    new ResizeObserver(() => this.#place()).observe(frame);
    this.close();
  }

  /** Whether the shapes of an image are shown. */
  get isOpen() {
    return this.#size !== null;
  }

  /** Whether a polygon is being drawn. */
  get isDrawing() {
    return this.#corners !== null;
  }

  /** The suggested shapes that haven't been taken over. */
  get suggestions() {
    return this.#suggestions.filter((each) => !this.shapes.some((shape) => areAlike(shape, each)));
  }

  set suggestions(shapes) {
    this.#suggestions = shapes;
    this.#drawing.suggest(this.#size ? this.suggestions : [], this.#size);
  }

  set names(names) {
    this.#drawing.names = names;
  }

  /** Shows the shapes of an image. */
  open(size, shapes) {
    this.#size = size;
    this.#corners = null;
    this.#drag = null;
    this.selected = -1;
    this.shapes = shapes;
    this.#drawing.root.removeAttribute("hidden");
    this.#drawing.labels.hidden = false;
    this.#place();
  }

  /** Hides the shapes, and gives up what is being drawn. */
  close() {
    this.#size = null;
    this.#drag = null;
    this.#stopDrawing();
    this.#drawing.root.setAttribute("hidden", "");
    this.#drawing.labels.hidden = true;
  }

  /** Shows other shapes of the same image, such as after an undo. */
  replace(shapes) {
    this.shapes = shapes;
    this.select(Math.min(this.selected, shapes.length - 1));
  }

  select(index) {
    this.selected = index;
    this.#draw();
    this.#actions.select(index);
  }

  /** Focuses the selected shape, or the drawing area. */
  focus() {
    this.#drawing.focus(this.selected);
  }

  /** Gives the selected shape a label, which new shapes then have, too. */
  setLabel(label) {
    this.label = label;
    const shape = this.shapes[this.selected];
    if (shape && shape.label !== label) this.#change(this.#with({ ...shape, label }));
  }

  /** Deletes the selected shape. */
  remove() {
    if (this.selected < 0) return;
    const shapes = this.shapes.filter((_, index) => index !== this.selected);
    this.selected = Math.min(this.selected, shapes.length - 1);
    this.#change(shapes);
    this.focus();
  }

  /** Adds a box in the middle of the image, to be moved by key. */
  addBox() {
    const { width, height } = this.#size;
    const from = { x: width * 0.375, y: height * 0.375 };
    this.#add(boxBetween(from, { x: width * 0.625, y: height * 0.625 }, this.label, this.#size));
    this.focus();
  }

  /** Starts a polygon, whose corners are placed by key or by pointer. */
  startPolygon() {
    this.tool = "polygon";
    this.#corners = [];
    this.#cursor = { x: this.#size.width / 2, y: this.#size.height / 2 };
    this.select(-1);
    this.#drawing.focus(-1);
    this.#drawDraft();
  }

  /** Closes a polygon that is being drawn. */
  finish() {
    if (!this.#corners) return;
    const corners = distinct(this.#corners);
    this.#stopDrawing();
    if (corners.length < 6) return this.#actions.select(this.selected);
    this.#add({ label: this.label, polygon: corners });
    this.focus();
  }

  /** Gives up a polygon that is being drawn. */
  cancel() {
    this.#stopDrawing();
    this.#actions.select(this.selected);
  }

  /** Takes over suggested shapes: all of them, or one. */
  take(suggestions = this.suggestions) {
    if (suggestions.length === 0) return;
    const shapes = [...this.shapes, ...suggestions];
    this.selected = shapes.length - 1;
    this.#change(shapes);
  }

  /** Moves or resizes the selected shape, or moves the cursor of a polygon, by pixels of the screen. */
  nudge(x, y, isResize) {
    const step = Math.max(1, Math.round(this.#drawing.unit));
    const shape = this.shapes[this.selected];
    if (this.#corners) {
      const [right, down] = [x, y].map((each) => each * step * (isResize ? 10 : 1));
      this.#cursor = {
        x: clamped(this.#cursor.x + right, 0, this.#size.width),
        y: clamped(this.#cursor.y + down, 0, this.#size.height),
      };
      return this.#drawDraft();
    }
    if (!shape) return;
    const act = isResize ? grown : moved;
    const now = performance.now();
    const merges = now - this.#lastKey < 1000;
    this.#lastKey = now;
    this.#change(this.#with(act(shape, x * step, y * step, this.#size)), merges);
  }

  /** Adds a corner at the cursor to the polygon that is being drawn. */
  placeCorner() {
    this.#corners.push(Math.round(this.#cursor.x), Math.round(this.#cursor.y));
    this.#drawDraft();
    this.#actions.select(-1);
  }

  /** Removes the last corner of the polygon that is being drawn. */
  removeCorner() {
    this.#corners.splice(-2);
    this.#drawDraft();
  }

  // MARK: - Pointer

  #down(event) {
    // A second finger zooms.
    if (!event.isPrimary) return this.#cancel();
    if (!this.#size || event.button !== 0 || this.#drag) return;
    event.preventDefault();
    const point = this.#drawing.pointOf(event, this.#size);
    const handle = event.target.closest("[data-handle]")?.dataset.handle;
    this.#drawing.root.setPointerCapture(event.pointerId);
    const shape = this.shapes[this.selected];
    if (this.#corners) this.#drag = this.#cornerDrag(point);
    else if (handle) this.#drag = this.#handleDrag(shape, handle);
    else if (shape && contains(shape, point)) this.#drag = this.#moveDrag(shape, point);
    else this.#drag = this.#newDrag(point);
    this.#drag.start = { x: event.clientX, y: event.clientY };
  }

  #move(event) {
    if (!this.#size) return;
    const point = this.#drawing.pointOf(event, this.#size);
    if (this.#corners) {
      this.#cursor = inside(point, this.#size);
      this.#drawDraft();
    }
    const { start } = this.#drag ?? {};
    if (!start) return;
    const distance = Math.hypot(event.clientX - start.x, event.clientY - start.y);
    if (distance >= leastDrag) this.#drag.isMoved = true;
    if (this.#drag.isMoved) this.#drag.move(point);
  }

  #up(event) {
    const drag = this.#drag;
    if (!drag) return;
    this.#drag = null;
    drag.end(this.#drawing.pointOf(event, this.#size), Boolean(drag.isMoved));
  }

  #cancel() {
    this.#drag = null;
    this.#drawing.draft(null);
    this.#draw();
  }

  #cornerDrag(point) {
    const [x, y] = this.#corners;
    const near = nearness * this.#drawing.unit;
    const isClosing = this.#corners.length >= 6 && Math.hypot(point.x - x, point.y - y) < near;
    return {
      move: () => {},
      end: () => {
        if (isClosing) return this.finish();
        this.#cursor = inside(point, this.#size);
        this.placeCorner();
      },
    };
  }

  #handleDrag(shape, handle) {
    let current = shape;
    return {
      move: (point) => {
        current = withHandle(shape, handle, point, this.#size);
        this.#drawing.show(this.#with(current), this.selected, this.#size);
      },
      end: (_, isMoved) => {
        // An edge's handle adds its corner even without a movement.
        const isNew = cornerOf(handle) !== handle;
        if (isMoved || isNew) this.#change(this.#with(current));
        this.focus();
      },
    };
  }

  #moveDrag(shape, from) {
    let current = shape;
    return {
      move: ({ x, y }) => {
        current = moved(shape, Math.round(x - from.x), Math.round(y - from.y), this.#size);
        this.#drawing.show(this.#with(current), this.selected, this.#size);
      },
      end: (point, isMoved) => {
        if (isMoved) this.#change(this.#with(current));
        else this.#click(point);
        this.focus();
      },
    };
  }

  #newDrag(from) {
    return {
      move: (point) => {
        if (this.tool === "box") this.#drawing.draft(boxBetween(from, point, this.label, this.#size));
      },
      end: (point, isMoved) => {
        this.#drawing.draft(null);
        if (this.tool === "polygon" && !isMoved && shapeAt(this.shapes, from) < 0) {
          this.startPolygon();
          this.#cursor = inside(from, this.#size);
          return this.placeCorner();
        }
        if (!isMoved) this.#click(point);
        else if (this.tool === "box") this.#add(boxBetween(from, point, this.label, this.#size));
        this.focus();
      },
    };
  }

  /** Selects the smallest shape at a point, or takes over a suggestion there. */
  #click(point) {
    const found = shapeAt(this.shapes, point);
    const { suggestions } = this;
    const suggested = suggestions[shapeAt(suggestions, point)];
    if (found < 0 && suggested) this.take([suggested]);
    else this.select(found);
  }

  // MARK: - Shapes

  #with(shape) {
    return this.shapes.map((each, index) => (index === this.selected ? shape : each));
  }

  #add(shape) {
    this.selected = this.shapes.length;
    this.#change([...this.shapes, shape]);
  }

  #change(shapes, merges = false) {
    this.shapes = shapes;
    this.#draw();
    this.#actions.change(shapes, merges);
  }

  #stopDrawing() {
    this.#corners = null;
    this.#drawing.draft(null);
  }

  #drawDraft() {
    const ends = this.#cursor ? [this.#cursor.x, this.#cursor.y] : [];
    this.#drawing.draft({ polygon: [...this.#corners, ...ends] }, this.#cursor);
  }

  #place() {
    if (!this.#size) return;
    const { clientWidth: width, clientHeight: height } = this.#frame;
    if (width === 0) return;
    this.#drawing.place(contained({ width, height }, this.#size), this.#size);
    this.#draw();
  }

  #draw() {
    if (!this.#size) return;
    this.#drawing.show(this.shapes, this.selected, this.#size);
    this.#drawing.suggest(this.suggestions, this.#size);
  }
}

function inside({ x, y }, { width, height }) {
  return { x: clamped(x, 0, width), y: clamped(y, 0, height) };
}

/** Returns the corners of a polygon without those that repeat the corner before them. */
function distinct(corners) {
  const all = points(corners);
  return all.filter(({ x, y }, place) => {
    const before = all[(place + all.length - 1) % all.length];
    return x !== before.x || y !== before.y;
  }).flatMap(({ x, y }) => [x, y]);
}
