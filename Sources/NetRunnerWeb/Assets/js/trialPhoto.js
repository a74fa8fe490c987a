// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { sampleImages } from "./examples.js";
import { t } from "./messages.js";
import { Overlay } from "./overlay.js";
import { isPicture, readablePicture } from "./pictures.js";

/** The image on which a changed description is tried, with what the model finds drawn over it. */
export class TrialPhoto {
  #api;
  #inference;
  #display;
  #picture = null;
  #samples = null;
  #sample = 0;
  #result = null;
  #hidden = [];
  /** Counts the chosen images, so that what was read for an earlier one is dropped. */
  #choice = 0;
  #image = el("img", { alt: "" });
  #layer = el("div", { class: "overlay" });
  #stage = el("div", { class: "trial-stage" }, this.#image, this.#layer);
  #overlay = new Overlay(this.#layer);
  #input = el("input", {
    type: "file", accept: "image/*", hidden: true, id: "trial-input", on: { change: () => this.#choose() },
  });
  root = el("div", { class: "trial-photo" }, this.#stage, el("div", { class: "row" },
    this.#button(t("Choose an image"), () => this.#input.click()),
    this.#button(t("Next sample"), () => this.#useSample(this.#sample + 1))), this.#input);

  constructor(api, inference, display) {
    this.#api = api;
    this.#inference = inference;
    this.#display = display;
    this.#image.addEventListener("load", () => this.#layOut());
    new ResizeObserver(() => this.#layOut()).observe(this.#stage);
  }

  /** Shows the first sample, unless there is an image already. */
  async open(model) {
    if (this.#picture) return this.run();
    this.#samples ??= this.#findSamples(model);
    await this.#useSample(0);
  }

  pause() {}

  /** Takes an image from files. Returns whether there was one. */
  take(files) {
    const file = files.find(isPicture);
    if (file) this.#open(file);
    return Boolean(file);
  }

  /** Runs the model again on the image. */
  async run() {
    if (this.#picture) await this.#inference.run(this.#picture);
  }

  /** Draws a result over the image, without the classes of some colors. */
  show(result, hidden) {
    this.#result = result;
    this.#hidden = hidden;
    this.#draw();
  }

  /** Removes what was drawn. */
  clear() {
    this.#result = null;
    this.#overlay.clear();
  }

  /** The model's own images, or those of the server, on which every model runs. */
  async #findSamples(model) {
    const own = await sampleImages(this.#api, model);
    if (own.length > 0) return own;
    const samples = await this.#api.samples();
    return samples.map(({ name }) => ({ name, address: this.#api.sampleAddress(name) }));
  }

  async #open(file) {
    const isCurrent = this.#begin();
    try {
      const picture = await readablePicture(file);
      if (isCurrent()) this.#use(picture, file.name);
    } catch {
      if (isCurrent()) this.#display.explain({ text: t("The image can't be read.") });
    }
  }

  async #useSample(index) {
    const isCurrent = this.#begin();
    try {
      const samples = await this.#samples;
      if (!(samples?.length > 0) || !isCurrent()) return;
      this.#sample = index % samples.length;
      const { name, address } = samples[this.#sample];
      const picture = await this.#api.file(address);
      if (isCurrent()) this.#use(picture, name);
    } catch (error) {
      if (isCurrent()) this.#display.explain({
        text: t("The example can't be loaded."), detail: error.message,
      });
    }
  }

  /** Notes that an image was chosen. Returns a function that tells whether none was chosen since. */
  #begin() {
    this.#choice += 1;
    const choice = this.#choice;
    return () => choice === this.#choice;
  }

  #use(picture, name) {
    this.#picture = picture;
    const before = this.#image.src;
    this.#image.src = URL.createObjectURL(picture);
    this.#image.alt = name;
    if (before) URL.revokeObjectURL(before);
    this.#display.begin();
    this.#display.forget();
    this.run();
  }

  #choose() {
    const files = [...this.#input.files];
    this.#input.value = "";
    this.take(files);
  }

  #button(text, action) {
    return el("button", { class: "button quiet small", type: "button", text, on: { click: action } });
  }

  #layOut() {
    const { offsetLeft, offsetTop, clientWidth: width, clientHeight: height } = this.#image;
    Object.assign(this.#layer.style, {
      left: `${offsetLeft}px`, top: `${offsetTop}px`, width: `${width}px`, height: `${height}px`,
    });
    this.#image.classList.toggle("tiny", Math.max(this.#image.naturalWidth, this.#image.naturalHeight) <= 160);
    this.#overlay.area = { width, height };
    this.#draw();
  }

  #draw() {
    if (this.#result) this.#overlay.show(this.#result, { mirrored: false, hidden: this.#hidden, lit: null });
  }
}
