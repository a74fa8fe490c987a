// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, icon } from "./dom.js";
import { number, whole } from "./format.js";
import { choiceOfKey, keyOfChoice, matchingLabels } from "./labeling.js";

/** The panel to label an image: a list to choose from with keys, a text field, or a number field. */
export class LabelPanel {
  root = el("div", { class: "label-panel" });
  #actions;
  #labels = [];
  #isNumber = false;
  #name = el("h2", { class: "label-name" });
  #given = el("p", { id: "label-given" });
  #field = el("input", { id: "label-text", autocomplete: "off", spellcheck: "false" });
  #fieldName = el("span");
  #list = el("ul", { class: "choices label-choices", "aria-label": "Labels" });
  #undo;
  #help = el("p", {
    class: "muted keys"
  }, key("1"), " to ", key("9"), " and ", key("0"), " pick, letters search, ",
    key("Enter"), " takes the first, ", key("→"), " skips, ", key("Ctrl Z"), " undoes.");

  /** The actions are choose(label), skip, back and undo. */
  constructor(actions) {
    this.#actions = actions;
    const button = (id, text, iconName, action) =>
      el(
        "button", { class: "button quiet small", id, type: "button", on: { click: action } },
        icon(iconName), text
      );
    this.#undo = el(
      "button",
      {
        class: "button quiet small", id: "label-undo", type: "button", text: "Undo",
        on: { click: actions.undo }
      }
    );
    this.#field.addEventListener("input", () => this.#fill());
    this.root.append(
      this.#name, this.#given,
      el("form", { on: { submit: (event) => this.#submit(event) } },
        el("label", { class: "field" }, this.#fieldName, this.#field)),
      this.#list,
      el(
        "div", { class: "actions" }, button("label-back", "Back", "left", actions.back),
        button("label-skip", "Skip", "right", actions.skip), this.#undo
      ),
      this.#help);
  }

  /** Whether the field has text, for which keys such as undo are then meant. */
  get hasText() {
    return this.#field.value !== "";
  }

  setModel({ labels = [], kind }) {
    this.#labels = labels;
    this.#isNumber = labels.length === 0 && kind === "values";
    this.#help.hidden = labels.length === 0;
    this.#fieldName.textContent = this.#isNumber ? "Number" : labels.length > 0 ? "Search a label" : "Label";
    this.#field.inputMode = this.#isNumber ? "decimal" : "text";
    this.#field.placeholder = labels.length > 10 ? `${whole(labels.length)} labels` : "";
    this.#field.value = "";
    this.#fill();
  }

  show({ name, label, canUndo }) {
    this.#name.textContent = name;
    const text = [label].flat().map(
      (each) => (typeof each === "number" ? number(each) : each)
    ).join(", ");
    this.#given.textContent = label === null ? "No label yet" : `Labeled ${text}`;
    this.#given.classList.toggle("good", label !== null);
    this.#undo.disabled = !canUndo;
    for (const button of this.#list.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", button.dataset.label === label);
    }
  }

  /** Focuses the field if typing is the only way to label. */
  focus() {
    if (this.#labels.length === 0) this.#field.focus();
  }

  isField(target) {
    return target === this.#field;
  }

  /** Handles a key that was pressed in the field or nowhere in particular. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const place = choiceOfKey(event.key);
    const button = this.#list.querySelectorAll("button")[place];
    const isEmpty = !this.hasText;
    if (button && isEmpty && !this.#isNumber) {
      event.preventDefault();
      button.click();
    } else if (isEmpty && event.key === "ArrowRight") {
      this.#actions.skip();
    } else if (isEmpty && event.key === "ArrowLeft") {
      this.#actions.back();
    } else if (event.key === "Escape") {
      this.#field.value = "";
      this.#fill();
    } else if (event.key.length === 1 && event.key !== " ") {
      this.#field.focus();
    }
  }

  #fill() {
    const shown = this.#isNumber ? [] : matchingLabels(this.#labels, this.#field.value);
    this.#list.replaceChildren(...shown.map((label, place) => el("li", {},
      el("button", {
        class: "choice", type: "button", data: { label }, on: { click: () => this.#choose(label) }
      },
        key(keyOfChoice(place)), el("span", { text: label })))));
    this.#list.hidden = shown.length === 0;
    this.#field.setCustomValidity("");
  }

  #submit(event) {
    event.preventDefault();
    const text = this.#field.value.trim();
    if (!text) return;
    if (this.#isNumber) {
      const value = Number(text.replace(",", "."));
      if (!Number.isFinite(value)) return this.#refuse("This isn't a number.");
      return this.#choose(value);
    }
    const [first] = matchingLabels(this.#labels, text);
    if (this.#labels.length > 0 && !first) return this.#refuse("The model doesn't have this label.");
    this.#choose(first ?? text);
  }

  #refuse(text) {
    this.#field.setCustomValidity(text);
    this.#field.reportValidity();
  }

  #choose(label) {
    this.#field.value = "";
    this.#fill();
    this.#actions.choose(label);
  }
}

function key(text) {
  return el("kbd", { text });
}
