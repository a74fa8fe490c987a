// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { barChart, histogramChart } from "./charts.js";
import { confusionChart } from "./confusion.js";
import { isShare, metricText, metricValues, sampleWord } from "./evaluationNames.js";
import { bytes, metricName, milliseconds, millisecondsNumber, rate, whole } from "./format.js";

const mostRows = 5000;
const stages = ["decode", "preprocess", "inference", "postprocess"];

/** The results of an evaluation: numbers, charts of all models, and charts of one model. */
export class Report {
  root = el("div", { class: "report" });
  #app;
  #evaluation;
  #report;
  #charts = el("div", { class: "plots" });
  #onmodel;

  constructor(app, { evaluation, report, onmodel }) {
    this.#app = app;
    this.#evaluation = evaluation;
    this.#report = report;
    this.#onmodel = onmodel;
    this.root.append(tiles(report, sampleWord(evaluation.dataset)), this.#modelTable(), ...this.#comparison());
    this.root.append(this.#modelPicker(), this.#charts);
    this.#showModel(report.models[0]);
  }

  #modelTable() {
    const { models } = this.#report;
    const names = metricValues(models[0] ?? {}).slice(0, 5);
    const heads = [
      "Model", ...names.map(({ name }) => metricName(name)), "p50, ms", "p95, ms",
      "Samples a second", "Failed"
    ];
    const best = (values, higher) => (
      models.length < 2 ? null : higher ? Math.max(...values) : Math.min(...values)
    );
    const columns = [
      ...names.map(({ name, higher_is_better: higher }) => ({
        higher, text: (value) => metricText(name, value),
        of: (result) => metricValues(result).find((each) => each.name === name)?.value,
      })),
      { higher: false, text: millisecondsNumber, of: ({ latency }) => latency.total.p50 },
      { higher: false, text: millisecondsNumber, of: ({ latency }) => latency.total.p95 },
      { higher: true, text: rate, of: ({ throughput }) => throughput },
    ].map(
      (column) => (
        { ...column, best: best(models.map(column.of).filter(Number.isFinite), column.higher) }
      )
    );
    const rows = models.map((result) => el("tr", {},
      el("th", { scope: "row", text: result.model.name }),
      columns.map(({ of, text, best: top }) => {
        const value = of(result);
        return el(
          "td", { class: value === top && top !== null ? "n best" : "n", text: text(value) }
        );
      }),
      el(
        "td",
        { class: result.failed > 0 ? "n bad" : "n", text: whole(result.failed) }
      )));
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Models" },
      el("table", { class: "wide-table" },
        el(
          "thead", {},
          el(
            "tr", {},
            heads.map((text, place) => el("th", { scope: "col", class: place ? "n" : null, text }))
          )
        ),
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
      const title = `${metricName(metric.name)}, with 95% intervals`;
      figures.push(
        figure(
          title,
          barChart(
            items,
            {
              format: (value) => metricText(metric.name, value),
              description: spoken(title, items, (value) => metricText(metric.name, value))
            }
          )
        )
      );
    }
    const items = models.map(
      (result) => ({ name: result.model.name, value: result.latency.total.p50 })
    );
    const most = Math.max(...items.map(({ value }) => value ?? 0), 1e-9);
    figures.push(
      figure(
        "Median latency",
        barChart(
          items,
          { most, format: milliseconds, description: spoken("Median latency", items, milliseconds) }
        )
      )
    );
    return [el("div", { class: "plots" }, figures)];
  }

  #modelPicker() {
    const { models } = this.#report;
    const select = el(
      "select", { id: "report-model" },
      models.map(({ model }) => el("option", { value: model.id, text: model.name }))
    );
    select.addEventListener("change", () => {
      this.#showModel(models.find(({ model }) => model.id === select.value));
      this.#onmodel(select.value);
    });
    return el("div", { class: "section-head" },
      el("h2", { text: models.length > 1 ? "One model" : "Charts" }),
      models.length > 1 ? el(
        "label", { class: "select" }, el("span", { class: "unseen", text: "Model" }), select
      ) : null);
  }

  #showModel(result) {
    if (!result) return;
    const latency = el(
      "figure", {}, el("figcaption", { text: "Latency" }),
      el("p", { class: "muted small", text: "Reading the rows" })
    );
    this.#charts.replaceChildren(...[
      latency, stageFigure(result), metricFigure(result), ...confusionFigures(result),
      classFigure(result), allMetrics(result),
    ].filter(Boolean));
    this.#fillHistogram(latency, result);
  }

  async #fillHistogram(place, result) {
    try {
      const latencies = await this.#latencies(result.model.id);
      const { p50, p90, p95 } = result.latency.total;
      const marks = Object.entries({ p50, p90, p95 }).filter(([, value]) => Number.isFinite(value))
        .map(([name, value]) => ({ name, value }));
      const drawing = histogramChart(latencies, marks, milliseconds);
      if (!drawing) return place.remove();
      place.lastChild.replaceWith(drawing);
      if (
        latencies.length >= mostRows
      ) place.firstChild.textContent += `, the first ${whole(mostRows)} rows`;
    } catch (error) {
      place.lastChild.textContent = error.message;
    }
  }

  async #latencies(model) {
    const values = [];
    for (let offset = 0; offset < mostRows;) {
      const { rows, count } = await this.#app.api.rows(
        this.#evaluation.id, { model, offset, limit: 500 }
      );
      values.push(...rows.map((row) => row.latency_ms?.total).filter(Number.isFinite));
      offset += rows.length;
      if (rows.length === 0 || offset >= count) break;
    }
    return values;
  }
}

