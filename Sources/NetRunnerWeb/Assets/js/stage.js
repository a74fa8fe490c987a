// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el } from "./dom.js";
import { failureParts } from "./failures.js";
import { contained, gesture } from "./geometry.js";

/** The black background with the image, and everything that lies over it. */
export class Stage {
  ontap = () => {};
  onswipe = () => {};
  /** Called with the pointer's place in fractions of the image, or with null outside of it. */
  onpoint = () => {};
  /** Called with the size in pixels of the image on the screen. */
  onlayout = () => {};
  root;
  video;
  pad;
  overlay;
  isMirrored = false;
  #twin = null;
  #held;
  #frame;
  #note;
  #panel;
  #shown = null;
  #picture = null;

  /** Makes a stage of the elements that a function finds by their names in index.html. */
  constructor(at = byId) {
    this.root = at("stage");
    this.video = at("video");
    this.pad = at("pad");
    this.overlay = at("overlay");
    this.#held = at("held");
    this.#frame = at("frame");
    this.#note = at("stage-note");
    this.#panel = at("stage-panel");
    new ResizeObserver(() => this.layout()).observe(this.root);
    this.video.addEventListener("resize", () => this.layout());
    this.video.addEventListener("loadedmetadata", () => this.layout());
    this.#frame.addEventListener("load", () => {
      this.#frame.classList.remove("unreadable");
      this.layout();
    });
    // Some files that the server reads, such as TIFF, can't be shown by the browser.
    this.#frame.addEventListener("error", () => this.#frame.classList.add("unreadable"));
    this.#followGestures();
    this.#followPointer();
  }

  /** Another stage that shows the same images from now on, or null. */
  get twin() {
    return this.#twin;
  }

  set twin(twin) {
    this.#twin = twin;
    if (this.#shown === this.video) twin?.showVideo(this.isMirrored);
    else if (this.#shown === this.#frame) twin?.showPicture(...this.#picture);
    else twin?.clear();
  }

  /** Shows the video. */
  showVideo(isMirrored) {
    this.isMirrored = isMirrored;
    this.#show(this.video);
    this.#twin?.showVideo(isMirrored);
  }

  /**
   * Holds a result's frame over the video, which has moved on by then, because the overlay belongs
   * to that frame. It takes the image over.
   */
  holdFrame(image) {
    if (this.#shown !== this.video) return;
    const held = this.#held;
    // A transferred image doesn't change the canvas's own proportions.
    if (held.width !== image.width || held.height !== image.height) {
      held.width = image.width;
      held.height = image.height;
      this.layout();
    }
    held.getContext("bitmaprenderer", { alpha: false }).transferFromImageBitmap(image);
    held.classList.toggle("mirrored", this.isMirrored);
    held.hidden = false;
  }

  /** Shows the video itself again. */
  releaseFrame() {
    this.#held.hidden = true;
  }

  /** Shows an image. It is mirrored only if it replaces a frame of a mirrored video. */
  showPicture(picture, name, isMirrored = false) {
    this.isMirrored = isMirrored;
    this.#picture = [picture, name, isMirrored];
    const before = this.#frame.src;
    this.#frame.src = URL.createObjectURL(picture);
    this.#frame.alt = name;
    if (before.startsWith("blob:")) URL.revokeObjectURL(before);
    this.#show(this.#frame);
    this.#twin?.showPicture(picture, name, isMirrored);
  }

  /** Shows the paper to draw on. */
  showPad() {
    this.isMirrored = false;
    this.#show(this.pad);
    this.#twin?.clear();
  }

  /** Shows nothing. */
  clear() {
    this.#note.hidden = true;
    this.#show(null);
  }

  /** Shows controls instead of an image. */
  showPanel(panel) {
    this.#panel.replaceChildren(panel);
    this.#note.hidden = true;
    this.#show(this.#panel);
  }

  /** Shows a message instead of an image: a title, and the parts of a failure. */
  showNote({ title, ...failure }) {
    this.#note.replaceChildren(el("h2", { text: title }), ...failureParts(failure));
    this.#note.hidden = false;
    this.#show(null);
    this.#twin?.clear();
  }

  /** Places the overlay exactly over the image. */
  layout() {
    const frame = { width: this.root.clientWidth, height: this.root.clientHeight };
    const { left, top, width, height } = contained(frame, this.#size());
    Object.assign(this.overlay.style, {
      left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`,
    });
    this.onlayout({ width, height });
  }

  #show(element) {
    this.#shown = element;
    this.releaseFrame();
    for (const each of [this.video, this.#frame, this.pad, this.#panel]) {
      each.hidden = each !== element;
      each.classList.toggle("mirrored", this.isMirrored);
    }
    if (element) this.#note.hidden = true;
    this.layout();
  }

  #size() {
    const shown = this.#shown;
    if (shown === this.video) {
      // A twin has no video, only the frames that it holds.
      const { videoWidth: width, videoHeight: height } = shown;
      return width > 0 ? { width, height } : this.#held;
    }
    if (shown === this.#frame) {
      const { naturalWidth: width, naturalHeight: height } = shown;
      shown.classList.toggle("tiny", Math.max(width, height) <= 160);
      return { width, height };
    }
    return { width: 1, height: 1 };
  }

  #followPointer() {
    this.root.addEventListener("pointermove", ({ clientX, clientY, pointerType }) => {
      if (pointerType === "touch") return;
      const { left, top, width, height } = this.overlay.getBoundingClientRect();
      const point = { x: (clientX - left) / width, y: (clientY - top) / height };
      const isInside = point.x >= 0 && point.x <= 1 && point.y >= 0 && point.y <= 1;
      this.onpoint(isInside ? point : null);
    });
    this.root.addEventListener("pointerleave", () => this.onpoint(null));
  }

  #followGestures() {
    let start = null;
    const isPicture = (target) => !target.closest(
      "button, a, .pad, .note, .stage-panel, figure"
    );
    this.root.addEventListener("pointerdown", (event) => {
      const isMeant = event.isPrimary && event.button === 0 && isPicture(event.target);
      start = isMeant ? { x: event.clientX, y: event.clientY, time: event.timeStamp } : null;
    });
    this.root.addEventListener("pointercancel", () => { start = null; });
    this.root.addEventListener("pointerup", (event) => {
      if (!start || !event.isPrimary) return;
      const done = gesture(start, { x: event.clientX, y: event.clientY, time: event.timeStamp });
      start = null;
      if (done === "tap") this.ontap();
      else if (done) this.onswipe(done);
    });
  }
}
