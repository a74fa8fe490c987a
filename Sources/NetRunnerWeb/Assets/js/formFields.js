// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";

/*
 * Fields of model.json. `path` is the place that the server names in its errors, such as
 * `inputs[0].crop.fraction`, and `set` gets the new value.
 */

/** A text on one line, or on several. */
export function textField({ path, label, value = "", note, rows, placeholder, set }) {
  const input = rows
    ? el("textarea", { rows, placeholder, data: { path } })
    : el("input", { type: "text", placeholder, autocomplete: "off", data: { path } });
  input.value = value;
  input.addEventListener("input", () => set(input.value));
  return field(label, input, note);
}

/** A number, which is undefined if the field is empty. */
export function numberField({ path, label, value, note, limits = {}, placeholder, set }) {
  const input = el("input", {
    type: "number", inputmode: "decimal", step: "any", placeholder, ...limits, data: { path },
  });
  input.value = value ?? "";
  input.addEventListener("input", () => {
    if (input.value === "" && input.validity.badInput) return;
    set(input.value === "" ? undefined : Number(input.value));
  });
  return field(label, input, note, "number");
}

/** One of several values, given as pairs of a value and a text. */
export function choiceField({ path, label, value, note, choices, set }) {
  const options = choices.map(([each, text]) => el(
    "option", { value: each, text, selected: each === value }
  ));
  const select = el(
    "select", { data: { path }, on: { change: () => set(select.value) } }, options
  );
  return field(label, el("span", { class: "select" }, select), note);
}

export function tickField({ path, label, value, set }) {
  const input = el(
    "input", { type: "checkbox", data: { path }, on: { change: () => set(input.checked) } }
  );
  input.checked = Boolean(value);
  return el("label", { class: "tick" }, input, el("span", { text: label }));
}

/** A list of texts or numbers, with commas between them. */
export function listField({ path, label, value, note, isNumeric, placeholder, set }) {
  const change = (text) => {
    const parts = text.split(",").map((part) => part.trim()).filter(Boolean);
    if (parts.length === 0) return set(undefined);
    set(isNumeric ? parts.map((part) => (Number.isFinite(Number(part)) ? Number(part) : part)) : parts);
  };
  return textField({ path, label, value: (value ?? []).join(", "), note, placeholder, set: change });
}

/** Several fields side by side. */
export function fieldRow(...fields) {
  return el("div", { class: "field-row" }, fields);
}

/** Fields under a heading. */
export function fieldGroup(title, note, ...fields) {
  return el(
    "fieldset", { class: "form-group" }, el("legend", { text: title }),
    note ? el("p", { class: "muted small", text: note }) : null, fields
  );
}

function field(label, control, note, kind = "") {
  return el(
    "label", { class: `field ${kind}`.trim() }, el("span", { text: label }), control,
    note ? el("small", { text: note }) : null
  );
}
