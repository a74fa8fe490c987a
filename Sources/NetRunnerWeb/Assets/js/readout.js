// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, svg } from "./dom.js";
import { milliseconds, millisecondsNumber, number, percent, rate, score, whole } from "./format.js";
import { t, tn } from "./messages.js";
import { className, isBackground } from "./segmentation.js";
import { withReason } from "./reasons.js";
import { Meter } from "./statistics.js";

/** The time between two updates of the times, in milliseconds. More often, nobody could read them. */
const timesInterval = 200;

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
export function rankedLabels(result) {
  if (result.segmentation) {
    const named = result.segmentation.classes.filter((each) => !isBackground(each));
    return named.map((each) => ({
      label: className(each), value: each.share, text: percent(each.share), color: each.color,
    }));
  }
  if (result.detections) {
    return result.detections.map(({ label, score: value, color }, index) => (
      { label, value, color, index }
    ));
  }
  if (result.measurements) {
    return result.measurements.map(({ name, value, unit }) => (
      { label: name, text: [number(value), unit].filter(Boolean).join(" ") }
    ));
  }
  return result.classes ?? [];
}

/** Returns the text to show for a result without labels. */
export function emptyText(result, threshold) {
  if (result.read_text !== undefined) return result.read_text || t("No text.");
  if (result.segmentation) return t("Only background.");
  const least = score(threshold);
  if (result.detections) return t("Nothing found with a score of {least} or more.", { least });
  if (result.kind === "classification") return t("No label has a score of {least} or more.", { least });
  if (result.keypoints) return tn(result.keypoints.length, "{n} keypoint.", "{n} keypoints.");
  return "";
}

/** The card with labels and times. */
export class Readout {
  /** Called with the index of the object whose row the pointer or the focus is on, or with null. */
  onpoint = () => {};
  #at;
  #list;
  #empty;
  #title;
  #rows = [];
  #nextTimes = 0;
  /** What ran the model, as it is shown. */
  #accelerator = "";
  #lateTimes = 0;
  /** The stages that have a row in the table of times. */
  #stages;

  /** Makes the card of the elements that a function finds by their names in index.html. */
  constructor(at = byId) {
    this.#at = at;
    this.#list = at("labels");
    this.#empty = at("labels-empty");
    this.#title = at("labels-title");
    this.#stages = Meter.stages.filter((stage) => at(`now-${stage}`));
  }

