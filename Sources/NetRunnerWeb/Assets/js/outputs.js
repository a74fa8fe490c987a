// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { number, percent } from "./format.js";
import { t } from "./messages.js";
import { rankedLabels } from "./readout.js";
import { className, hiddenAtFirst } from "./segmentation.js";

/** A model's outputs besides labels: the colors of its classes, images, and all its values. */
export class Outputs {
  onlegend = () => {};
  #root;
  #hidden = null;
  #figure = null;
  #legendKey = "";
  #legend = el("section", { class: "part" });
  #image = el("section", { class: "part" });
  #values = el(
    "details", { class: "part values" }, el("summary", { text: t("All values") }), el("div")
  );

  constructor(root) {
    this.#root = root;
    root.append(this.#legend, this.#image, this.#values);
    this.clear();
  }

  /** The colors of classes that are not drawn. */
  get hidden() {
    return this.#hidden ?? [];
  }

  clear() {
    this.#hidden = null;
    this.#legendKey = "";
    this.#figure = null;
    for (const part of [this.#legend, this.#image, this.#values]) part.hidden = true;
    this.#values.open = false;
    delete this.#values.dataset.opened;
    this.#legend.replaceChildren();
    this.#image.replaceChildren();
  }

  /** Shows a result. */
  show(result) {
    const { segmentation, image, outputs } = result;
    if (segmentation) this.#hidden ??= hiddenAtFirst(segmentation.classes);
    this.#legend.hidden = !segmentation;
    if (segmentation) this.#showLegend(segmentation.classes);
    this.#image.hidden = !image;
    if (image) this.#showImage(image);
    this.#values.hidden = !outputs || Object.keys(outputs).length === 0;
    if (!this.#values.hidden) this.#showValues(result);
  }

  #showLegend(classes) {
    const key = classes.map(({ index }) => index).join();
    if (key !== this.#legendKey) {
      this.#legendKey = key;
      this.#legend.replaceChildren(
        el("h3", { text: t("Classes") }),
        el("ul", { class: "legend" }, classes.map((each) => this.#legendRow(each))));
    }
    const shares = this.#legend.querySelectorAll(".share");
    classes.forEach(({ share }, place) => { shares[place].textContent = percent(share); });
  }

  #legendRow({ index, label, color }) {
    const swatch = el("span", { class: "swatch" });
    swatch.style.background = color;
    const box = el(
      "input", { type: "checkbox", on: { change: (event) => this.#toggle(color, event) } }
    );
    box.checked = !this.hidden.includes(color);
    return el(
      "li", {}, el("label", {}, box, swatch, el("span", { text: className({ index, label }) })),
      el("span", { class: "share" })
    );
  }

  #toggle(color, event) {
    this.#hidden = this.hidden.filter((each) => each !== color);
    if (!event.target.checked) this.#hidden.push(color);
    this.onlegend();
  }

  #showImage({ width, height, picture, minimum, maximum, unit }) {
    if (!this.#figure) {
      this.#figure = el("img", { alt: t("The image that the model returned") });
      this.#image.replaceChildren(
        el("h3", { text: t("Image from the model") }),
        el("figure", { class: "made" }, this.#figure, el("figcaption")));
    }
    this.#figure.src = picture;
    this.#image.querySelector("figcaption").textContent = [
      `${width} × ${height}`,
      Number.isFinite(minimum) ? t("from {minimum} to {maximum}", {
        minimum: number(minimum), maximum: [number(maximum), unit].filter(Boolean).join(" "),
      }) : null,
    ].filter(Boolean).join(", ");
  }

  #showValues(result) {
    const isOnlyAnswer = result.kind === "values" && !result.read_text && rankedLabels(result).length === 0;
    if (isOnlyAnswer && !this.#values.dataset.opened) {
      this.#values.open = true;
      this.#values.dataset.opened = "once";
    }
    if (!this.#values.open) return;
    const groups = outputGroups(result.outputs).map(({ name, text, rows }) => {
      const lines = rows.map(([label, value]) =>
        el(
          "tr", {}, el("th", { scope: "row", text: label }), el("td", { class: "n", text: value })
        ));
      return [
        el("h3", { text: name }),
        text ? el("p", { text }) : el("table", { class: "plain-table" }, el("tbody", {}, lines))
      ];
    });
    this.#values.lastChild.replaceChildren(...groups.flat());
  }
}

/** Converts outputs for people to `{name, text, rows}`. Rows are labels and values, best first. */
function outputGroups(outputs) {
  return Object.entries(outputs).map(([name, value]) => {
    if (typeof value === "number") return { name, text: number(value), rows: [] };
    if (typeof value === "string") return { name, text: value, rows: [] };
    if (Array.isArray(value)) return { name, text: listText(value), rows: [] };
    if (value === null || typeof value !== "object") return { name, text: t("none"), rows: [] };
    const entries = Object.entries(value);
    const isSize = entries.length === 2 && "width" in value && "height" in value;
    if (isSize) return { name, text: `${value.width} × ${value.height}`, rows: [] };
    const isScored = entries.every(([, each]) => typeof each === "number");
    const sorted = isScored ? entries.sort(([, a], [, b]) => b - a) : entries;
    return { name, text: "", rows: sorted.map(([label, each]) => [label, valueText(each)]) };
  });
}

/** Describes a value: a number, a text, a number with its unit, a label with its score, or a list. */
function valueText(value) {
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return listText(value);
  if (value === null || typeof value !== "object") return String(value);
  if ("label" in value) return `${value.label} ${number(value.score)}`;
  return [number(value.value), value.unit].filter(Boolean).join(" ");
}

function listText(values) {
  const shown = values.slice(0, 24).map(valueText);
  return shown.join(", ") + (values.length > 24 ? `, … (${values.length})` : "");
}
