// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, icon } from "./dom.js";
import { colorOf } from "./annotationDrawing.js";
import { placeText } from "./annotation.js";
import { t, tn } from "./messages.js";

/** The controls for boxes and outlines, and the list of those in the current image. */
export class ShapePanel {
  root = el("div", { class: "shape-panel", hidden: true });
  #annotator;
  #names = [];
  #tools;
  #list = el("ol", { class: "shape-list", "aria-label": t("Boxes and outlines of this image") });
  #take;
  #finish;
  #nothing;

  /** `nothing` is called to say that there is nothing to find in an image. */
  constructor(annotator, nothing) {
    this.#annotator = annotator;
    const button = (id, text, action) => el(
      "button", { class: "button quiet small", type: "button", id, text, on: { click: action } }
    );
    this.#take = button("shape-take", "", () => annotator.take());
    this.#finish = button("shape-finish", t("Close the outline"), () => annotator.finish());
    this.#nothing = button("shape-nothing", t("Nothing to find here"), nothing);
    this.#tools = el(
      "div", { class: "segments", role: "radiogroup", "aria-label": t("Drawing tool") },
      [["box", t("Box")], ["polygon", t("Outline")]].map(([value, text]) => el("label", {},
        el("input", {
          type: "radio", name: "label-tool", value, on: { change: () => this.#use(value) },
        }), el("span", { text })))
    );
    this.root.append(
      el("div", { class: "actions" }, this.#tools, this.#finish, this.#take, this.#nothing), this.#list
    );
  }

  set names(names) {
    this.#names = names;
  }

  /** Shows the annotator's shapes. `isDone` says whether the image was decided. */
  show(isDone) {
    const { shapes, selected, suggestions, isDrawing, isOpen, tool } = this.#annotator;
    for (const input of this.#tools.querySelectorAll("input")) input.checked = input.value === tool;
    this.#take.hidden = suggestions.length === 0 || isDrawing;
    this.#take.textContent = tn(
      suggestions.length, "Take over the model's box", "Take over the model's {n} boxes"
    );
    this.#finish.hidden = !isDrawing;
    // Until the image is open, nothing can be kept about it.
    this.#nothing.hidden = !isOpen || shapes.length > 0 || isDrawing || isDone;
    this.#list.hidden = shapes.length === 0;
    const focused = this.#list.contains(document.activeElement);
    this.#list.replaceChildren(
      ...shapes.map((shape, index) => this.#row(shape, index, index === selected))
    );
    if (focused) this.#list.querySelector("[aria-pressed=true]")?.focus({ preventScroll: true });
  }

  #use(tool) {
    this.#annotator.tool = tool;
    this.#annotator.cancel();
    this.#annotator.focus();
  }

  #row(shape, index, isSelected) {
    const { label } = shape;
    const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.setProperty("--class", colorOf(shape.label, this.#names));
    return el("li", {},
      el(
        "button",
        {
          class: "shape-row", type: "button", "aria-pressed": String(isSelected),
          on: { click: () => this.#annotator.select(index) },
        },
        swatch, el("span", { class: "shape-name", text: label }),
        el("span", { class: "muted small", text: placeText(shape) })
      ),
      el(
        "button",
        {
          class: "plain", type: "button", "aria-label": t("Delete {name}", { name: label }),
          on: { click: () => this.#delete(index) },
        }, icon("close")
      ));
  }

  #delete(index) {
    this.#annotator.select(index);
    this.#annotator.remove();
  }
}