  /** Makes room for a number of labels. */
  setTop(top) {
    if (this.#rows.length === top) return;
    this.#rows = Array.from({ length: top }, (_, place) => this.#row(place));
    this.#list.replaceChildren(...this.#rows.map(({ item }) => item));
  }

  /** Shows the labels of a result. */
  show(result, { top, threshold }) {
    this.setTop(top);
    const all = rankedLabels(result);
    const labels = all.slice(0, top);
    this.#rows.forEach((row, place) => this.#fill(row, labels[place]));
    setText(this.#title, titleText(result, all.length, top));
    this.#list.hidden = labels.length === 0 && result.kind !== "classification";
    setText(this.#empty, labels.length > 0 ? "" : emptyText(result, threshold));
    this.#empty.classList.toggle("read", Boolean(result.read_text));
    this.#list.parentElement.hidden = this.#list.hidden && !this.#empty.textContent;
    this.#showAccelerator(result);
  }

  /** Shows what ran the model, if the server chooses between the CPU and the GPU. */
  #showAccelerator({ accelerator, accelerator_reason: reason }) {
    const row = this.#at("accelerator-row");
    if (!row) return;
    row.hidden = !accelerator;
    const shown = `${accelerator} ${reason}`;
    // Frames come often, and a reason that is open stays open.
    if (!accelerator || this.#accelerator === shown) return;
    this.#accelerator = shown;
    this.#at("accelerator").replaceChildren(withReason(accelerator.toUpperCase(), reason));
  }

  /** Emphasizes the row of an object, or none. */
  light(index) {
    for (const { item, entry } of this.#rows) {
      item.classList.toggle("on", index !== null && entry?.index === index);
    }
  }

  /** Shows the times that only moving images have, or hides them. */
  setMoving(isMoving) {
    this.#at("latency-name").textContent = t("Inference");
    for (const name of ["rate", "age-figure", "age-row"]) {
      const node = this.#at(name);
      if (node) node.hidden = !isMoving;
    }
  }

  /** Removes what is shown. */
  clear() {
    clearTimeout(this.#lateTimes);
    this.#nextTimes = 0;
    this.#list.hidden = this.#list.parentElement.hidden = false;
    for (const row of this.#rows) this.#fill(row, undefined);
    this.#empty.textContent = this.#title.textContent = "";
    this.#empty.classList.remove("read");
    const at = this.#at;
    for (const stage of this.#stages) {
      at(`now-${stage}`).textContent = at(`mean-${stage}`).textContent = "–";
    }
    for (const name of ["latency", "latency-mean", "fps", "age"]) at(name).textContent = "–";
    at("latency-count").textContent = t("Average");
    at("spark")?.replaceChildren();
  }

  /** Shows the times of an image, and the measurements so far, a few times a second. */
  showTimes(times, meter) {
    const now = performance.now();
    const isSoon = now < this.#nextTimes;
    clearTimeout(this.#lateTimes);
    if (isSoon) {
      const late = () => this.showTimes(times, meter);
      this.#lateTimes = setTimeout(late, this.#nextTimes - now);
      return;
    }
    this.#nextTimes = now + timesInterval;
    const at = this.#at;
    for (const stage of this.#stages) {
      at(`now-${stage}`).textContent = millisecondsNumber(times[stage]);
      at(`mean-${stage}`).textContent = millisecondsNumber(meter.means[stage].mean);
    }
    at("latency").textContent = milliseconds(times.inference);
    at("latency-mean").textContent = milliseconds(meter.means.inference.mean);
    at("latency-name").textContent = times.runs > 1
      ? t("Inference, mean of {n} runs", { n: whole(times.runs) }) : t("Inference");
    at("latency-count").textContent = t("Average of {n}", { n: whole(meter.count) });
    at("fps").textContent = rate(meter.framesPerSecond);
    at("age").textContent = milliseconds(times.age);
    if (at("spark")) drawSpark(at("spark"), meter.count > 1 ? meter.recent : []);
  }

  #row(place) {
    const swatch = el("span", { class: "swatch", hidden: true });
    const id = place === 0 ? this.#list.id.replace("labels", "top-label") : null;
    const text = el("span", { id });
    const label = el("span", { class: "label" }, swatch, text);
    const value = el("span", { class: "value" });
    const bar = el("span", { class: "bar" }, el("span"));
    const row = { item: null, label, swatch, text, value, bar: bar.firstChild, entry: null };
    const point = () => this.onpoint(row.entry?.index ?? null);
    const leave = () => this.onpoint(null);
    row.item = el("li", {
      on: { pointerenter: point, focus: point, pointerleave: leave, blur: leave },
    }, label, value, bar);
    return row;
  }

  #fill(row, entry) {
    const { item, label, swatch, text, value, bar } = row;
    row.entry = entry;
    item.classList.toggle("none", !entry);
    // An object's row can be focused, because that emphasizes its box.
    if (Number.isInteger(entry?.index)) item.setAttribute("tabindex", "0");
    else item.removeAttribute("tabindex");
    setText(text, entry?.label ?? "");
    label.title = entry?.label ?? "";
    swatch.hidden = !entry?.color;
    swatch.style.background = entry?.color ?? "";
    setText(value, entry ? entry.text ?? score(entry.value) : "");
    bar.parentElement.hidden = !Number.isFinite(entry?.value);
    bar.style.transform = `scaleX(${Math.min(1, Math.max(0, entry?.value ?? 0))})`;
  }
}

/** Sets a text unless it is the same, which would cost a new layout. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Returns what the numbers of the list are, where that isn't a score. */
function titleText(result, length, top) {
  if (result.segmentation) return t("Share of the image");
  if (result.detections && length > top) return t("The first {top} of {length} objects", { top, length });
  return "";
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
