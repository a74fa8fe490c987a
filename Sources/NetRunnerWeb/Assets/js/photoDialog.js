// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, icon } from "./dom.js";
import {
  drawing, drawingKeys, drawingList, drawingSwitch, hasTrueShapes
} from "./comparedShapes.js";
import { comparisonText, isWrong } from "./evaluationNames.js";
import { milliseconds, score, whole } from "./format.js";
import { t } from "./messages.js";
import { failureMessage } from "./stateMessage.js";

/**
 * Shows one sample of an evaluation in a large size: the answers of all models, what they found and
 * what is true.
 */
export class PhotoDialog {
  #api;
  #evaluation;
  #names;
  #skeletons;
  #dialog = byId("photo");
  #rows;
  #position = 0;
  /** Counts the shown samples, so that late responses for earlier ones are dropped. */
  #turn = 0;
  /** The image elements of the shown sample, so that they aren't loaded again for its answers. */
  #images = { index: -1, nodes: new Map() };

  /** Makes a dialog for the rows of a RowsView, which resolves positions to rows. */
  constructor(app, { evaluation, names, skeletons, rows }) {
    this.#api = app.api;
    this.#evaluation = evaluation.id;
    this.#names = names;
    this.#skeletons = skeletons;
    this.#rows = rows;
  }

  /** Opens the row at a position among all selected rows. The arrow keys step through them. */
  open(position) {
    this.#position = position;
    this.#dialog.onkeydown = (event) => this.#key(event);
    // A handler that returns false would also cancel the clicks on the radio buttons.
    this.#dialog.onclick = (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    };
    this.#dialog.onclose = () => { this.#turn += 1; };
    this.#show();
    this.#dialog.showModal();
  }

