// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { barChart } from "./charts.js";
import { confusionChart } from "./confusion.js";
import {
  isShare, metricText, metricTitle, metricValues, sampleTexts, undefinedReason
} from "./evaluationNames.js";
import { bytes, milliseconds, whole } from "./format.js";
import { t } from "./messages.js";
import { withReason } from "./reasons.js";
import { scrollArea } from "./scrollArea.js";

/** Makes the tiles with the most important numbers of a report. */
export function tiles({ models, dataset }, shown) {
  const [first] = models;
  const metric = models.flatMap(metricValues).find(({ value }) => typeof value === "number");
  const failed = models.reduce((sum, result) => sum + result.failed, 0);
  const fastest = bestOf(models, false, ({ latency }) => latency.total.p50);
  const several = models.length > 1;
  const items = [];
  if (metric) {
    const best = bestOf(
      models, metric.higher_is_better, (result) => find(result, metric.name)?.value
    );
    const { value, interval } = find(best, metric.name);
    const name = metricTitle(metric.name);
    items.push({
      value: metricText(metric.name, value),
      name: several ? t("{name}, {model}", { name, model: best.model.name }) : name,
      note: interval ? t("95% interval {range}", { range: rangeOf(metric.name, interval) }) : "",
    });
  }
  items.push({
    value: milliseconds(fastest.latency.total.p50),
    name: several
      ? t("Median latency, {model}", { model: fastest.model.name }) : t("Median latency"),
    note: t("Inference alone {time}", { time: milliseconds(fastest.latency.inference.p50) }),
  });
  items.push({
    value: whole(first.pictures), name: sampleTexts(shown).many,
    note: t("{n} with a label", { n: whole(dataset.labelled) }),
  });
  items.push({ value: whole(failed), name: t("Failed"), note: "", isBad: failed > 0 });
  return el("ul", { class: "figures" }, items.map(({ value, name, note, isBad }) => el(
    "li", { class: isBad ? "bad" : null }, el("b", { text: value }), el("span", { text: name }),
    note ? el("small", { text: note }) : null
  )));
}

/** Returns the model with the best value. Without any finite value, this is the first model. */
function bestOf(models, isHigherBetter, valueOf) {
  const known = models.filter((each) => Number.isFinite(valueOf(each)));
  const isBetter = (a, b) => (isHigherBetter ? valueOf(a) > valueOf(b) : valueOf(a) < valueOf(b));
  return known.reduce((best, each) => (isBetter(each, best) ? each : best), known[0]) ?? models[0];
}

/** Makes the chart of the mean time of each stage. */
export function stageFigure({ latency }) {
  const items = [
    [t("Decode"), latency.decode], [t("Preprocess"), latency.preprocess],
    [t("Inference"), latency.inference], [t("Postprocess"), latency.postprocess],
  ].map(([name, stage]) => ({ name, value: stage?.mean }));
  if (!items.some(({ value }) => Number.isFinite(value))) return null;
  return barFigure(t("Mean time of each stage"), items, milliseconds, largest(items));
}

/** Makes the chart of the metrics that are shares, and names those that are undefined. */
export function metricFigure(result) {
  const shares = metricValues(result).filter(({ name }) => isShare(name));
  const known = shares.filter(({ value }) => typeof value === "number").slice(0, 6);
  const unknown = shares.filter(({ value }) => typeof value !== "number");
  if (shares.length === 0) return null;
  const items = known.map((metric) => metricItem(metricTitle(metric.name), metric));
  const title = known.some(({ interval }) => interval)
    ? t("Metrics, with 95% intervals") : t("Metrics");
  const chart = barFigure(title, items, (value) => metricText("top1", value));
  if (unknown.length > 0) {
    chart.append(el("ul", { class: "undefined" }, unknown.map(({ name }) => el("li", {},
      withReason(
        t("{name} undefined", { name: metricTitle(name) }), undefinedReason(result, name)
      )))));
  }
  return chart;
}

