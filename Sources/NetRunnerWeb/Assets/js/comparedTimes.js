// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { millisecondsNumber } from "./format.js";
import { t, tn } from "./messages.js";
import { Meter } from "./statistics.js";

/** The time between two updates of the table, in milliseconds. More often, nobody could read it. */
const interval = 200;

/** The table with the average times of two models side by side, and what each is the average of. */
export class ComparedTimes {
  #root;
  #meters = [];
  #names = ["", ""];
  #next = 0;
  #timer = null;

  constructor(root) {
    this.#root = root;
  }

  /** Says which models the columns are of. */
  name(names) {
    this.#names = names;
  }

  /** Removes what is shown. */
  clear() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#next = 0;
    this.#root.hidden = true;
  }

  /** Shows the measurements so far of both models, a few times a second. */
  show(meters) {
    this.#meters = meters;
    this.#timer ??= setTimeout(() => this.#draw(), Math.max(0, this.#next - performance.now()));
  }

  #draw() {
    this.#timer = null;
    this.#next = performance.now() + interval;
    const stages = [
      ["preprocess", t("Preprocess")], ["inference", t("Inference")], ["postprocess", t("Postprocess")],
      ["roundTrip", t("Round trip")],
    ];
    const head = [t("Average in milliseconds"), ...this.#names].map(
      (text, place) => el("th", { scope: "col", class: place > 0 ? "n" : null, text })
    );
    const rows = stages.map(([stage, text]) => el(
      "tr", {}, el("th", { scope: "row", text }), this.#meters.map((meter) => cell(meter, stage))
    ));
    this.#root.replaceChildren(el("table", { class: "plain-table" },
      el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
    this.#root.hidden = false;
  }
}

function cell(meter, stage) {
  const { mean, count } = meter.means[stage];
  const basis = Meter.isPerRun(stage)
    ? tn(count, "{n} run", "{n} runs") : tn(count, "{n} request", "{n} requests");
  return el("td", { class: "n" },
    el("span", { text: count > 0 ? millisecondsNumber(mean) : "–" }), el("small", { text: basis }));
}