  #key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    // Arrow keys also choose between radio buttons, and scroll what is too wide.
    if (!by || event.target.closest("input, .scroll")) return;
    event.preventDefault();
    this.#step(by);
  }

  #step(by) {
    const position = this.#position + by;
    if (position < 0 || position >= this.#rows.count) return;
    this.#position = position;
    this.#show();
  }

  async #show() {
    this.#turn += 1;
    const turn = this.#turn;
    const known = this.#rows.known(this.#position);
    if (known) this.#fill(known, [known]);
    try {
      const row = known ?? await this.#rows.at(this.#position);
      if (turn !== this.#turn || !row) return;
      if (!known) this.#fill(row, [row]);
      if (this.#names.size < 2) return;
      const { answers } = await this.#api.photo(this.#evaluation, row.index);
      if (turn === this.#turn) this.#fill(row, answers);
    } catch (error) {
      if (turn !== this.#turn) return;
      if (known) this.#dialog.querySelector(".photo-body")?.append(el("p", { class: "warn", text: error.message }));
      else this.#explain(error);
    }
  }

  /** Shows why a sample can't be read, instead of the one before. */
  #explain(error) {
    const message = failureMessage(error, () => this.#show());
    this.#dialog.replaceChildren(this.#head(""), el("div", { class: "photo-body" }, message));
  }

  #head(name) {
    const place = t("{n} of {all}", {
      n: whole(this.#position + 1), all: whole(this.#rows.count),
    });
    return el("header", {},
      el("h2", { id: "photo-title", text: name || place }),
      name ? el("span", { class: "muted", text: place }) : null,
      this.#button("left", t("Previous"), () => this.#step(-1), this.#position === 0),
      this.#button(
        "right", t("Next"), () => this.#step(1), this.#position >= this.#rows.count - 1
      ),
      this.#button("close", t("Close"), () => this.#dialog.close()));
  }

  /** Shows a sample with the answers that are known so far. The focus stays on its control. */
  #fill(row, answers) {
    const focused = this.#dialog.contains(document.activeElement)
      ? document.activeElement.dataset.control : null;
    const several = this.#names.size > 1;
    const ordered = [...this.#names.keys()].map(
      (model) => answers.find((each) => each.model === model) ?? { model, isMissing: true }
    );
    const shown = several ? ordered : answers;
    const compared = shown.find(hasTrueShapes);
    const tools = compared ? el("div", { class: "photo-tools" },
      drawingSwitch(this.#dialog, "photo-shows"), drawingKeys(compared)) : null;
    if (tools) for (const input of tools.querySelectorAll("input")) {
      input.dataset.control = input.value;
    }
    const parts = shown.map((answer) => this.#answer(row, answer));
    this.#dialog.replaceChildren(this.#head(row.image), ...[tools].filter(Boolean), el(
      "div", { class: several ? "photo-body several" : "photo-body" }, parts
    ));
    if (focused) this.#dialog.querySelector(`[data-control="${focused}"]:not(:disabled)`)?.focus();
  }

  #answer(row, answer) {
    const skeleton = this.#skeletons.get(answer.model) ?? [];
    const picture = answer.picture && !hasTrueShapes(answer) ? pictureOf(answer.picture) : null;
    const facts = answer.isMissing
      ? [el("p", { class: "muted", text: t("Reading the answer") })]
      : [verdict(answer), answers(answer), picture, drawingList(answer), this.#facts(answer)];
    return el("section", { class: "photo-answer", "aria-label": this.#name(answer.model) },
      this.#names.size > 1 ? el("h3", { text: this.#name(answer.model) }) : null,
      el("div", { class: "photo-frame" }, this.#image(row, answer.model), drawing(answer, { fit: "meet", skeleton })),
      el("div", { class: "photo-facts" }, facts));
  }

  #image(row, model) {
    if (this.#images.index !== row.index) this.#images = { index: row.index, nodes: new Map() };
    const known = this.#images.nodes.get(model);
    if (known) return known;
    const image = el("img", { alt: row.image });
    const note = el("p", { class: "muted", text: t("There is no picture of it.") });
    const fail = () => {
      this.#images.nodes.set(model, note);
      image.replaceWith(note);
    };
    image.addEventListener("error", fail);
    const address = this.#api.evaluationPicture(this.#evaluation, row.index, 1024);
    this.#api.showPicture(image, address).catch(fail);
    this.#images.nodes.set(model, image);
    return image;
  }

  #name(model) {
    return this.#names.get(model) ?? model;
  }

  #facts({ model, latency_ms: latency }) {
    const stages = [
      [t("Decode"), latency?.decode], [t("Preprocess"), latency?.preprocess],
      [t("Inference"), latency?.inference], [t("Postprocess"), latency?.postprocess],
      [t("Total"), latency?.total],
    ].filter(([, value]) => Number.isFinite(value));
    const rows = [
      ...(this.#names.size > 1 ? [] : [[t("Model"), this.#name(model)]]),
      ...stages.map(([name, value]) => [name, milliseconds(value)]),
    ];
    return el("dl", { class: "facts" },
      rows.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { text: value })]));
  }

  #button(iconName, label, action, disabled = false) {
    return el("button", {
      class: "plain", type: "button", "aria-label": label, disabled, data: { control: iconName },
      on: { click: action },
    }, icon(iconName));
  }
}

function verdict(row) {
  if (row.error) {
    return el("p", { class: "warn", text: row.error_description ?? t("It failed.") });
  }
  const compared = comparisonText(row.comparison);
  if (compared) {
    // Only counted objects are right or wrong; other numbers are more or less good.
    const isCounted = Number.isFinite(row.comparison.found);
    const kind = !isCounted ? "big" : isWrong(row) ? "bad" : "good";
    return el("p", { class: kind, text: compared });
  }
  if (row.correct === null || row.correct === undefined) return null;
  return row.correct
    ? el("p", { class: "good", text: t("Right: {label}", { label: row.truth }) })
    : el("p", { class: "bad", text: t("Wrong: it is {label}", { label: row.truth }) });
}

function answers(row) {
  if (!row.classes?.length) {
    if (row.comparison?.detections === 0) return el("p", { class: "muted", text: t("The model found nothing.") });
    if (row.shapes?.predicted.length) return null;
    const lines = row.predicted ? [row.predicted] : row.answer ?? [];
    return lines.map((text) => el("p", { class: "big", text }));
  }
  return el("ol", { class: "bars" }, row.classes.map(({ label, value }) => {
    const bar = el("span");
    bar.style.width = `${100 * Math.min(1, Math.max(0, value))}%`;
    return el("li", { class: label === row.truth ? "true" : null },
      el("span", { class: "label", text: label }),
      el("span", { class: "value", text: score(value) }), el("span", { class: "bar" }, bar));
  }));
}

function pictureOf({ address, output }) {
  return el("img", { class: "output-picture", alt: output, src: address });
}
