// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, icon } from "./dom.js";
import { percent, score } from "./format.js";
import { LabelSearch, choiceOfKey, choicesFor, keyOfChoice, withRecent } from "./labeling.js";
import { t, tn } from "./messages.js";

/** The panel to choose a label: a list to choose from with keys, a text field, or a number field. */
export class LabelPanel {
  root = el("div", { class: "label-panel" });
  /** What the view adds between the image's name and the labels. */
  slot = el("div", { class: "label-slot" });
  #actions;
  #labels = [];
  #search = new LabelSearch([]);
  #isNumber = false;
  #answers = null;
  #recent = [];
  #pressed = null;
  #name = el("h2", { class: "label-name", tabindex: "-1" });
  #given = el("p", { id: "label-given" });
  #note = el("div", { class: "label-note muted small", id: "label-note", role: "status", hidden: true });
  #field = el("input", { id: "label-text", autocomplete: "off", spellcheck: "false" });
  #fieldName = el("span");
  #list = el("ul", { class: "choices label-choices", "aria-label": t("Labels") });
  #undo;

  /** The actions are choose(label), skip, back and undo. */
  constructor(actions) {
    this.#actions = actions;
    const button = (id, text, iconName, action) => el(
      "button", { class: "button quiet small", id, type: "button", on: { click: action } },
      icon(iconName), text
    );
    this.#undo = el("button", {
      class: "button quiet small", id: "label-undo", type: "button", text: t("Undo"),
      on: { click: actions.undo },
    });
    this.#field.addEventListener("input", () => this.#fill());
    this.root.append(
      this.#name, this.#given, this.slot,
      el("form", { on: { submit: (event) => this.#submit(event) } },
        el("label", { class: "field" }, this.#fieldName, this.#field)),
      this.#note, this.#list,
      el(
        "div", { class: "actions" }, button("label-back", t("Previous"), "left", actions.back),
        button("label-skip", t("Next"), "right", actions.skip), this.#undo
      ));
  }

  /** Whether the field has text, for which keys such as undo are then meant. */
  get hasText() {
    return this.#field.value !== "";
  }

  /** Whether typing is the only way to label. */
  get needsText() {
    return this.#labels.length === 0;
  }

  setModel({ labels = [], kind }, isForShapes) {
    if (this.#labels !== labels) {
      this.#labels = labels;
      this.#search = new LabelSearch(labels);
      this.#recent = [];
    }
    this.#isNumber = labels.length === 0 && kind === "values" && !isForShapes;
    this.#fieldName.textContent = this.#isNumber
      ? t("Number") : labels.length > 0 ? t("Search a label") : t("Label");
    this.#field.inputMode = this.#isNumber ? "decimal" : "text";
    this.#field.placeholder = labels.length > 10 ? tn(labels.length, "{n} label", "{n} labels") : "";
    this.#field.value = "";
    this.#fill();
  }

  /** Shows an image or a shape: its name, what is known about it, and the label that it has. */
  show({ name, text, label, isDone, canUndo }) {
    this.#name.textContent = name;
    this.#given.textContent = text;
    this.#given.classList.toggle("good", isDone);
    this.#undo.disabled = !canUndo;
    this.#pressed = label;
    this.#mark();
  }

  /**
   * Offers the model's answers, or the model's labels if there are none. The note says why, and has a
   * button if something can be done about it.
   */
  offer(answers, note = null) {
    this.#answers = answers;
    this.#note.hidden = note === null;
    const { text = "", button, action } = note ?? {};
    this.#note.replaceChildren(el("span", { text }), ...(button ? [el(
      "button", { class: "button quiet small", type: "button", text: button, on: { click: action } }
    )] : []));
    this.#fill();
  }

  focus() {
    this.#field.focus();
  }

  isField(target) {
    return target === this.#field;
  }

  /**
   * Handles a key that was pressed in the field or nowhere in particular. Returns whether it had a
   * meaning.
   */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const place = choiceOfKey(event.key);
    const button = place >= 0 && this.#list.querySelector(`[data-place="${place}"]`);
    if (button && !this.hasText && !this.#isNumber) {
      event.preventDefault();
      button.click();
      return true;
    }
    if (event.key !== "Escape" || !this.hasText) return false;
    this.#field.value = "";
    this.#fill();
    return true;
  }

  #fill() {
    const found = this.#search.matching(this.#field.value).map((label, place) => (
      { label, place: null, isFirst: place === 0, kind: "label" }
    ));
    const offered = () => choicesFor(this.#labels, this.#answers, this.#recent);
    const shown = this.#isNumber ? [] : this.hasText ? found : offered();
    this.#list.replaceChildren(...shown.map((choice) => this.#choice(choice)));
    this.#list.hidden = shown.length === 0;
    this.#field.setCustomValidity("");
    this.#mark();
  }

  #choice({ label, value, place, isFirst, kind }) {
    const keyName = isFirst ? "Enter" : place === null ? null : keyOfChoice(place);
    return el("li", { class: kind }, el(
      "button",
      {
        class: "choice", type: "button", data: place === null ? { label } : { label, place },
        on: { click: () => this.#choose(label) },
      },
      keyName && el("kbd", { text: keyName }), el("span", { class: "label-choice-name", text: label }),
      value === undefined ? null : el("span", { class: "label-score muted", text: scoreText(value) })
    ));
  }

  #mark() {
    for (const button of this.#list.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.label === this.#pressed));
    }
  }

  #submit(event) {
    event.preventDefault();
    const text = this.#field.value.trim();
    if (!text) return;
    if (this.#isNumber) {
      const value = Number(text.replace(",", "."));
      if (!Number.isFinite(value)) return this.#refuse(t("This isn't a number."));
      return this.#choose(value);
    }
    const [first] = this.#search.matching(text, 1);
    if (this.#labels.length > 0 && !first) return this.#refuse(t("The model doesn't have this label."));
    this.#choose(first ?? text);
  }

  #refuse(text) {
    this.#field.setCustomValidity(text);
    this.#field.reportValidity();
  }

  #choose(label) {
    this.#field.value = "";
    if (typeof label === "string") this.#recent = withRecent(this.#recent, label);
    // The list is made again, so a focused choice would lose the focus to the page.
    if (this.#list.contains(document.activeElement)) this.#name.focus({ preventScroll: true });
    this.#fill();
    this.#actions.choose(label);
  }
}

/** A score as a percentage, or as a number if it can't be a share. */
function scoreText(value) {
  return value >= 0 && value <= 1 ? percent(value, 0) : score(value);
}
