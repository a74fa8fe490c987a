// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { afterDrawing, el } from "./dom.js";
import { histogramChart } from "./charts.js";
import { isShare, metricText, metricTitle, metricValues, sampleTexts } from "./evaluationNames.js";
import { milliseconds, millisecondsNumber, rate, whole } from "./format.js";
import { t } from "./messages.js";
import {
  allMetrics, barFigure, classFigure, confusionFigure, find, largest, metricFigure, metricItem,
  metricNode, stageFigure, tiles
} from "./reportFigures.js";
import { scrollArea } from "./scrollArea.js";

/** The results of an evaluation: numbers, charts of all models, and charts of one model. */
export class Report {
  root = el("div", { class: "report" });
  #app;
  #evaluation;
  #report;
  #charts = el("div", { class: "plots" });
  #onmodel;
  /** Counts the shown models, so that late charts and latencies of earlier ones are dropped. */
  #turn = 0;

  constructor(app, { evaluation, report, onmodel }) {
    this.#app = app;
    this.#evaluation = evaluation;
    this.#report = report;
    this.#onmodel = onmodel;
    this.root.append(
      tiles(report, evaluation.dataset), this.#modelTable(), ...this.#comparison(),
      this.#modelPicker(), this.#charts
    );
    this.#showModel(report.models[0], afterDrawing());
  }

  #modelTable() {
    const { models } = this.#report;
    const names = metricValues(models[0]).slice(0, 5);
    const heads = [
      t("Model"), ...names.map(({ name }) => metricTitle(name)), t("p50, ms"), t("p95, ms"),
      sampleTexts(this.#evaluation.dataset).perSecond, t("Failed"),
    ];
    const best = (values, higher) => (
      models.length < 2 ? null : higher ? Math.max(...values) : Math.min(...values)
    );
    const columns = [
      ...names.map(({ name, higher_is_better: higher }) => ({
        higher, node: (value, result) => metricNode(result, name, value),
        of: (result) => find(result, name)?.value,
      })),
      { higher: false, node: millisecondsNumber, of: ({ latency }) => latency.total.p50 },
      { higher: false, node: millisecondsNumber, of: ({ latency }) => latency.total.p95 },
      { higher: true, node: rate, of: ({ throughput }) => throughput },
    ].map((column) => ({
      ...column, best: best(models.map(column.of).filter(Number.isFinite), column.higher),
    }));
    const rows = models.map((result) => el("tr", {},
      el("th", { scope: "row", text: result.model.name }),
      columns.map(({ of, node, best: top }) => {
        const value = of(result);
        const isBest = value === top && top !== null;
        return el("td", { class: isBest ? "n best" : "n" }, node(value, result));
      }),
      el("td", { class: result.failed > 0 ? "n bad" : "n", text: whole(result.failed) })));
    return scrollArea(t("Models"), el("table", { class: "wide-table" },
      el("thead", {}, el("tr", {}, heads.map(
        (text, place) => el("th", { scope: "col", class: place ? "n" : null, text })
      ))),
      el("tbody", {}, rows)));
  }

  /** Makes charts that compare all models by their first fractional metric and by their speed. */
  #comparison() {
    const { models } = this.#report;
    if (models.length < 2) return [];
    const figures = [];
    const metric = metricValues(models[0]).find(({ name }) => isShare(name));
    if (metric) {
      const items = models.map(
        (result) => metricItem(result.model.name, find(result, metric.name))
      );
      const name = metricTitle(metric.name);
      const title = metric.interval ? t("{name}, with 95% intervals", { name }) : name;
      figures.push(barFigure(title, items, (value) => metricText(metric.name, value)));
    }
    const items = models.map(
      (result) => ({ name: result.model.name, value: result.latency.total.p50 })
    );
    figures.push(barFigure(t("Median latency"), items, milliseconds, largest(items)));
    return [el("div", { class: "plots" }, figures)];
  }

  #modelPicker() {
    const { models } = this.#report;
    const select = el(
      "select", { id: "report-model" },
      models.map(({ model }) => el("option", { value: model.id, text: model.name }))
    );
    select.addEventListener("change", () => {
      // The server works on the rows while the charts are drawn.
      this.#onmodel(select.value);
      this.#showModel(models.find(({ model }) => model.id === select.value));
    });
    return el("div", { class: "section-head" },
      el("h2", { text: models.length > 1 ? t("One model") : t("Charts") }),
      models.length > 1 ? el(
        "label", { class: "select" }, el("span", { class: "unseen", text: t("Model") }), select
      ) : null);
  }

  /** Draws the charts of a model, which take longer than all else, when a promise resolves. */
  async #showModel(result, moment = null) {
    this.#turn += 1;
    const turn = this.#turn;
    const times = this.#app.api.latencies(this.#evaluation.id, result.model.id);
    // Its failure is explained where the histogram would be.
    times.catch(() => {});
    if (moment) await moment;
    if (turn !== this.#turn) return;
    const latency = el("figure", {}, el("figcaption", { text: t("Latency") }),
      el("p", { class: "muted small", text: t("Reading the latencies") }));
    this.#charts.replaceChildren(...[
      latency, stageFigure(result), metricFigure(result), confusionFigure(result),
      classFigure(result), allMetrics(result),
    ].filter(Boolean));
    this.#fillHistogram(latency, result, times);
  }

  async #fillHistogram(place, result, reading) {
    try {
      const times = await reading;
      if (!place.isConnected) return;
      const { p50, p90, p95 } = result.latency.total;
      const marks = Object.entries({ p50, p90, p95 }).filter(([, value]) => Number.isFinite(value))
        .map(([name, value]) => ({ name, value }));
      const drawing = histogramChart(times.map((time) => time / 1000), marks, milliseconds);
      if (drawing) place.lastChild.replaceWith(drawing);
      else place.remove();
    } catch (error) {
      place.lastChild.textContent = error.message;
    }
  }
}
