// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { milliseconds, score } from "./format.js";
import { t } from "./messages.js";
import { Outputs } from "./outputs.js";
import { Overlay } from "./overlay.js";
import { isPicture, readablePicture } from "./pictures.js";
import { emptyText, rankedLabels } from "./readout.js";

/** The most labels that are listed. */
const top = 6;

/** Shows what a model with a changed description finds on a photo. */
export class ModelTrial {
  root;
  #api;
  #model;
  #draft = null;
  #picture = null;
  #samples = null;
  #sample = 0;
  #result = null;
  #turn = 0;
  #image = el("img", { alt: "" });
  #layer = el("div", { class: "overlay" });
  #stage = el("div", { class: "trial-stage" }, this.#image, this.#layer);
  #overlay = new Overlay(this.#layer);
  #state = el("p", { class: "small", role: "status" });
  #list = el("ol", { class: "trial-labels" });
  #more = el("div");
  #outputs = new Outputs(this.#more);
  #input = el("input", { type: "file", accept: "image/*", hidden: true, id: "trial-input" });

  constructor(app, model) {
    this.#api = app.api;
    this.#model = model;
    this.#outputs.onlegend = () => this.#draw();
    this.#input.addEventListener("change", () => {
      const [file] = this.#input.files;
      this.#input.value = "";
      if (file) this.take(file);
    });
    this.#image.addEventListener("load", () => this.#layOut());
    new ResizeObserver(() => this.#layOut()).observe(this.#stage);
    const button = (text, action) => el(
      "button", { class: "button quiet small", type: "button", text, on: { click: action } }
    );
    this.root = el("section", { class: "trial", "aria-label": t("Trial on an image") },
      el("h3", { text: t("Trial on an image") }), this.#stage,
      el("div", { class: "row" }, button(t("Choose an image"), () => this.#input.click()),
        button(t("Next sample"), () => this.#useSample(this.#sample + 1))),
      this.#input, this.#state, this.#list, this.#more);
  }

  /** Shows the first sample, unless there is an image already. */
  async start() {
    if (!this.#picture) await this.#useSample(0);
  }

  /** Tries an image of the user's. Returns false if the file isn't one. */
  take(file) {
    if (this.root.hidden || !isPicture(file)) return false;
    readablePicture(file).then((picture) => this.#use(picture, file.name)).catch(() => {
      this.#state.textContent = t("The image can't be read.");
    });
    return true;
  }

  /** Uses a draft. There is nothing to try if its model doesn't take images. */
  use(draft, isImage) {
    this.#draft = isImage ? draft : null;
    this.root.hidden = !isImage;
    this.#run();
  }

  /** Says why there is no result. */
  explain(text) {
    this.#draft = null;
    this.#forget();
    this.#state.textContent = text;
  }

  async #useSample(index) {
    try {
      this.#samples ??= await this.#api.samples();
      if (this.#samples.length === 0) return;
      this.#sample = index % this.#samples.length;
      const { name } = this.#samples[this.#sample];
      this.#use(await this.#api.sample(name), name);
    } catch (error) {
      this.#state.textContent = error.message;
    }
  }

  #use(picture, name) {
    this.#picture = picture;
    const before = this.#image.src;
    this.#image.src = URL.createObjectURL(picture);
    this.#image.alt = name;
    if (before) URL.revokeObjectURL(before);
    this.#forget();
    this.#run();
  }

  #forget() {
    this.#result = null;
    this.#overlay.clear();
    this.#outputs.clear();
    this.#list.replaceChildren();
  }

  async #run() {
    if (!this.#draft || !this.#picture) return;
    this.#turn += 1;
    const turn = this.#turn;
    this.#state.textContent = t("Running");
    try {
      const query = { top, threshold: 0 };
      const result = await this.#api.inferDraft(this.#model, this.#draft, this.#picture, query);
      if (turn !== this.#turn) return;
      this.#result = result;
      this.#state.textContent = t("Inference {time}", { time: milliseconds(result.latency_ms.inference) });
      this.#outputs.show(result);
      this.#showLabels(result);
      this.#draw();
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#forget();
      this.#state.textContent = error.message;
    }
  }

  #showLabels(result) {
    const labels = rankedLabels(result).slice(0, top);
    this.#list.replaceChildren(...labels.map(({ label, value, text }) => {
      const bar = el("span");
      bar.style.width = `${100 * Math.min(1, Math.max(0, value ?? 0))}%`;
      return el(
        "li", {}, el("span", { text: label }), el("span", { class: "value", text: text ?? score(value) }),
        Number.isFinite(value) ? el("span", { class: "bar" }, bar) : null
      );
    }));
    const empty = result.detections ? t("The model found nothing.") : emptyText(result, 0);
    if (labels.length === 0) this.#list.append(el("li", { text: empty }));
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
    if (this.#result) this.#overlay.show(this.#result, {
      mirrored: false, hidden: this.#outputs.hidden, lit: null,
    });
  }
}
