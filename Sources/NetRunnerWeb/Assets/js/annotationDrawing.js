// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, svg } from "./dom.js";
import { bounds, handles, placeText, points } from "./annotation.js";
import { t } from "./messages.js";

/** Colors of labels, on all of which black text is readable. */
const colors = [
  "#ffb000", "#56b4e9", "#f98080", "#5fd38d", "#f0e442", "#d9a6ff", "#ff9ecf", "#7fe3e0", "#c9d56b",
  "#e3b58f",
];

/** Returns the color of a label by its place among the labels, or by its letters. */
export function colorOf(label, labels) {
  const place = labels.indexOf(label);
  const sum = [...label].reduce((total, letter) => total + letter.codePointAt(0), 0);
  return colors[(place >= 0 ? place : sum) % colors.length];
}

/** Draws shapes over an image as SVG. Its units are the image's pixels. */
export class AnnotationDrawing {
  root = svg("svg", { class: "annotator", preserveAspectRatio: "none", role: "group", tabindex: "0" });
  labels = el("div", { class: "annotator-labels", "aria-hidden": "true" });
  /** How many image's pixels a pixel of the screen covers. */
  unit = 1;
  #suggested = svg("g", { class: "suggested" });
  #shapes = svg("g");
  #handles = svg("g");
  #draft = svg("g", { class: "draft" });
  #shapeLabels = el("div");
  #suggestedLabels = el("div", { class: "suggested" });
  #names = [];

  constructor() {
    this.root.setAttribute("aria-label", t("Drawing area"));
    this.root.append(this.#suggested, this.#shapes, this.#draft, this.#handles);
    this.labels.append(this.#suggestedLabels, this.#shapeLabels);
  }

  /** Uses the model's labels for colors. */
  set names(names) {
    this.#names = names;
  }

  /** Places the drawing over an image: a place on the screen, and the image's size. */
  place({ left, top, width, height }, size) {
    for (const node of [this.root, this.labels]) {
      Object.assign(node.style, {
        left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`,
      });
    }
    this.root.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    this.unit = size.width / Math.max(1, width);
  }

  /** Converts the place of a pointer to a point in the image. */
  pointOf(event, size) {
    const frame = this.root.getBoundingClientRect();
    return {
      x: ((event.clientX - frame.left) * size.width) / Math.max(1, frame.width),
      y: ((event.clientY - frame.top) * size.height) / Math.max(1, frame.height),
    };
  }

  /** Draws shapes, the selected one with its handles. Nodes stay, so that the focus does. */
  show(shapes, selected, size) {
    const groups = this.#shapes.children;
    while (groups.length > shapes.length) this.#shapes.lastChild.remove();
    while (groups.length < shapes.length) {
      this.#shapes.append(svg("g", {
        class: "shape", tabindex: "0", role: "button", data: { shape: groups.length },
      }));
    }
    shapes.forEach((shape, index) => {
      const group = groups[index];
      group.style.setProperty("--class", colorOf(shape.label, this.#names));
      group.setAttribute("aria-pressed", String(index === selected));
      group.setAttribute("aria-label", t("{label}, shape {place} of {all}, {where}", {
        label: shape.label, place: index + 1, all: shapes.length,
        where: placeText(shape),
      }));
      group.replaceChildren(outline(shape, "under"), outline(shape, "line"));
    });
    this.#handles.replaceChildren(...(shapes[selected] ? this.#handlesOf(shapes[selected]) : []));
    this.#shapeLabels.replaceChildren(...shapes.map((shape) => this.#label(shape, size)));
  }

  /** Draws the model's suggestions. */
  suggest(shapes, size) {
    this.#suggested.replaceChildren(...shapes.flatMap((shape) => (
      [outline(shape, "under"), outline(shape, "line")]
    )));
    this.#suggestedLabels.replaceChildren(...shapes.map((shape) => this.#label(shape, size)));
  }

  /** Draws an unfinished shape: a shape, or the corners of a polygon and the cursor. */
  draft(shape, cursor = null) {
    const nodes = [];
    if (shape) nodes.push(outline(shape, "under"), outline(shape, "line"));
    for (const point of shape?.polygon ? points(shape.polygon) : []) nodes.push(this.#dot(point));
    if (cursor) nodes.push(...this.#cross(cursor));
    this.#draft.replaceChildren(...nodes);
  }

  /** Focuses a shape, or the whole drawing. */
  focus(index) {
    (this.#shapes.children[index] ?? this.root).focus({ preventScroll: true });
  }

  #handlesOf(shape) {
    const half = 5 * this.unit;
    return handles(shape).map(({ name, x, y }) => svg("g", { data: { handle: name } },
      svg("circle", { class: "reach", cx: x, cy: y, r: 14 * this.unit }),
      name.startsWith("edge")
        ? this.#dot({ x, y })
        : svg("rect", { class: "handle", x: x - half, y: y - half, width: 2 * half, height: 2 * half })));
  }

  #dot({ x, y }) {
    return svg("circle", { class: "handle", cx: x, cy: y, r: 3.5 * this.unit });
  }

  #cross({ x, y }) {
    const arm = 14 * this.unit;
    const path = `M${x - arm} ${y}H${x + arm}M${x} ${y - arm}V${y + arm}`;
    return ["under", "line"].map((kind) => svg("path", { class: kind, d: path }));
  }

  #label(shape, size) {
    const { left, top } = bounds(shape);
    const label = el("span", { class: "shape-label", text: shape.label });
    label.style.setProperty("--class", colorOf(shape.label, this.#names));
    label.style.left = `${(100 * left) / size.width}%`;
    label.style.top = `${(100 * top) / size.height}%`;
    label.classList.toggle("inside", top < 24 * this.unit);
    return label;
  }
}

function outline({ box, polygon }, kind) {
  if (box) {
    const [x, y, width, height] = box;
    return svg("rect", { class: kind, x, y, width, height });
  }
  return svg(polygon.length > 4 ? "polygon" : "polyline", { class: kind, points: polygon.join(" ") });
}
