// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { showFailure } from "./failures.js";
import { FieldsPanel } from "./fieldsPanel.js";
import { milliseconds, score } from "./format.js";
import { t } from "./messages.js";
import { Outputs } from "./outputs.js";
import { emptyText, rankedLabels } from "./readout.js";
import { SoundPanel } from "./soundPanel.js";
import { TrialPhoto } from "./trialPhoto.js";

/** The most labels that are listed. */
const top = 6;

/** Shows what a model with a changed description makes of an image, a recording or values. */
export class ModelTrial {
  root;
  #api;
  #model;
  #draft = null;
  #requests = new Set();
  #panels;
  #panel = null;
  /** What the panel was opened with. Other changes of a description only run the model again. */
  #asked = "";
  #result = null;
  #turn = 0;
  #place = el("div", { class: "trial-place" });
  #problem = el("div", { class: "warn", role: "alert", hidden: true });
  #state = el("p", { class: "small", role: "status" });
  #list = el("ol", { class: "trial-labels" });
  #more = el("div");
  #outputs = new Outputs(this.#more);

  constructor(app, model) {
    this.#api = app.api;
    this.#model = model;
    this.#outputs.onlegend = () => this.#draw();
    // What the Live view's panels need of its inference and its display.
    const inference = {
      run: (body, query, signal) => this.#run(body, signal), renew: () => { this.#turn += 1; },
    };
    const display = {
      session: "", begin: () => showFailure(this.#problem, null), forget: () => this.#forget(),
      hint: (text) => { this.#state.textContent = text; },
      explain: (failure) => showFailure(this.#problem, failure),
    };
    this.#panels = {
      image: new TrialPhoto(app.api, inference, display),
      recording: new SoundPanel(app.api, inference, display),
      fields: new FieldsPanel(app.api, inference, display),
    };
    this.root = el("section", { class: "trial", "aria-label": t("Trial") },
      el("h3", { text: t("Trial") }), this.#place, this.#problem, this.#state, this.#list, this.#more);
    const saved = app.models.find(model);
    if (saved?.takes === "image") this.#open(saved);
  }

  /** Passes files on to try them. Returns whether there is one that the model takes. */
  take(files) {
    return this.#panel?.take(files) ?? false;
  }

  /** Stops what moves, because the form is left. */
  pause() {
    this.#panel?.pause();
  }

  /** Ends the trial before its draft is deleted, because what was typed last runs a moment later. */
  end() {
    this.pause();
    this.#draft = null;
  }

  /** Resolves when the requests for the drafts so far are answered, after which those can be deleted. */
  async idle() {
    await Promise.allSettled([...this.#requests]);
  }

  /** Uses a draft, which has its model's details. */
  use({ id, model }) {
    this.#draft = id;
    if (!this.#panels[model.takes]) this.explain(model.reason ?? "");
    this.#open(model);
  }

  /** Says why there is no result. */
  explain(text) {
    this.#draft = null;
    this.#forget();
    this.#state.textContent = text;
  }

  #open(model) {
    const { takes, recording, fields } = model;
    const panel = this.#panels[takes] ?? null;
    const asked = JSON.stringify([takes, recording, fields]);
    if (asked === this.#asked) return panel?.run();
    this.#asked = asked;
    if (panel !== this.#panel) {
      this.#panel?.pause();
      this.#panel = panel;
      showFailure(this.#problem, null);
      this.#place.replaceChildren(...(panel ? [panel.root] : []));
      this.#place.dataset.takes = takes ?? "";
    }
    panel?.open(model, { startsWithExample: true });
  }

  #forget() {
    this.#turn += 1;
    this.#result = null;
    this.#panels.image.clear();
    this.#outputs.clear();
    this.#list.replaceChildren();
  }

  /** Runs the draft. A signal means that a microphone listens. Resolves as `Inference.run` does. */
  async #run(body, signal) {
    if (!this.#draft) return null;
    this.#turn += 1;
    const turn = this.#turn;
    const isStale = () => turn !== this.#turn || signal?.aborted;
    // Many results a second can't be read aloud.
    this.#state.setAttribute("aria-live", signal ? "off" : "polite");
    if (!this.#result) this.#state.textContent = t("Running");
    try {
      const query = { top, threshold: 0 };
      const result = await this.#infer(body, query);
      if (isStale()) return null;
      this.#show(result);
      return { wait: result.latency_ms.wait, work: result.latency_ms.total, result };
    } catch (error) {
      if (isStale()) return null;
      this.#forget();
      this.#state.textContent = error.message;
      return null;
    }
  }

  async #infer(body, query) {
    const request = this.#api.inferDraft(this.#model, this.#draft, body, query);
    this.#requests.add(request);
    try {
      return await request;
    } finally {
      this.#requests.delete(request);
    }
  }

  #show(result) {
    this.#result = result;
    showFailure(this.#problem, null);
    this.#state.textContent = t("Inference {time}", { time: milliseconds(result.latency_ms.inference) });
    this.#outputs.show(result);
    this.#showLabels(result);
    this.#draw();
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
    if (labels.length === 0 && empty) this.#list.append(el("li", { text: empty }));
  }

  #draw() {
    const { image } = this.#panels;
    if (this.#result && this.#panel === image) image.show(this.#result, this.#outputs.hidden);
  }
}
