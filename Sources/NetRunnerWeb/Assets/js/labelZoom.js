// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { clamped } from "./annotation.js";
import { t } from "./messages.js";

const most = 16;
const step = 1.5;

/** Enlarges the content of a frame, which can then be scrolled: by buttons, keys, wheel and two fingers. */
export class LabelZoom {
  root = el("div", { class: "label-zoom", role: "group", "aria-label": t("Zoom") });
  #frame;
  #content;
  #scale = 1;
  #out;
  #pointers = new Map();
  #pinch = null;

  constructor(frame, content) {
    this.#frame = frame;
    this.#content = content;
    const button = (text, label, factor) => el("button", {
      class: "button quiet small", type: "button", text, "aria-label": label, title: label,
      on: { click: () => this.#by(factor) },
    });
    this.#out = button("−", t("Zoom out"), 1 / step);
    this.root.append(this.#out, button("+", t("Zoom in"), step));
    frame.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    frame.addEventListener("pointerdown", (event) => this.#touch(event));
    frame.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      frame.addEventListener(name, ({ pointerId }) => this.#release(pointerId));
    }
    this.reset();
  }

  /** Shows the whole content. */
  reset() {
    this.#set(1, { x: 0, y: 0 });
  }

  /** Whether a key scrolls the enlarged image. */
  scrolls({ key, target }) {
    return target === this.#frame && this.#scale > 1 && key.startsWith("Arrow");
  }

  /** Handles a key, and returns whether it had a meaning. */
  key({ key, ctrlKey, metaKey, altKey }) {
    const factor = { "+": step, "=": step, "-": 1 / step }[key];
    if (!factor || ctrlKey || metaKey || altKey) return false;
    this.#by(factor);
    return true;
  }

  #by(factor, point = { x: this.#frame.clientWidth / 2, y: this.#frame.clientHeight / 2 }) {
    this.#set(this.#scale * factor, point);
  }

  /** Sets the scale, and keeps what is at a point of the frame there. */
  #set(scale, { x, y }) {
    const before = this.#scale;
    this.#scale = clamped(scale, 1, most);
    const [left, top] = [this.#frame.scrollLeft + x, this.#frame.scrollTop + y];
    this.#content.style.width = this.#content.style.height = `${100 * this.#scale}%`;
    this.#frame.scrollLeft = (left * this.#scale) / before - x;
    this.#frame.scrollTop = (top * this.#scale) / before - y;
    this.#out.disabled = this.#scale === 1;
    // Only an enlarged image can be scrolled, which is then possible by key, too.
    this.#frame.tabIndex = this.#scale > 1 ? 0 : -1;
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.#by(Math.exp(-event.deltaY / 300), this.#place(event));
  }

  #touch(event) {
    if (event.pointerType !== "touch") return;
    this.#pointers.set(event.pointerId, this.#place(event));
    this.#pinch = this.#pointers.size === 2 ? this.#fingers() : null;
  }

  #move(event) {
    if (!this.#pointers.has(event.pointerId)) return;
    this.#pointers.set(event.pointerId, this.#place(event));
    if (!this.#pinch) return;
    const before = this.#pinch;
    this.#pinch = this.#fingers();
    this.#frame.scrollLeft -= this.#pinch.x - before.x;
    this.#frame.scrollTop -= this.#pinch.y - before.y;
    this.#by(this.#pinch.distance / before.distance, this.#pinch);
  }

  #release(id) {
    this.#pointers.delete(id);
    this.#pinch = null;
  }

  /** The middle of two fingers, and their distance. */
  #fingers() {
    const [a, b] = this.#pointers.values();
    return {
      x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)),
    };
  }

  #place({ clientX, clientY }) {
    const { left, top } = this.#frame.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }
}
