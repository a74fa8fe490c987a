// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, icon } from "./dom.js";
import { milliseconds, score } from "./format.js";

const stages = [
  ["decode", "Decode"], ["preprocess", "Preprocess"], ["inference", "Inference"],
  ["postprocess", "Postprocess"], ["total", "Total"],
];

/** Shows one image of an evaluation in a large size, with all its details. */
export class PhotoDialog {
  #api;
  #evaluation;
  #names;
  #dialog = byId("photo");
  #rows = [];
  #place = 0;

  constructor(app, { evaluation, names }) {
    this.#api = app.api;
    this.#evaluation = evaluation.id;
    this.#names = names;
  }

  /** Opens one of the page's rows. The arrow keys step through them. */
  open(rows, place) {
    this.#rows = rows;
    this.#place = place;
    this.#fill();
    this.#dialog.onkeydown = (event) => this.#key(event);
    this.#dialog.onclick = (event) => event.target === this.#dialog && this.#dialog.close();
    this.#dialog.showModal();
  }

  #key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.#step(by);
  }

  #step(by) {
    const place = this.#place + by;
    if (place < 0 || place >= this.#rows.length) return;
    this.#place = place;
    this.#fill();
  }

  #fill() {
    const row = this.#rows[this.#place];
    const image = el("img", { alt: row.image });
    image.addEventListener(
      "error",
      () => image.replaceWith(el("p", { class: "muted", text: "It has no picture." }))
    );
    const address = this.#api.evaluationPicture(this.#evaluation, row.index, 1024);
    this.#api.showPicture(image, address).catch(() => image.remove());
    const head = el("header", {},
      el("h2", { id: "photo-title", text: row.image }),
      this.#button("left", "Previous", () => this.#step(-1), this.#place === 0),
      this.#button(
        "right", "Next", () => this.#step(1), this.#place === this.#rows.length - 1
      ),
      this.#button("close", "Close", () => this.#dialog.close()));
    this.#dialog.replaceChildren(head, el("div", { class: "photo-body" },
      el("div", { class: "photo-frame" }, image),
      el("div", { class: "photo-facts" }, verdict(row), classList(row), facts(row, this.#names))));
  }

  #button(iconName, label, action, disabled = false) {
    return el(
      "button",
      { class: "plain", type: "button", "aria-label": label, disabled, on: { click: action } },
      icon(iconName)
    );
  }
}

function verdict(row) {
  if (row.error) return el("p", { class: "warn", text: row.error_description ?? "It failed." });
  if (row.correct === null || row.correct === undefined) return null;
  return row.correct
    ? el("p", { class: "good", text: `Right: ${row.truth}` })
    : el("p", { class: "bad", text: `Wrong: it is ${row.truth}` });
}

function classList(row) {
  if (!row.classes?.length) {
    const lines = row.predicted ? [row.predicted] : row.answer ?? [];
    return lines.map((text) => el("p", { class: "big", text }));
  }
  return el("ol", { class: "bars" }, row.classes.map(({ label, value }) => {
    const bar = el("span");
    bar.style.width = `${100 * Math.min(1, Math.max(0, value))}%`;
    return el("li", { class: label === row.truth ? "true" : null },
      el("span", { class: "label", text: label }), el(
        "span", { class: "value", text: score(value) }
      ), el("span", { class: "bar" }, bar));
  }));
}

function facts(row, names) {
  const rows = [
    ["Model", names.get(row.model) ?? row.model],
    ...stages.map(([stage, name]) => [name, row.latency_ms?.[stage]])
      .filter(([, value]) => Number.isFinite(value)).map(
        ([name, value]) => [name, milliseconds(value)]
      ),
  ];
  return el(
    "dl", { class: "facts" },
    rows.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { text: value })])
  );
}
