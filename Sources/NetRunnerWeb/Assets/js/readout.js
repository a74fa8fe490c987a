// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, svg } from "./dom.js";
import { milliseconds, millisecondsNumber, number, rate, score, whole } from "./format.js";
import { className, isBackground } from "./segmentation.js";

const stageNames = {
  decode: "Decode", preprocess: "Preprocess", inference: "Inference", roundTrip: "Round trip",
};

/** Returns the best label of any kind of result, or "" if it has none. */
export function topLabel(result) {
  const [first] = rankedLabels(result);
  if (first) return first.text ? `${first.label}: ${first.text}` : first.label;
  return result.read_text ?? "";
}

/**
 * Returns the labels to list for a result: classes, found objects, or the classes that cover the
 * most.
 */
function rankedLabels(result) {
  if (result.segmentation) {
    const named = result.segmentation.classes.filter((each) => !isBackground(each));
    return named.map((each) => ({ label: className(each), value: each.share }));
  }
  if (result.detections) {
    return result.detections.map(({ label, score: value }) => ({ label, value }));
  }
  if (result.measurements) {
    return result.measurements.map(({ name, value, unit }) => (
      { label: name, text: [number(value), unit].filter(Boolean).join(" ") }
    ));
  }
  return result.classes ?? [];
}

/** Returns the text to show for a result without labels. */
function emptyText(result, threshold) {
  if (result.read_text !== undefined) return result.read_text || "No text.";
  if (result.segmentation) return "Only background.";
  if (result.detections) return "Nothing found.";
  if (result.kind === "classification") return `No label above ${threshold}.`;
  if (result.keypoints) return `${result.keypoints.length} keypoints.`;
  return "";
}

/** The card with labels and times. */
export class Readout {
  #list = byId("labels");
  #empty = byId("labels-empty");
  #rows = [];

  /** Makes room for a number of labels. */
  setTop(top) {
    if (this.#rows.length === top) return;
    this.#rows = Array.from({ length: top }, (_, place) => this.#row(place));
    this.#list.replaceChildren(...this.#rows.map(({ item }) => item));
  }

  /** Shows a result and the measurements so far. */
  show(result, meter, { top, threshold }) {
    this.setTop(top);
    const labels = rankedLabels(result).slice(0, top);
    this.#rows.forEach((row, place) => this.#fill(row, labels[place]));
    this.#list.hidden = labels.length === 0 && result.kind !== "classification";
    this.#empty.textContent = labels.length > 0 ? "" : emptyText(result, threshold);
    this.#empty.classList.toggle("read", Boolean(result.read_text));
    this.#list.parentElement.hidden = this.#list.hidden && !this.#empty.textContent;
    this.#showTimes(result, meter);
  }

  /** Removes what is shown. */
  clear() {
    this.#list.hidden = this.#list.parentElement.hidden = false;
    for (const row of this.#rows) this.#fill(row, undefined);
    this.#empty.textContent = "";
    this.#empty.classList.remove("read");
    for (const stage of Object.keys(stageNames)) {
      byId(`now-${stage}`).textContent = byId(`mean-${stage}`).textContent = "–";
    }
    byId("latency").textContent = byId("latency-mean").textContent = byId("fps").textContent = "–";
    byId("latency-count").textContent = "Average";
    byId("spark").replaceChildren();
  }

  #showTimes(result, meter) {
    const times = { ...result.latency_ms, roundTrip: result.roundTrip };
    for (const stage of Object.keys(stageNames)) {
      byId(`now-${stage}`).textContent = millisecondsNumber(times[stage]);
      byId(`mean-${stage}`).textContent = millisecondsNumber(meter.means[stage].mean);
    }
    byId("latency").textContent = milliseconds(times.inference);
    byId("latency-mean").textContent = milliseconds(meter.means.inference.mean);
    byId("latency-count").textContent = `Average of ${whole(meter.count)}`;
    byId("fps").textContent = rate(meter.framesPerSecond);
    drawSpark(byId("spark"), meter.count > 1 ? meter.recent : []);
  }

  #row(place) {
    const label = el("span", { class: "label", id: place === 0 ? "top-label" : null });
    const value = el("span", { class: "value" });
    const bar = el("span", { class: "bar" }, el("span"));
    const item = el("li", {}, label, value, bar);
    return { item, label, value, bar: bar.firstChild };
  }

  #fill({ item, label, value, bar }, entry) {
    item.classList.toggle("none", !entry);
    label.textContent = label.title = entry?.label ?? "";
    value.textContent = entry ? entry.text ?? score(entry.value) : "";
    bar.parentElement.hidden = Boolean(entry?.text);
    bar.style.width = `${100 * Math.min(1, Math.max(0, entry?.value ?? 0))}%`;
  }
}

/** Draws the last latencies as small bars, newest on the right. */
function drawSpark(root, values) {
  const known = values.map((value) => (Number.isFinite(value) ? value : 0));
  const most = Math.max(...known, 1e-9);
  const bars = known.map((value, place) => {
    const height = Math.max(0.5, (24 * value) / most);
    return svg("rect", { x: 2 * (60 - known.length + place), y: 24 - height, width: 1.4, height });
  });
  root.replaceChildren(...bars);
}
