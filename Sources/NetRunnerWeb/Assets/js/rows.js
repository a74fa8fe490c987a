// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, icon } from "./dom.js";
import { sampleWord } from "./evaluationNames.js";
import { millisecondsNumber, score, whole } from "./format.js";
import { PhotoDialog } from "./photoDialog.js";

const pageLength = 48;

/** Returns a row's text: the model's labels in the way that Net Runner always wrote them. */
function rowLines(row) {
  if (row.error) return [row.error_description ?? "It failed."];
  const lines = (row.classes ?? []).filter(
    ({ value }, place) => place === 0 || value > 0.1
  ).slice(0, 2)
    .map(({ label, value }) => `(${score(value)}) ${label}`);
  if (lines.length > 0) return lines;
  return row.answer?.length > 0 ? row.answer : [row.predicted ?? "No answer"];
}

/** Describes the rows of a page, such as "1 to 48 of 350". */
function rangeText(offset, length, all) {
  if (all === 0) return "None";
  return `${whole(offset + 1)} to ${whole(offset + length)} of ${whole(all)}`;
}

/** Shows an evaluation's images with each model's result, page by page. */
export class RowsView {
  root = el("section", { class: "rows" });
  #app;
  #evaluation;
  #names;
  /** What the rows are: "image", "recording" or "sample". */
  #word;
  #body = el("div", { id: "rows" });
  #range = el("span", { class: "muted", role: "status" });
  #previous;
  #next;
  #dialog;
  #query = { model: "", only: "all", offset: 0 };
  #isTable = false;
  #rows = [];
  #turn = 0;

  constructor(app, { evaluation, names }) {
    this.#app = app;
    this.#evaluation = evaluation;
    this.#names = names;
    this.#word = sampleWord(evaluation.dataset);
    this.root.setAttribute("aria-label", this.#title);
    this.#query.model = evaluation.models[0]?.model ?? "";
    this.#dialog = new PhotoDialog(app, { evaluation, names });
    this.#previous = this.#pageButton("left", "Previous page", -pageLength);
    this.#next = this.#pageButton("right", "Next page", pageLength);
    this.root.append(
      el("div", { class: "section-head" }, el("h2", { text: this.#title }), this.#filters(),
        this.#choice("look", "Look", [["gallery", "Gallery"], ["table", "Table"]], (value) => {
          this.#isTable = value === "table";
          this.#draw();
        })),
      this.#body, el("div", { class: "pager" }, this.#previous, this.#range, this.#next));
    this.#load();
  }

  get #title() {
    return capitalized(`${this.#word}s`);
  }

  /** Shows the rows of another model. */
  setModel(model) {
    this.#query = { ...this.#query, model, offset: 0 };
    this.#load();
  }

  #filters() {
    const choices = [["all", "All"], ["wrong", "Wrong"], ["errors", "Errors"]];
    const known = choices.filter(
      ([name]) => name !== "wrong" || this.#evaluation.dataset?.has_truth
    );
    return this.#choice("only", `Which ${this.#word}s`, known, (only) => {
      this.#query = { ...this.#query, only, offset: 0 };
      this.#load();
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

  #pageButton(iconName, label, by) {
    const turn = () => {
      this.#query.offset += by;
      this.#load();
      this.root.scrollIntoView({ block: "start" });
    };
    return el(
      "button", { class: "plain", type: "button", "aria-label": label, on: { click: turn } },
      icon(iconName)
    );
  }

  async #load() {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const { rows, count: all } = await this.#app.api.rows(
        this.#evaluation.id, { ...this.#query, limit: pageLength }
      );
      if (turn !== this.#turn) return;
      this.#rows = rows;
      this.#range.textContent = rangeText(this.#query.offset, rows.length, all);
      this.#previous.disabled = this.#query.offset === 0;
      this.#next.disabled = this.#query.offset + rows.length >= all;
      this.#draw();
    } catch (error) {
      if (turn === this.#turn) this.#body.replaceChildren(
        el("p", { class: "warn", text: error.message })
      );
    }
  }

  #draw() {
    if (this.#rows.length === 0) {
      const text = {
        wrong: `No ${this.#word} was classified wrong.`, errors: `No ${this.#word} failed.`
      }[this.#query.only] ?? `No ${this.#word}s.`;
      this.#body.replaceChildren(el("p", { class: "muted", text }));
    } else {
      this.#body.replaceChildren(this.#isTable ? this.#table() : this.#gallery());
    }
  }

  #gallery() {
    return el("ul", { class: "gallery" }, this.#rows.map((row, place) => {
      const image = el("img", { alt: "", loading: "lazy", decoding: "async" });
      const lines = rowLines(row);
      const isWrong = row.correct === false && !row.error;
      const truth = isWrong ? el(
        "span", { class: "truth", text: `It is ${row.truth ?? "something else"}.` }
      ) : null;
      const caption = el(
        "span", { class: "caption" }, lines.map((text) => el("span", { text })), truth
      );
      const kind = row.error ? "failed" : isWrong ? "wrong" : null;
      const button = el("button", {
        type: "button", class: kind, title: row.image, "aria-label": `${row.image}: ${lines[0]}${isWrong ? `, wrong: ${row.truth}` : ""}`,
        on: { click: () => this.#dialog.open(this.#rows, place) },
      }, image, caption);
      this.#showPicture(image, row, 320);
      return el("li", {}, button);
    }));
  }

  #table() {
    const heads = [capitalized(this.#word), "Predicted", "Value", "Truth", "Inference, ms", "Total, ms"];
    const rows = this.#rows.map((row, place) => el("tr", {
      class: row.error ? "failed" : row.correct === false ? "wrong" : null
    },
      el(
        "th", { scope: "row" },
        el(
          "button",
          {
            class: "link", type: "button", text: row.image,
            on: { click: () => this.#dialog.open(this.#rows, place) }
          }
        )
      ),
      el(
        "td", { text: row.error ? (row.error_description ?? "It failed.") : (row.predicted ?? row.answer?.join("; ") ?? "") }
      ),
      el("td", { class: "n", text: row.classes?.length ? score(row.classes[0].value) : "" }),
      el("td", { text: row.truth ?? "" }),
      el("td", { class: "n", text: millisecondsNumber(row.latency_ms?.inference) }),
      el("td", { class: "n", text: millisecondsNumber(row.latency_ms?.total) })));
    return el("div", {
      class: "scroll", tabindex: "0", role: "region", "aria-label": this.#title
    }, el("table", { class: "wide-table" },
      el(
        "thead", {},
        el(
          "tr", {},
          heads.map(
            (text, place) => el(
              "th", { scope: "col", class: [2, 4, 5].includes(place) ? "n" : null, text }
            )
          )
        )
      ),
      el("tbody", {}, rows)));
  }

  #showPicture(image, row, size) {
    image.addEventListener("error", () => image.remove());
    const address = this.#app.api.evaluationPicture(this.#evaluation.id, row.index, size);
    this.#app.api.showPicture(image, address).catch(() => image.remove());
  }
}

function capitalized(text) {
  return text[0].toUpperCase() + text.slice(1);
}
