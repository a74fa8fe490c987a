// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, icon } from "./dom.js";
import { duration, moment, rate, whole } from "./format.js";
import {
  layoutName, progressText, samplesText, sampleTexts, stateName, withDistinctNames
} from "./evaluationNames.js";
import { t, tn } from "./messages.js";
import { confirmed } from "./notices.js";
import { Report } from "./report.js";
import { RowsView } from "./rows.js";
import { failureMessage, stateMessage } from "./stateMessage.js";

const exports = () => [
  ["json", "JSON"], ["csv", "CSV"], ["html", "HTML"], ["netrunner", t("Net Runner's JSON")],
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
    if (id !== this.#id) {
      delete this.#root.dataset.running;
      const text = t("Reading the results");
      this.#root.replaceChildren(back(), el("p", { class: "muted", role: "status", text }));
    }
    this.hide();
    this.#id = id;
    this.#load(id);
  }

  /** Stops asking for the progress, and closes the dialog of a sample. */
  hide() {
    clearTimeout(this.#timer);
    byId("photo").close();
    this.#id = null;
  }

  async #load(id) {
    let answer;
    try {
      answer = await this.#app.api.evaluation(id);
    } catch (error) {
      if (id !== this.#id) return;
      this.#explain(error);
      if (error.code !== "server_gone") return;
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

  /** Shows why the evaluation can't be read. */
  #explain(error) {
    delete this.#root.dataset.running;
    const id = this.#id;
    const message = error.code === "evaluation_not_found"
      ? stateMessage({
        text: t("This evaluation is no longer on the server."), action: t("All evaluations"),
        run: () => this.#app.go("evaluate"), details: error.message,
      })
      : failureMessage(error, () => this.#load(id));
    this.#root.replaceChildren(back(), el("h1", { text: t("Evaluation") }), message);
  }

  #showProgress(evaluation) {
    const cancel = el(
      "button",
      {
        class: "button quiet", id: "evaluation-cancel", type: "button", text: t("Cancel"),
        on: { click: (event) => this.#cancel(evaluation, event.currentTarget) }
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
      list.children[place], each, evaluation.dataset
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
        class: "button quiet small", type: "button", text: t("Delete"),
        on: { click: () => this.#delete(evaluation) }
      }
    );
    const links = report ? exports().map(([format, text]) => this.#exportLink(format, text)) : [];
    const verb = el(
      "span", { class: "muted", "aria-hidden": "true", text: t("Export"), hidden: !report }
    );
    this.#root.replaceChildren(back(), this.#head(evaluation, [verb, ...links, remove]));
    const message = this.#endMessage(evaluation, report);
    if (message) this.#root.append(message);
    if (!report?.models.some(({ pictures }) => pictures > 0)) return;
    const shown = withDistinctNames(report);
    const names = new Map(shown.models.map(({ model }) => [model.id, model.name]));
    const skeletons = new Map(shown.models.map(({ model, skeleton }) => [model.id, skeleton]));
    const rows = new RowsView(this.#app, { evaluation, names, skeletons });
    const view = new Report(
      this.#app, { evaluation, report: shown, onmodel: (id) => rows.setModel(id) }
    );
    this.#root.append(view.root, rows.root);
  }

  /** Explains an evaluation without all of its results, or returns null. */
  #endMessage({ state, error, models, dataset }, report) {
    const again = { action: t("New evaluation"), run: () => this.#app.go("evaluate") };
    if (state === "failed") {
      return stateMessage({
        text: t("The evaluation failed."), details: error?.message, isBad: true, ...again,
      });
    }
    if (state === "cancelled") {
      const done = models.reduce((sum, each) => sum + each.done, 0);
      const all = models.reduce((sum, each) => sum + each.count, 0);
      const text = done > 0
        ? tn(
          done, "The evaluation was cancelled after {n} of {all} results.",
          "The evaluation was cancelled after {n} of {all} results.", { all: whole(all) }
        )
        : t("The evaluation was cancelled before its first result.");
      return stateMessage({ text, ...again });
    }
    if (!report?.models.some(({ pictures }) => pictures > 0)) {
      return stateMessage({ text: sampleTexts(dataset).none, ...again });
    }
    return null;
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
      href: this.#app.api.evaluationExport(this.#id, format), "aria-label": t("Export as {format}", { format: text }),
      on: {
        click: (event) => {
          this.#app.api.followDownload(event).catch(
            (error) => this.#app.notices.warn(error.message)
          );
        },
      },
    });
  }

  async #cancel({ id }, button) {
    button.disabled = true;
    try {
      await this.#app.api.cancelEvaluation(id);
    } catch (error) {
      button.disabled = false;
      this.#app.notices.warn(error.message);
    }
  }

  async #delete({ id }) {
    const text = t("Its results will be deleted from the server. This can't be undone.");
    const title = t("Delete this evaluation?");
    if (!(await confirmed({ title, text, action: t("Delete") }))) return;
    try {
      await this.#app.api.deleteEvaluation(id);
      this.#app.go("evaluate");
    } catch (error) {
      this.#app.notices.warn(error.message);
    }
  }
}

function back() {
  return el("a", { class: "back always", href: "#/evaluate" }, icon("left"), t("All evaluations"));
}

function fillProgress(row, { done, count, failed }, dataset) {
  const progress = progressText(done, count, dataset);
  const text = failed > 0
    ? t("{progress}, {failed} failed", { progress, failed: whole(failed) }) : progress;
  row.children[1].textContent = count > 0 ? text : t("Waiting");
  row.children[2].max = Math.max(1, count);
  row.children[2].value = done;
}

function title({ dataset }) {
  return dataset?.name ?? t("Evaluation");
}

function subtitle(
  { state, queued, started, dataset, photos_per_second: speed, seconds_left: left }
) {
  if (queued) return t("Another evaluation is running. This one is next.");
  if (state === "running") {
    const parts = [
      Number.isFinite(speed) ? sampleTexts(dataset).speed(rate(speed)) : t("Starting"),
    ];
    if (Number.isFinite(left)) parts.push(t("{time} left", { time: duration(left) }));
    return parts.join(", ");
  }
  const parts = [moment(started)];
  if (dataset) parts.push(samplesText(dataset.pictures, dataset), layoutName(dataset.layout));
  return parts.join(" · ");
}
