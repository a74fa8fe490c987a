// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, icon } from "./dom.js";
import { count, duration, moment, rate, whole } from "./format.js";
import {
  layoutName, sampleWord, samplesText, stateName, withDistinctNames
} from "./evaluationNames.js";
import { confirmed } from "./notices.js";
import { Report } from "./report.js";
import { RowsView } from "./rows.js";

const exports = [
  ["json", "JSON"], ["csv", "CSV"], ["html", "HTML"], ["netrunner", "Net Runner's JSON"]
];

/** The page of one evaluation, with its progress and its results. */
export class EvaluationView {
  #app;
  #root;
  #id = null;
  #timer = null;

  constructor(app, root) {
    this.#app = app;
    this.#root = root;
  }

  show(id) {
    if (id !== this.#id) this.#root.replaceChildren();
    this.hide();
    this.#id = id;
    this.#load(id);
  }

  /** Stops asking for the progress. */
  hide() {
    clearTimeout(this.#timer);
    this.#id = null;
  }

  async #load(id) {
    let answer;
    try {
      answer = await this.#app.api.evaluation(id);
    } catch (error) {
      if (id !== this.#id) return;
      if (error.code !== "server_gone") return this.#explain(error.message);
      await this.#app.connection.whenBack();
      if (id === this.#id) this.#load(id);
      return;
    }
    if (id !== this.#id) return;
    const { evaluation, report } = answer;
    if (evaluation.state === "running") {
      this.#showProgress(evaluation);
      this.#timer = setTimeout(() => this.#load(id), 500);
    } else {
      this.#showEnd(evaluation, report);
    }
  }

  #explain(text) {
    this.#root.replaceChildren(back(), el("p", { class: "warn", text }));
  }

  #showProgress(evaluation) {
    const cancel = el(
      "button",
      {
        class: "button quiet", id: "evaluation-cancel", type: "button", text: "Cancel",
        on: { click: () => this.#cancel() }
      }
    );
    if (this.#root.dataset.running !== evaluation.id) {
      this.#root.dataset.running = evaluation.id;
      this.#root.replaceChildren(
        back(), this.#head(evaluation, [cancel]), el("div", { class: "progresses" })
      );
    }
    const list = this.#root.querySelector(".progresses");
    if (list.children.length === 0) list.append(
      ...evaluation.models.map((each) => this.#progressRow(each))
    );
    evaluation.models.forEach((each, place) => fillProgress(
      list.children[place], each, sampleWord(evaluation.dataset)
    ));
    this.#root.querySelector("#evaluation-state").textContent = stateName(evaluation);
    this.#root.querySelector("[data-subtitle]").textContent = subtitle(evaluation);
    this.#root.querySelector("[data-name]").textContent = title(evaluation);
  }

  #progressRow({ model }) {
    const name = this.#app.models.nameOfID(model);
    return el("div", { class: "progress-row", data: { model } },
      el("strong", { text: name }), el("span", { class: "muted" }), el(
        "progress", { "aria-label": name }
      ));
  }

  #showEnd(evaluation, report) {
    delete this.#root.dataset.running;
    const remove = el(
      "button",
      {
        class: "button quiet small", type: "button", text: "Delete",
        on: { click: () => this.#delete(evaluation) }
      }
    );
    const links = report ? exports.map(([format, text]) => this.#exportLink(format, text)) : [];
    const verb = el(
      "span", { class: "muted", "aria-hidden": "true", text: "Export", hidden: !report }
    );
    this.#root.replaceChildren(back(), this.#head(evaluation, [verb, ...links, remove]));
    if (evaluation.error) this.#root.append(
      el("p", { class: "warn", text: evaluation.error.message })
    );
    if (!report) return;
    const shown = withDistinctNames(report);
    const names = new Map(shown.models.map(({ model }) => [model.id, model.name]));
    const rows = new RowsView(this.#app, { evaluation, names });
    const view = new Report(
      this.#app, { evaluation, report: shown, onmodel: (id) => rows.setModel(id) }
    );
    this.#root.append(view.root, rows.root);
  }

  #head(evaluation, actions) {
    const state = el(
      "span",
      {
        class: `tag ${evaluation.state}`, id: "evaluation-state", role: "status",
        text: stateName(evaluation)
      }
    );
    return el("header", { class: "evaluation-head" },
      el("div", { class: "grow" },
        el("h1", {}, el("span", { data: { name: "" }, text: title(evaluation) }), " ", state),
        el("p", { class: "muted", data: { subtitle: "" }, text: subtitle(evaluation) })),
      el("div", { class: "actions" }, actions));
  }

  #exportLink(format, text) {
    return el("a", {
      class: "button quiet small", id: `export-${format}`, download: `evaluation-${format}`, text,
      href: this.#app.api.evaluationExport(this.#id, format), "aria-label": `Export as ${text}`,
      on: {
        click: (event) => {
          this.#app.api.followDownload(event).catch(
            (error) => this.#app.notices.warn(error.message)
          );
        },
      },
    });
  }

  async #cancel() {
    try {
      await this.#app.api.deleteEvaluation(this.#id);
    } catch (error) {
      this.#app.notices.warn(error.message);
    }
  }

  async #delete({ id }) {
    const text = "Its results will be deleted from the server. This can't be undone.";
    if (!(await confirmed({ title: "Delete this evaluation?", text, action: "Delete" }))) return;
    try {
      await this.#app.api.deleteEvaluation(id);
      this.#app.go("evaluate");
    } catch (error) {
      this.#app.notices.warn(error.message);
    }
  }
}

function back() {
  return el("a", { class: "back always", href: "#/evaluate" }, icon("left"), "All evaluations");
}

function fillProgress(row, { done, count: all, failed }, word) {
  const failures = failed > 0 ? `, ${failed} failed` : "";
  row.children[1].textContent = all > 0
    ? `${whole(done)} of ${count(all, word)}${failures}`
    : "Waiting";
  row.children[2].max = Math.max(1, all);
  row.children[2].value = done;
}

function title({ dataset }) {
  return dataset?.name ?? "Evaluation";
}

function subtitle(
  { state, queued, started, dataset, photos_per_second: speed, seconds_left: left }
) {
  if (queued) return "Another evaluation is running. This one is next.";
  if (state === "running") {
    const parts = [Number.isFinite(speed) ? `${rate(speed)} ${sampleWord(dataset)}s a second` : "Starting"];
    if (Number.isFinite(left)) parts.push(`${duration(left)} left`);
    return parts.join(", ");
  }
  const parts = [moment(started)];
  if (dataset) parts.push(samplesText(dataset), layoutName(dataset.layout));
  return parts.join(" · ");
}
