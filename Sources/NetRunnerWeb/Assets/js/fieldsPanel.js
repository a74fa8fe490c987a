// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { debounced, el } from "./dom.js";
import { ExampleButtons } from "./examples.js";
import { t, tn } from "./messages.js";

/** Runs a model on texts, words and numbers that are filled in. */
export class FieldsPanel {
  #api;
  #inference;
  #display;
  #model = null;
  #fields = [];
  #form = el("form", { class: "fields", on: {
    input: debounced(250, () => this.run()), submit: (event) => event.preventDefault()
  } });
  #examples = new ExampleButtons((file, error) => this.#fill(file, error));
  root = el("div", { class: "fields-panel" }, this.#examples.root, this.#form);

  constructor(api, inference, display) {
    this.#api = api;
    this.#inference = inference;
    this.#display = display;
  }

  /**
   * Shows the fields of a model. What was filled in stays while the model does. Otherwise, the panel can
   * start with the model's first example.
   */
  async open(model, { startsWithExample = false } = {}) {
    const { id, fields } = model;
    // A model that is replaced keeps its identifier, but may have other fields.
    const key = JSON.stringify([id, fields]);
    const isNew = key !== this.#model;
    if (isNew) {
      this.#model = key;
      this.#fields = fields.map((field) => ({ field, control: control(field) }));
      this.#form.replaceChildren(...this.#fields.map(labelled));
    }
    this.run();
    await this.#examples.show(this.#api, model);
    if (startsWithExample && isNew) this.#examples.openFirst();
  }

  pause() {}

  toggle() {}

  take() {
    return false;
  }

  /** Fills in the values of an example, which is a JSON object. */
  async #fill(file, error) {
    try {
      if (!file) throw error;
      const values = JSON.parse(await file.text());
      for (const { field, control: node } of this.#fields) {
        const value = values[field.name];
        if (value !== undefined) node.value = [value].flat(Infinity).join(" ");
      }
    } catch (problem) {
      return this.#display.explain({ text: t("The example can't be loaded."), detail: problem.message });
    }
    await this.run();
  }

  /** Runs the model on what is filled in, unless it is incomplete. */
  async run() {
    this.#inference.renew();
    const hints = this.#fields.map(hint).filter(Boolean);
    if (hints.length > 0) {
      this.#display.forget();
      return this.#display.hint(hints[0]);
    }
    const values = Object.fromEntries(
      this.#fields.map((each) => [each.field.name, valueOf(each)])
    );
    const body = new Blob([JSON.stringify({ values })], { type: "application/json" });
    await this.#inference.run(body, { iterations: 1 });
  }
}

function labelled({ field, control: node }) {
  const isSelect = field.form === "word";
  return el(
    "label", { class: "field" }, el("span", { text: title(field) }),
    isSelect ? el("span", { class: "select" }, node) : node,
    field.form === "numbers" ? el("small", { text: numbersHint(field) }) : null
  );
}

function title({ name, form, is_required: isRequired }) {
  if (form !== "text") return name;
  const shown = { text: t("Text"), second: t("Second text") }[name] ?? name;
  return isRequired ? shown : t("{name} (optional)", { name: shown });
}

function numbersHint({ count, shape }) {
  return tn(
    count, "{n} number. The shape is {shape}.",
    "{n} numbers, separated by spaces or commas. The shape is {shape}.", { shape: shape.join(" × ") }
  );
}

function control({ name, form, typical, words }) {
  if (form === "text") return el("textarea", { name, rows: 3, text: typical });
  if (form === "numbers") {
    return el("textarea", { name, rows: 2, spellcheck: "false", text: typical.join(" ") });
  }
  if (form === "word") {
    const select = el("select", { name }, words.map((text) => el("option", { value: text, text })));
    select.value = typical;
    return select;
  }
  return el("input", { name, inputmode: "decimal", autocomplete: "off", value: typical ?? "" });
}

/** Returns the value for the server, which says what is wrong with a text that isn't a number. */
function valueOf({ field, control: { value } }) {
  if (field.form === "text" || field.form === "word") return value;
  if (field.form === "number") return numberOf(value.trim());
  return value.split(/[\s,;]+/).filter(Boolean).map(numberOf);
}

/** Returns what is still missing of a field, or null. */
function hint({ field: { name, form, is_required: isRequired, count }, control: { value } }) {
  const text = value.trim();
  if (text === "") {
    if (!isRequired) return null;
    return form === "text" ? t("Enter a text.") : t("Enter a number for {name}.", { name });
  }
  if (form === "number" && typeof numberOf(text) !== "number") return t("{name} takes a number.", { name });
  if (form !== "numbers") return null;
  const numbers = valueOf({ field: { form }, control: { value } });
  const wrong = numbers.find((each) => typeof each !== "number");
  if (wrong !== undefined) return t("{name} takes numbers, but has “{wrong}”.", { name, wrong });
  return numbers.length === count ? null : tn(
    count, "{name} takes {n} number, but has {actual}.", "{name} takes {n} numbers, but has {actual}.",
    { name, actual: numbers.length }
  );
}

function numberOf(text) {
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