/** Makes the drawing of a confusion matrix, if a metric has one. */
export function confusionFigure({ metrics }) {
  const known = Object.values(metrics ?? {}).find(({ confusion }) => confusion);
  return known ? confusionChart(known.confusion) : null;
}

/** Makes the chart of the classes with the smallest recall or, for objects, the smallest AP. */
export function classFigure({ metrics }) {
  const classes = Object.values(metrics ?? {}).find((each) => each.classes?.length)?.classes ?? [];
  const key = ["recall", "ap"].find(
    (name) => classes.some(({ values }) => Number.isFinite(values[name]))
  );
  const known = classes.filter(
    ({ support, values }) => support > 0 && Number.isFinite(values[key])
  );
  if (known.length < 2) return null;
  const worst = [...known].sort((a, b) => a.values[key] - b.values[key]).slice(0, 12);
  const items = worst.map(
    ({ label, values, intervals }) => ({ name: label, value: values[key], ...intervals?.[key] })
  );
  const counts = { n: whole(worst.length), all: whole(known.length) };
  const isCut = known.length > worst.length;
  const title = key === "ap"
    ? isCut ? t("AP of the {n} worst of {all} classes", counts)
      : t("AP of each class, the worst first")
    : isCut ? t("Recall of the {n} worst of {all} classes", counts)
      : t("Recall of each class, the worst first");
  return barFigure(title, items, (value) => metricText("recall", value));
}

/** Makes the table of all metrics. */
export function allMetrics(result) {
  const values = metricValues(result);
  const notes = Object.values(result.metrics ?? {}).flatMap((each) => each.notes ?? []);
  if (values.length === 0) return null;
  const rows = values.map(({ name, value, interval, count }) => el("tr", {},
    el("th", { scope: "row", text: metricTitle(name) }),
    el("td", { class: "n" }, metricNode(result, name, value)),
    el("td", { class: "n", text: interval ? rangeOf(name, interval) : "" }),
    el("td", { class: "n", text: whole(count) })));
  const heads = [t("Metric"), t("Value"), t("95% interval"), t("Count")].map(
    (text, place) => el("th", { scope: "col", class: place ? "n" : null, text })
  );
  return el("details", { class: "part all-metrics" }, el("summary", { text: t("All metrics") }),
    scrollArea(t("All metrics"),
      el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))),
    notes.length > 0
      ? el("ul", { class: "muted small" }, notes.map((text) => el("li", { text }))) : null,
    el("p", { class: "muted small", text: t("Largest memory of the server: {size}.", {
      size: bytes(result.peak_memory_bytes),
    }) }),
    el("p", { class: "muted small", text: t("Preprocessing of images: {text}", {
      text: result.model.preprocessing,
    }) }));
}

/** Makes a metric's value as a text, with the reason if it is undefined. */
export function metricNode(result, name, value) {
  const text = metricText(name, value);
  return typeof value === "number" ? text : withReason(text, undefinedReason(result, name));
}

/** Makes a bar chart with a title. */
export function barFigure(title, items, format, most = 1) {
  const told = items.map(({ name, value }) => `${name} ${format(value)}`).join(", ");
  return figure(title, items.length > 0
    ? barChart(items, { most, format, description: `${title}: ${told}.` }) : null);
}

/** Makes a figure with a title. */
export function figure(title, drawing) {
  return el("figure", {}, el("figcaption", { text: title }), drawing);
}

/** Returns the largest value of bars, above 0. */
export function largest(items) {
  return Math.max(...items.map(({ value }) => value ?? 0), 1e-9);
}

/** Returns a metric of a model by its name. */
export function find(result, name) {
  return metricValues(result).find((each) => each.name === name);
}

/** Returns a metric as an item of a bar chart. */
export function metricItem(name, metric) {
  return {
    name, value: metric?.value, lower: metric?.interval?.lower, upper: metric?.interval?.upper,
  };
}

function rangeOf(name, { lower, upper }) {
  return t("{lower} to {upper}", {
    lower: metricText(name, lower), upper: metricText(name, upper),
  });
}
