// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, icon } from "./dom.js";
import { drawing, drawingSwitch, hasTrueShapes } from "./comparedShapes.js";
import { comparisonText, isWrong, sampleTexts } from "./evaluationNames.js";
import { millisecondsNumber, score, whole } from "./format.js";
import { t } from "./messages.js";
import { PhotoDialog } from "./photoDialog.js";
import { scrollArea } from "./scrollArea.js";
import { failureMessage } from "./stateMessage.js";

const pageLength = 48;
/** The number of pages that are kept, so that turning back, and a filter that was used before, answer at once. */
const keptPages = 12;

/** Returns a row's text: the model's labels in the way that Net Runner always wrote them. */
function rowLines(row) {
  if (row.error) return [row.error_description ?? t("It failed.")];
  const compared = comparisonText(row.comparison);
  const lines = (row.classes ?? []).filter(({ value }, place) => place === 0 || value > 0.1)
    .slice(0, 2).map(({ label, value }) => `(${score(value)}) ${label}`);
  if (lines.length > 0) return compared ? [...lines, compared] : lines;
  if (compared && Number.isFinite(row.comparison.found)) return [compared];
  const answer = row.answer?.length > 0 ? row.answer : [row.predicted].filter(Boolean);
  const all = [...answer, compared].filter(Boolean);
  return all.length > 0 ? all : [row.picture ? "" : t("No answer")];
}

/** Shows an evaluation's samples with each model's result, page by page. */
export class RowsView {
  root = el("section", { class: "rows" });
  #app;
  #evaluation;
  #skeletons;
  #texts;
  #body = el("div", { id: "rows" });
  #range = el("span", { class: "muted", role: "status" });
  #pager;
  #shows;
  #dialog;
  #query = { model: "", only: "all", order: "index", offset: 0 };
  #isTable = false;
  #rows = [];
  /** The position of the first of these rows. The query is ahead of them until its page is there. */
  #offset = 0;
  #count = 0;
  #turn = 0;
  /** Promises of pages by their queries. The rows of an evaluation that ended never change. */
  #pages = new Map();

