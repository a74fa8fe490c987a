// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { LabelZoom } from "./labelZoom.js";
import { t } from "./messages.js";

/** The frame that shows the current image, or says that it can't be read. */
export class LabelStage {
  frame = el("div", { class: "label-frame" });
  /** The frame's content, which is larger than the frame when the user zooms in. */
  canvas = el("div", { class: "label-canvas" });
  zoom = new LabelZoom(this.frame, this.canvas);
  #image = el("img", { id: "label-photo", alt: "" });
  #note;
  #turn = 0;

  /** `skip` is called by the button that is shown instead of an image that can't be read. */
  constructor(skip) {
    this.#note = el("div", { class: "label-unreadable", role: "alert", hidden: true },
      el("p", { text: t("This image can't be read.") }),
      el("button", { class: "button", type: "button", text: t("Skip the image"), on: { click: skip } }));
    this.canvas.append(this.#image);
    this.frame.append(this.canvas, this.#note);
  }

  /**
   * Shows an image. Resolves to its size in pixels, after its EXIF orientation is applied, or to null
   * if another image was opened since, or if it can't be read. Throws if the server doesn't respond.
   */
  async open(photo) {
    this.#turn += 1;
    const turn = this.#turn;
    this.#note.hidden = true;
    this.zoom.reset();
    let address = null;
    try {
      address = URL.createObjectURL(await photo.read());
      const image = new Image();
      image.src = address;
      await image.decode();
      if (turn !== this.#turn) return null;
      this.#image.src = address;
      this.#image.alt = photo.name;
      this.#image.hidden = false;
      const { naturalWidth: width, naturalHeight: height } = image;
      this.#image.classList.toggle("tiny", width <= 160);
      // The browser shows a decoded image before the next frame, so its address isn't needed longer.
      await this.#image.decode();
      return turn === this.#turn ? { width, height } : null;
    } catch (error) {
      if (turn !== this.#turn) return null;
      this.#image.hidden = true;
      if (error.code === "server_gone") throw error;
      this.#note.hidden = false;
      return null;
    } finally {
      if (address) URL.revokeObjectURL(address);
    }
  }
}
