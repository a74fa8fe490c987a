// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t } from "./messages.js";

/** A strip of thumbnails to step through. Its images have `name`, and `address` or `file`. */
export class Strip {
  onchoose = () => {};
  pictures = [];
  index = -1;
  #root;
  #list;
  #caption;
  #buttons = [];
  #watch;
  #api;

  constructor(root, api) {
    this.#root = root;
    this.#api = api;
    this.#list = root.querySelector("ul");
    this.#caption = root.querySelector("[data-caption]");
    this.#watch = new IntersectionObserver((seen) => seen.forEach((each) => this.#load(each)));
    root.querySelector("[data-previous]").addEventListener("click", () => this.step(-1));
    root.querySelector("[data-next]").addEventListener("click", () => this.step(1));
  }

  /** Shows images, and chooses one of them. */
  open(pictures, index = 0) {
    this.close();
    this.pictures = pictures;
    this.#buttons = pictures.map((picture, place) => this.#thumbnail(picture, place));
    this.#list.replaceChildren(...this.#buttons.map((button) => el("li", {}, button)));
    this.#root.hidden = false;
    this.choose(index);
  }

  close() {
    this.#watch.disconnect();
    for (const button of this.#buttons) release(button.firstChild);
    this.#buttons = [];
    this.pictures = [];
    this.index = -1;
    this.#list.replaceChildren();
    this.#root.hidden = true;
  }

  /** Moves by a number of images, and stops at the ends. */
  step(by) {
    const index = Math.min(this.pictures.length - 1, Math.max(0, this.index + by));
    if (index !== this.index) this.choose(index);
  }

  choose(index) {
    const before = this.#buttons[this.index];
    before?.removeAttribute("aria-current");
    before?.setAttribute("tabindex", "-1");
    this.index = index;
    const button = this.#buttons[index];
    button.setAttribute("aria-current", "true");
    button.setAttribute("tabindex", "0");
    if (before && before === document.activeElement) button.focus({ preventScroll: true });
    this.#center(button);
    const { name } = this.pictures[index];
    const count = this.pictures.length;
    this.#caption.textContent = count > 1
      ? t("{name}, {place} of {count}", { name, place: index + 1, count }) : name;
    this.#root.classList.toggle("single", count < 2);
    this.onchoose(this.pictures[index]);
  }

  #thumbnail(picture, place) {
    const image = el("img", { alt: "", decoding: "async" });
    const button = el("button", {
      type: "button", tabindex: "-1", "aria-label": picture.name, title: picture.name,
      on: { click: () => this.choose(place) },
    }, image);
    button.dataset.place = place;
    this.#watch.observe(button);
    return button;
  }

  #load({ target, isIntersecting }) {
    if (!isIntersecting) return;
    this.#watch.unobserve(target);
    const { address, file } = this.pictures[Number(target.dataset.place)];
    const image = target.firstChild;
    if (address) this.#api.showPicture(image, address).catch(() => image.remove());
    else image.src = URL.createObjectURL(file);
    image.onerror = () => image.remove();
  }

  #center(button) {
    const list = this.#list;
    const left = button.offsetLeft - list.offsetLeft - (list.clientWidth - button.offsetWidth) / 2;
    list.scrollTo({ left });
  }
}

function release(image) {
  if (image?.src.startsWith("blob:")) URL.revokeObjectURL(image.src);
}
