// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { bytes, microseconds, percent, shape, whole } from "./format.js";
import { GraphDrawing } from "./graphDrawing.js";
import { tensorUses } from "./graphLayout.js";
import { GraphTimes } from "./graphTimes.js";
import { tensorText } from "./layerFields.js";
import { t, tn } from "./messages.js";

/** The most operators that are drawn. A table lists all of them. */
const mostDrawn = 600;

/** How many rows of the table are shown at first. More would take longer than a key. */
const rowsAtFirst = 100;

/** The operators and tensors of a model, which are loaded when people open them. */
export class GraphView {
  root;
  #api;
  #model;
  #body = el("div", { class: "graph-view" });
  #graphs = [];
  #graph = null;
  #uses = null;
  #drawing = null;
  /** The rows of the table that were made so far, by the operators' indexes. */
  #rows = new Map();
  #texts = [];
  #rowsShown = rowsAtFirst;
  #search = "";
  #chosen = -1;
  #found = el("p", { class: "small muted", role: "status" });
  /** The measured steps, and those of the shown graph by the operators' indexes. */
  #steps = [];
  #times = new Map();
  #slowestFirst = el("input", { type: "checkbox", id: "graph-slowest", on: { change: () => this.#filter() } });
  #tableHead = el("tr");
  #tableBody = el("tbody");
  #more = el("button", {
    class: "button quiet small", type: "button", text: t("Show all"),
    on: {
      click: () => {
        this.#rowsShown = Infinity;
        this.#filter();
      },
    },
  });
  #details = el("section", { class: "graph-details", "aria-label": t("Operator"), tabindex: "-1" });

  constructor(app, model) {
    this.#api = app.api;
    this.#model = model;
    this.root = el(
      "details", { class: "part", id: "model-graph" }, el("summary", { text: t("Graph") }), this.#body
    );
    this.root.addEventListener("toggle", () => this.root.open && this.#load(), { once: true });
  }

  async #load() {
    this.#body.replaceChildren(el("p", { class: "muted", role: "status", text: t("Reading the model") }));
    try {
      this.#show(await this.#api.graph(this.#model));
    } catch (error) {
      this.#body.replaceChildren(el("p", { class: "warn", text: error.message }));
    }
  }

  #show(document) {
    const { graphs, totals } = document;
    this.#graphs = graphs;
    const times = new GraphTimes(this.#api, this.#model);
    times.onmeasured = (steps) => {
      this.#steps = steps;
      this.#showTimes();
    };
    const choice = graphs.length > 1 ? el(
      "label", { class: "field" }, el("span", { text: t("Part of the model") }),
      el("span", { class: "select" }, el("select", {
        on: { change: ({ target }) => this.#showGraph(graphs[Number(target.value)], one) },
      }, graphs.map((graph, index) => el("option", { value: index, text: graphName(graph, index) }))))
    ) : null;
    const one = el("div");
    this.#body.replaceChildren(
      el("p", { class: "muted", text: summary(document) }), totalsTable(totals), times.root,
      ...[choice].filter(Boolean), one
    );
    this.#showGraph(graphs[0], one);
  }

  #showGraph(graph, root) {
    this.#graph = graph;
    this.#uses = tensorUses(graph);
    this.#chosen = -1;
    const textOf = (index) => {
      const tensor = graph.tensors[graph.operators[index].outputs[0]];
      return tensor ? shape(tensor.shape) : "";
    };
    this.#drawing = graph.operators.length <= mostDrawn ? new GraphDrawing(graph, textOf) : null;
    if (this.#drawing) this.#drawing.onchoose = (index) => this.#choose(index);
    const search = el("input", {
      type: "search", id: "graph-search", autocomplete: "off", "aria-label": t("Search operators and tensors"),
      placeholder: t("Search operators and tensors"),
    });
    search.addEventListener("input", () => {
      this.#search = search.value;
      this.#rowsShown = rowsAtFirst;
      this.#filter();
    });
    this.#details.replaceChildren(el("p", { class: "muted", text: t("Choose an operator to see its tensors.") }));
    root.replaceChildren(
      el("div", { class: "graph-split" },
        this.#drawing
          ? el("div", { class: "graph-frame" }, this.#drawing.root)
          : el("p", { class: "muted", text: t("The graph is too large to draw. The table has all operators.") }),
        this.#details),
      el("div", { class: "graph-search" }, search, this.#found,
        el("label", {}, this.#slowestFirst, el("span", { text: t("Slowest first") }))),
      this.#table(), this.#more);
    this.#search = "";
    this.#rowsShown = rowsAtFirst;
    this.#showTimes();
  }

  /** Shows the times of the operators of the shown graph, if they were measured. */
  #showTimes() {
    const index = this.#graphs.indexOf(this.#graph);
    const steps = this.#steps.filter(({ graph }) => graph === index);
    this.#times = new Map(steps.map((step) => [step.operator, step]));
    const isMeasured = steps.length > 0;
    const most = Math.max(...steps.map(({ share }) => share), Number.MIN_VALUE);
    this.#drawing?.showTimes(new Map(steps.map(({ operator, microseconds: time, share }) => [
      operator, { text: `${microseconds(time)} · ${percent(share)}`, share: share / most },
    ])));
    const head = (text, kind = null) => el("th", { scope: "col", class: kind, text });
    this.#tableHead.replaceChildren(
      head("#"), head(t("Operator")), ...isMeasured ? [head(t("Time"), "n"), head(t("Share"), "n")] : [],
      head(t("Reads")), head(t("Writes")), head(t("Quantization")), head(t("Constants")));
    this.#tableHead.closest("div").classList.toggle("timed", isMeasured);
    this.#slowestFirst.parentElement.hidden = !isMeasured;
    this.#rows.clear();
    this.#filter();
    if (this.#chosen >= 0) this.#row(this.#chosen).classList.add("on");
  }

  #table() {
    this.#texts = this.#graph.operators.map((_, index) => this.#searched(index));
    this.#rows.clear();
    return el("div", {
      class: "scroll graph-table", tabindex: "0", role: "region", "aria-label": t("Table of operators"),
    }, el("table", {}, el("thead", {}, this.#tableHead), this.#tableBody));
  }

  /** Returns the row of an operator, and makes it if it is needed for the first time. */
  #row(index) {
    if (!this.#rows.has(index)) this.#rows.set(index, this.#newRow(this.#graph.operators[index], index));
    return this.#rows.get(index);
  }

  #newRow(operator, index) {
    const { read, written, constants } = this.#tensorsOf(operator);
    const size = constants.reduce((sum, tensor) => sum + tensor.constant_bytes, 0);
    const button = el("button", {
      class: "link", type: "button", text: operator.name, on: { click: () => this.#choose(index, true) },
    });
    const line = (tensors) => tensors.map(({ type, shape: lengths }) => `${type} ${shape(lengths)}`).join(", ");
    return el("tr", {},
      el("td", { class: "n", text: index }), el("th", { scope: "row" }, button), this.#timeCells(index),
      el("td", { text: line(read) }), el("td", { text: line(written) }),
      el("td", { text: written[0]?.quantization ? tensorText(written[0]).replace(`${written[0].type}, `, "") : "" }),
      el("td", { class: "n", text: size > 0 ? bytes(size) : "" }));
  }

  #timeCells(index) {
    if (this.#times.size === 0) return [];
    const step = this.#times.get(index);
    return [step ? microseconds(step.microseconds) : "–", step ? percent(step.share) : "–"].map(
      (text) => el("td", { class: "n", text })
    );
  }

  /** The tensors of an operator: what it reads, what it writes, and the constants that it reads. */
  #tensorsOf({ inputs, outputs }) {
    const known = (indexes) => indexes.filter((index) => index >= 0).map((index) => this.#graph.tensors[index]);
    const all = known(inputs);
    const isConstant = ({ constant_bytes: size }) => size !== null;
    return {
      read: all.filter((tensor) => !isConstant(tensor)), constants: all.filter(isConstant),
      written: known(outputs),
    };
  }

  #searched(index) {
    const { name, inputs, outputs } = this.#graph.operators[index];
    const tensors = [...inputs, ...outputs].filter((each) => each >= 0).map((each) => this.#graph.tensors[each]);
    return [name, ...tensors.flatMap((each) => [each.name, each.type, shape(each.shape)])].join("\n").toLowerCase();
  }

  #filter() {
    const words = this.#search.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...this.#texts.keys()].filter(
      (index) => words.every((word) => this.#texts[index].includes(word))
    );
    if (this.#slowestFirst.checked) {
      const time = (index) => this.#times.get(index)?.microseconds ?? -1;
      found.sort((a, b) => time(b) - time(a));
    }
    const shown = found.slice(0, this.#rowsShown);
    this.#tableBody.replaceChildren(...shown.map((index) => this.#row(index)));
    this.#more.hidden = shown.length === found.length;
    const all = this.#texts.length;
    const count = found.length === all ? tn(all, "{n} operator", "{n} operators")
      : t("{found} of {all} operators", { found: whole(found.length), all: whole(all) });
    const first = t("The first {count} are shown.", { count: whole(shown.length) });
    this.#found.textContent = this.#more.hidden ? count : `${count}. ${first}`;
  }

  /** Shows the tensors of an operator. From the table, the details get the focus. */
  #choose(index, isFromTable = false) {
    this.#rows.get(this.#chosen)?.classList.remove("on");
    this.#chosen = index;
    this.#row(index).classList.add("on");
    this.#drawing?.choose(index);
    const operator = this.#graph.operators[index];
    this.#details.replaceChildren(
      el("h3", { text: `${operator.name} · ${index}` }), ...this.#tensorList(t("Reads"), operator.inputs),
      ...this.#tensorList(t("Writes"), operator.outputs)
    );
    if (isFromTable) {
      this.#details.focus({ preventScroll: true });
      this.#details.scrollIntoView({ block: "nearest" });
    }
  }

  #tensorList(title, indexes) {
    const items = indexes.filter((index) => index >= 0).map((index) => {
      const tensor = this.#graph.tensors[index];
      const lines = [
        `${tensorText(tensor)} · ${shape(tensor.shape)}`,
        tensor.constant_bytes === null ? null : t("Constant, {size}", { size: bytes(tensor.constant_bytes) }),
        tensor.variable ? t("Variable, which keeps its value between runs") : null,
      ].filter(Boolean);
      return el("li", {}, el("span", { class: "mono", text: tensor.name }),
        lines.map((text) => el("span", { class: "small muted", text })), this.#neighbours(index));
    });
    return items.length > 0 ? [el("h4", { text: title }), el("ul", { class: "tensor-list" }, items)] : [];
  }

  /** Links to the operators that write and read a tensor, except the one that is shown. */
  #neighbours(tensor) {
    const writer = this.#uses.writers.get(tensor);
    const readers = this.#uses.readers.get(tensor) ?? [];
    const links = [...(writer === undefined ? [] : [writer]), ...readers].filter(
      (index) => index !== this.#chosen
    ).slice(0, 8);
    return el("span", { class: "row" }, links.map((index) => el("button", {
      class: "link small", type: "button", text: `${this.#graph.operators[index].name} · ${index}`,
      on: { click: () => this.#choose(index, true) },
    })));
  }
}