function tiles({ models, dataset }, word) {
  const [first] = models;
  if (!first) return el("p", { class: "muted", text: "No model was run." });
  const metric = metricValues(first)[0];
  const failed = models.reduce((sum, result) => sum + result.failed, 0);
  const fastest = [...models].sort((a, b) => a.latency.total.p50 - b.latency.total.p50)[0];
  const several = models.length > 1;
  const shown = [];
  if (metric) {
    const best = [...models].sort(
      (a, b) => (metric.higher_is_better ? 1 : -1) * (
        (find(b, metric.name)?.value ?? 0) - (find(a, metric.name)?.value ?? 0)
      )
    )[0];
    const { value, interval } = find(best, metric.name);
    const range = interval ? `95% interval ${rangeOf(metric.name, interval)}` : "";
    shown.push(
      [
        metricText(metric.name, value),
        several ? `${metricName(metric.name)}, ${best.model.name}` : metricName(metric.name), range
      ]
    );
  }
  shown.push(
    [
      milliseconds(fastest.latency.total.p50),
      several ? `median latency, ${fastest.model.name}` : "median latency",
      `inference alone ${milliseconds(fastest.latency.inference.p50)}`
    ]
  );
  shown.push(
    [
      whole(first.pictures), several ? `${word}s, each model` : `${word}s`,
      `${whole(dataset.labelled)} with a label`
    ]
  );
  shown.push([whole(failed), "failed", "", failed > 0]);
  return el("ul", { class: "figures" }, shown.map(([value, name, note, isBad]) =>
    el(
      "li", { class: isBad ? "bad" : null }, el("b", { text: value }), el("span", { text: name }),
      note ? el("small", { text: note }) : null
    )));
}

function stageFigure({ latency }) {
  const items = stages.map(
    (stage) => (
      { name: stage.charAt(0).toUpperCase() + stage.slice(1), value: latency[stage]?.mean }
    )
  );
  const most = Math.max(...items.map(({ value }) => value ?? 0), 1e-9);
  return figure(
    "Mean time of each stage",
    barChart(
      items,
      {
        most, format: milliseconds,
        description: spoken("Mean time of each stage", items, milliseconds)
      }
    )
  );
}

function metricFigure(result) {
  const items = metricValues(result).filter(({ name }) => isShare(name)).slice(0, 6)
    .map((metric) => metricItem(metricName(metric.name), metric));
  if (items.length === 0) return null;
  const format = (value) => metricText("top1", value);
  return figure(
    "How good it is, with 95% intervals",
    barChart(items, { format, description: spoken("How good it is", items, format) })
  );
}

function confusionFigures({ metrics }) {
  return Object.values(metrics ?? {}).filter(
    ({ confusion }) => confusion
  ).slice(0, 1).map(({ confusion }) => {
    const drawn = confusionChart(confusion);
    drawn?.classList.add("large");
    drawn?.prepend(el("h3", { text: "Which classes it confuses" }));
    return drawn;
  });
}

function classFigure({ metrics }) {
  const classes = Object.values(metrics ?? {}).find((each) => each.classes?.length)?.classes ?? [];
  const known = classes.filter(
    ({ support, values }) => support > 0 && Number.isFinite(values.recall)
  );
  if (known.length < 2) return null;
  const worst = [...known].sort((a, b) => a.values.recall - b.values.recall).slice(0, 12);
  const items = worst.map(
    ({ label, values, intervals }) => ({ name: label, value: values.recall, ...intervals?.recall })
  );
  const title = known.length > worst.length
    ? `Recall of the ${worst.length} worst of ${known.length} classes`
    : "Recall of each class, the worst first";
  const format = (value) => metricText("recall", value);
  return figure(title, barChart(items, { format, description: spoken(title, items, format) }));
}

function allMetrics(result) {
  const values = metricValues(result);
  const notes = Object.values(result.metrics ?? {}).flatMap((each) => each.notes ?? []);
  if (values.length === 0) return null;
  const rows = values.map(({ name, value, interval, count }) => el("tr", {},
    el("th", { scope: "row", text: metricName(name) }), el(
      "td", { class: "n", text: metricText(name, value) }
    ),
    el(
      "td",
      {
        class: "n",
        text: interval ? rangeOf(name, interval) : ""
      }
    ),
    el("td", { class: "n", text: whole(count) })));
  const heads = ["Metric", "Value", "95% interval", "Of"].map(
    (text, place) => el("th", { scope: "col", class: place ? "n" : null, text })
  );
  return el("details", { class: "part all-metrics" }, el("summary", { text: "All numbers" }),
    el(
      "div", { class: "scroll" },
      el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))
    ),
    notes.length > 0 ? el(
      "ul", { class: "muted small" }, notes.map((text) => el("li", { text }))
    ) : null,
    el(
      "p",
      {
        class: "muted small",
        text: `Largest memory of the server: ${bytes(result.peak_memory_bytes)}. Preprocessing of images: ${result.model.preprocessing}`
      }
    ));
}

function rangeOf(name, { lower, upper }) {
  return `${metricText(name, lower)} to ${metricText(name, upper)}`;
}

function find(result, name) {
  return metricValues(result).find((each) => each.name === name);
}

function metricItem(name, metric) {
  return {
    name, value: metric?.value, lower: metric?.interval?.lower, upper: metric?.interval?.upper
  };
}

function spoken(title, items, format) {
  return `${title}: ${items.map(({ name, value }) => `${name} ${format(value)}`).join(", ")}.`;
}

function figure(title, drawing) {
  return el("figure", {}, el("figcaption", { text: title }), drawing);
}
