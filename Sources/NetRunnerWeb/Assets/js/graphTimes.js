// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { microseconds, percent, whole } from "./format.js";
import { t, tn } from "./messages.js";

/** The most of XNNPACK's steps that are listed, the slowest first. */
const mostSteps = 100;

/** Measures a model's operators on the server, and shows the totals. */
export class GraphTimes {
  /** Called with the steps that belong to operators of the file, each with its `graph` and `operator`. */
  onmeasured = () => {};
  root;
  #api;
  #model;
  #button = el("button", {
    class: "button quiet small", type: "button", id: "graph-measure", text: t("Measure times"),
    on: { click: () => this.#measure() },
  });
  #state = el("p", { class: "small muted", role: "status" });
  #results = el("div");

  constructor(api, model) {
    this.#api = api;
    this.#model = model;
    this.root = el("div", { class: "graph-times" },
      el("div", { class: "graph-measure" }, this.#button, this.#state), this.#results);
  }

  async #measure() {
    const hadFocus = document.activeElement === this.#button;
    this.#button.disabled = true;
    this.#state.textContent = t("The model runs up to 200 times. This can take a few seconds.");
    try {
      this.#show(await this.#api.profile(this.#model));
      this.#button.textContent = t("Measure again");
      this.#state.textContent = t("Measured. Times are means of the faster half of the runs.");
    } catch (error) {
      this.#state.textContent = "";
      this.#results.replaceChildren(el("p", { class: "warn", role: "alert", text: error.message }));
    }
    this.#button.disabled = false;
    if (hadFocus && document.activeElement === document.body) this.#button.focus({ preventScroll: true });
  }

  #show({ built_in: builtIn, xnnpack }) {
    this.#results.replaceChildren(
      ...section(
        builtIn, t("The model doesn't run with LiteRT's built-in kernels, so its operators have no times."), (time) => [
          el("p", {
            text: t("With LiteRT's built-in kernels, a run takes {time}. The graph shows each operator's time with them.", { time }),
          }),
          folded("graph-kinds", t("Times by operator"), kindsTable(builtIn.steps), true),
        ]),
      ...section(xnnpack, t("The model doesn't run with XNNPACK."), (time) => [
        el("p", {
          text: t("With XNNPACK, which Net Runner uses, a run takes {time}. Its steps aren't the operators of the file.", { time }),
        }),
        folded("graph-steps", t("Steps of XNNPACK"), stepsTable(xnnpack.steps), false),
      ]));
    this.onmeasured((builtIn.steps ?? []).filter(({ operator }) => operator !== null));
  }
}

/** What was measured with one kind of kernels, of which `make` shows the time of a run, or why it wasn't. */
function section({ error, run_microseconds: time }, problem, make) {
  return error
    ? [el("div", { class: "warn" }, el("p", { text: problem }), el("p", { class: "small", text: error }))]
    : make(microseconds(time));
}

function folded(id, title, content, isOpen) {
  return el("details", { class: "totals", id, open: isOpen }, el("summary", { text: title }),
    el("div", { class: "scroll graph-times-table", tabindex: "0", role: "region", "aria-label": title }, content));
}

/** The time of each kind of operator. Bodies of loops and conditions count as a part of their operator. */
function kindsTable(steps) {
  const kinds = new Map();
  for (const { name, graph, microseconds: time, share } of steps) {
    if (graph !== steps[0].graph) continue;
    const kind = kinds.get(name) ?? { count: 0, time: 0, share: 0 };
    kinds.set(name, { count: kind.count + 1, time: kind.time + time, share: kind.share + share });
  }
  const rows = [...kinds].sort(([, a], [, b]) => b.time - a.time).map(
    ([name, { count, time, share }]) => row(name, whole(count), time, share)
  );
  return table([t("Operator"), t("Count")], rows);
}

function stepsTable(steps) {
  const slowest = steps.toSorted((a, b) => b.microseconds - a.microseconds).slice(0, mostSteps);
  const rows = slowest.map(({ name, operator, microseconds: time, share }) => (
    row(name, operator ?? "", time, share)));
  const rest = steps.length - slowest.length;
  return el("div", {}, table([t("Step"), t("Operator")], rows),
    rest > 0 ? el("p", { class: "small muted", text: tn(rest, "{n} faster step", "{n} faster steps") }) : null);
}

function row(name, second, time, share) {
  return el("tr", {}, el("th", { scope: "row", text: name }), el("td", { class: "n", text: second }),
    el("td", { class: "n", text: microseconds(time) }), el("td", { class: "n", text: percent(share) }));
}

function table([first, second], rows) {
  const heads = [el("th", { scope: "col", text: first }), ...[second, t("Time"), t("Share")].map(
    (text) => el("th", { scope: "col", class: "n", text })
  )];
  return el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows));
}