function graphName({ signatures }, index) {
  const name = index === 0 ? t("Main graph") : t("Graph {number}", { number: index });
  return signatures.length > 0 ? `${name} (${signatures.join(", ")})` : name;
}

function summary({ graphs, bytes: size, constant_bytes: constants }) {
  const operators = graphs.reduce((sum, each) => sum + each.operators.length, 0);
  const tensors = graphs.reduce((sum, each) => sum + each.tensors.length, 0);
  return [
    tn(operators, "{n} operator", "{n} operators"), tn(tensors, "{n} tensor", "{n} tensors"),
    t("{size}, of which {constants} are constants", { size: bytes(size), constants: bytes(constants) }),
  ].join(" · ");
}

function totalsTable(totals) {
  const rows = totals.map(({ operator, count, constant_bytes: size }) => el("tr", {},
    el("th", { scope: "row", text: operator }), el("td", { class: "n", text: whole(count) }),
    el("td", { class: "n", text: size > 0 ? bytes(size) : "" })));
  const heads = [[t("Operator"), null], [t("Count"), "n"], [t("Constants"), "n"]].map(
    ([text, kind]) => el("th", { scope: "col", class: kind, text })
  );
  return el("details", { class: "totals" }, el("summary", { text: t("Totals by operator") }),
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))));
}
