// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** White paper to draw on with dark ink. */
export class Pad {
  onchange = () => {};
  #canvas;
  #context;
  #last = null;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, () => this.#up());
    }
    this.clear();
  }

  clear() {
    const { width, height } = this.#canvas;
    this.#context.fillStyle = "#ffffff";
    this.#context.fillRect(0, 0, width, height);
  }

  /** The drawing as a PNG. */
  picture() {
    return new Promise((resolve) => this.#canvas.toBlob(resolve, "image/png"));
  }

  #down(event) {
    if (event.button !== 0) return;
    this.#canvas.setPointerCapture(event.pointerId);
    this.#last = this.#point(event);
    this.#line(this.#last, this.#last);
    event.preventDefault();
  }

  #move(event) {
    if (!this.#last) return;
    for (const each of event.getCoalescedEvents?.() ?? [event]) {
      const point = this.#point(each);
      this.#line(this.#last, point);
      this.#last = point;
    }
    this.onchange();
  }

  #up() {
    if (!this.#last) return;
    this.#last = null;
    this.onchange();
  }

  #line(from, to) {
    const context = this.#context;
    context.strokeStyle = "#14171b";
    context.lineWidth = this.#canvas.width / 12;
    context.lineCap = context.lineJoin = "round";
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x + 0.01, to.y);
    context.stroke();
  }

  #point(event) {
    const frame = this.#canvas.getBoundingClientRect();
    const scale = this.#canvas.width / frame.width;
    return { x: (event.clientX - frame.left) * scale, y: (event.clientY - frame.top) * scale };
  }
}