  constructor(app, { evaluation, names, skeletons }) {
    this.#app = app;
    this.#evaluation = evaluation;
    this.#skeletons = skeletons;
    this.#texts = sampleTexts(evaluation.dataset);
    this.root.setAttribute("aria-label", this.#texts.many);
    this.#query.model = evaluation.models[0]?.model ?? "";
    this.#dialog = new PhotoDialog(app, { evaluation, names, skeletons, rows: this });
    this.#shows = drawingSwitch(this.root, "shows");
    this.#shows.hidden = true;
    this.#pager = this.#makePager();
    this.root.append(
      el("div", { class: "section-head" }, el("h2", { text: this.#texts.many }), this.#shows,
        this.#filters(), this.#orders(), this.#looks()),
      this.#body, this.#pager.root);
    this.#load();
  }

  /** The number of selected rows. */
  get count() {
    return this.#count;
  }

  /** Shows the rows of another model. */
  setModel(model) {
    this.#select({ model });
  }

  /** Returns the row at a position among the selected rows if it is on the page, or undefined. */
  known(position) {
    return this.#rows[position - this.#offset];
  }

  /** Resolves to the row at a position, and turns to its page. It is undefined if another page was wanted meanwhile. */
  async at(position) {
    if (!this.known(position)) {
      this.#query.offset = Math.floor(position / pageLength) * pageLength;
      const error = await this.#load();
      if (error) throw error;
    }
    return this.known(position);
  }

  #select(change) {
    this.#query = { ...this.#query, ...change, offset: 0 };
    this.#load();
  }

  // MARK: - Controls

  #filters() {
    const { dataset, models } = this.#evaluation;
    const choices = [
      ["all", t("All")], dataset?.has_truth ? ["wrong", t("Wrong")] : null,
      models.length > 1 ? ["disagree", t("Models disagree")] : null, ["errors", t("Errors")],
    ].filter(Boolean);
    return this.#choice("only", this.#texts.which, choices, (only) => this.#select({ only }));
  }

  #orders() {
    const choices = [["index", t("In order")], ["worst", t("Worst first")]];
    return this.#choice("order", t("Order"), choices, (order) => this.#select({ order }));
  }

  #looks() {
    const choices = [["gallery", t("Gallery")], ["table", t("Table")]];
    return this.#choice("look", t("Look"), choices, (value) => {
      this.#isTable = value === "table";
      this.#draw();
    });
  }

  #choice(name, label, choices, choose) {
    const labels = choices.map(([value, text], place) => {
      const input = el(
        "input", { type: "radio", name, value, on: { change: () => choose(value) } }
      );
      input.checked = place === 0;
      return el("label", {}, input, el("span", { text }));
    });
    return el("div", { class: "segments", role: "radiogroup", "aria-label": label }, labels);
  }

  #makePager() {
    const button = (iconName, label, by) => el("button", {
      class: "plain", type: "button", "aria-label": label,
      on: { click: () => this.#turnTo(this.#page + by) },
    }, icon(iconName));
    const previous = button("left", t("Previous page"), -1);
    const next = button("right", t("Next page"), 1);
    const field = el("input", {
      type: "number", min: 1, class: "page-number", "aria-label": t("Page"),
      on: { change: () => this.#turnTo(Number(field.value) - 1) },
    });
    const pages = el("span", { class: "muted" });
    const jump = el("span", { class: "jump" }, field, pages);
    return {
      root: el("div", { class: "pager" }, previous, this.#range, next, jump),
      previous, next, field, pages, jump,
    };
  }

  get #page() {
    return Math.floor(this.#query.offset / pageLength);
  }

  get #pageCount() {
    return Math.max(1, Math.ceil(this.#count / pageLength));
  }

  #turnTo(page) {
    const chosen = Math.min(Math.max(0, Math.floor(page) || 0), this.#pageCount - 1);
    this.#query.offset = chosen * pageLength;
    // Before, the images of the old page would come into view and be loaded.
    this.#load().then(() => this.root.scrollIntoView({ block: "start" }));
  }

  #updatePager() {
    const { previous, next, field, pages, jump } = this.#pager;
    const last = this.#query.offset + this.#rows.length;
    this.#range.textContent = this.#count === 0 ? "" : t("{first} to {last} of {all}", {
      first: whole(this.#query.offset + 1), last: whole(last), all: whole(this.#count),
    });
    previous.disabled = this.#query.offset === 0;
    next.disabled = last >= this.#count;
    jump.hidden = this.#pageCount < 3;
    field.value = this.#page + 1;
    field.max = this.#pageCount;
    pages.textContent = t("of {all} pages", { all: whole(this.#pageCount) });
  }

  // MARK: - Rows

  /** Shows the page that the query asks for. Resolves to the error if it can't be read. */
  async #load() {
    this.#turn += 1;
    const turn = this.#turn;
    const { offset } = this.#query;
    try {
      const { rows, count } = await this.#ask(this.#query);
      if (turn !== this.#turn) return null;
      this.#rows = rows;
      this.#offset = offset;
      this.#count = count;
      this.#shows.hidden = this.#shows.hidden && !rows.some(hasTrueShapes);
      this.#updatePager();
      // The next page is asked for before the images, which take all of the browser's connections.
      this.#askAhead();
      this.#draw();
      return null;
    } catch (error) {
      if (turn === this.#turn) this.#body.replaceChildren(failureMessage(error, () => this.#load()));
      return error;
    }
  }

  /** Resolves to a page, which may have been asked for before. A failed request isn't kept. */
  #ask(query) {
    const key = JSON.stringify(query);
    const page = this.#pages.get(key) ?? this.#app.api.rows(
      this.#evaluation.id, { ...query, limit: pageLength, shapes: true }
    );
    this.#pages.delete(key);
    this.#pages.set(key, page);
    page.catch(() => this.#pages.delete(key));
    if (this.#pages.size > keptPages) this.#pages.delete(this.#pages.keys().next().value);
    return page;
  }

  /** Asks for the next page, so that turning to it doesn't wait for the server. */
  #askAhead() {
    const offset = this.#query.offset + pageLength;
    if (offset < this.#count) this.#ask({ ...this.#query, offset });
  }

  #draw() {
    if (this.#rows.length === 0) {
      const { none, noneWrong, noneFailed, noneDisputed } = this.#texts;
      const text = { wrong: noneWrong, errors: noneFailed, disagree: noneDisputed }[
        this.#query.only
      ] ?? none;
      this.#body.replaceChildren(el("p", { class: "muted", text }));
    } else {
      this.#body.replaceChildren(this.#isTable ? this.#table() : this.#gallery());
    }
  }

  #open(place) {
    this.#dialog.open(this.#offset + place);
  }

  #gallery() {
    return el("ul", { class: "gallery" }, this.#rows.map((row, place) => {
      const image = el("img", { alt: "", loading: "lazy", decoding: "async" });
      const lines = rowLines(row);
      const isFalse = row.correct === false && !row.error;
      const truth = isFalse
        ? t("It is {label}.", { label: row.truth ?? t("something else") }) : null;
      const caption = el("span", { class: "caption" },
        lines.map((text) => el("span", { text })),
        truth ? el("span", { class: "truth", text: truth }) : null);
      const skeleton = this.#skeletons.get(row.model) ?? [];
      const button = el("button", {
        type: "button", class: row.error ? "failed" : isWrong(row) ? "wrong" : null,
        title: row.image, "aria-label": [row.image, ...lines, truth].filter(Boolean).join(", "),
        on: { click: () => this.#open(place) },
      }, image, drawing(row, { fit: "slice", skeleton, withLabels: false }), caption);
      this.#showPicture(image, row, 320);
      return el("li", {}, button);
    }));
  }

  #table() {
    const hasComparison = this.#rows.some(({ comparison }) => comparisonText(comparison));
    const heads = [
      [this.#texts.one], [t("Predicted")], [t("Score"), "n"], [t("Truth")],
      ...(hasComparison ? [[t("Difference")]] : []), [t("Inference, ms"), "n"],
      [t("Total, ms"), "n"],
    ];
    const rows = this.#rows.map((row, place) => el("tr", {
      class: row.error ? "failed" : isWrong(row) ? "wrong" : null,
    },
      el("th", { scope: "row" }, el("button", {
        class: "link", type: "button", text: row.image, on: { click: () => this.#open(place) },
      })),
      el("td", { text: predictedText(row) }),
      el("td", { class: "n", text: row.classes?.length ? score(row.classes[0].value) : "" }),
      el("td", { text: row.truth ?? "" }),
      hasComparison ? el("td", { text: comparisonText(row.comparison) ?? "" }) : null,
      el("td", { class: "n", text: millisecondsNumber(row.latency_ms?.inference) }),
      el("td", { class: "n", text: millisecondsNumber(row.latency_ms?.total) })));
    return scrollArea(this.#texts.many, el("table", { class: "wide-table" },
      el("thead", {}, el("tr", {}, heads.map(
        ([text, kind]) => el("th", { scope: "col", class: kind, text })
      ))),
      el("tbody", {}, rows)));
  }

  #showPicture(image, row, size) {
    image.addEventListener("error", () => image.remove());
    const address = this.#app.api.evaluationPicture(this.#evaluation.id, row.index, size);
    this.#app.api.showPicture(image, address).catch(() => image.remove());
  }
}

function predictedText(row) {
  if (row.error) return row.error_description ?? t("It failed.");
  return row.predicted ?? row.answer?.join("; ") ?? "";
}
