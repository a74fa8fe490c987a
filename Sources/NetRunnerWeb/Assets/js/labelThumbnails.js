// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { fitted } from "./geometry.js";

/** How many thumbnails are kept, at most. */
const most = 400;
/** The longest side of a thumbnail in pixels. */
const side = 200;

/** Makes small images of the visible images, two at a time. */
export class Thumbnails {
  #made = new Map();
  #nodes = new Map();
  #making = new Set();

  /** Shows the thumbnails of images in nodes, as soon as they are made. Others don't wait any more. */
  show(nodes) {
    this.#nodes = nodes;
    for (const [photo, node] of nodes) {
      const made = this.#made.get(photo);
      if (made && node.firstChild !== made) node.replaceChildren(made);
    }
    this.#next();
  }

  #next() {
    for (const photo of this.#nodes.keys()) {
      if (this.#making.size >= 2) return;
      if (!this.#made.has(photo) && !this.#making.has(photo)) this.#run(photo);
    }
  }

  async #run(photo) {
    this.#making.add(photo);
    // An image that can't be read has an empty thumbnail. The view says why when it is opened.
    const canvas = await this.#make(photo).catch(() => el("canvas", { class: "unreadable" }));
    this.#making.delete(photo);
    this.#made.set(photo, canvas);
    if (this.#made.size > most) this.#made.delete(this.#made.keys().next().value);
    this.#nodes.get(photo)?.replaceChildren(canvas);
    this.#next();
  }

  async #make(photo) {
    const bitmap = await createImageBitmap(await photo.read());
    const { width, height } = fitted(bitmap.width, bitmap.height, side);
    const canvas = el("canvas", { width, height });
    canvas.getContext("2d").drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    canvas.classList.toggle("tiny", Math.max(width, height) <= 64);
    return canvas;
  }
}
