// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t } from "./messages.js";

const channels = [
  ["red", t("Red channel")], ["green", t("Green channel")], ["blue", t("Blue channel")],
  ["alpha", t("Alpha channel")], ["image", t("What the model sees")],
];

/** Shows the image as the model sees it, and its channels. */
export class Previews {
  #root;
  #images = new Map();

  constructor(root) {
    this.#root = root;
    for (const [name, title] of channels) {
      const image = el("img", { alt: title, title });
      const figure = el("figure", { class: `preview ${name}`, hidden: true }, image);
      this.#images.set(name, { image, figure });
      root.append(figure);
    }
  }

  /** Keeps the space for the next image's previews. */
  clear() {
    this.#root.classList.add("empty");
  }

  /** Shows a result's previews, or hides itself if there are none. */
  show(previews) {
    this.#root.hidden = !previews;
    this.#root.classList.remove("empty");
    for (const [name, { image, figure }] of this.#images) {
      const picture = previews?.[name];
      figure.hidden = !picture;
      if (picture) image.src = picture;
    }
  }
}
