// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { t } from "./messages.js";

/** How `tensorio init` marks texts of model.json that are still missing. */
const missing = "(fill in:";

/** Whether a text of model.json isn't the mark of something that is still missing. */
export function isFilledIn(text) {
  return typeof text === "string" && text !== "" && !text.startsWith(missing);
}

/**
 * A model's description while people change it: its model.json as a text and as an object, and the labels by
 * the names of their files.
 */
export class Description {
  /** The parsed model.json. After a change to it, call `update()`. */
  model;
  labels;
  #text;
  #original;
  #originalLabels;

  constructor({ text, labels }) {
    this.#text = text;
    this.model = parsed(text);
    this.labels = structuredClone(labels);
    this.#original = JSON.stringify(this.model);
    this.#originalLabels = labels;
  }

  get text() {
    return this.#text;
  }

  /** Takes a text. Throws a `SyntaxError`, and keeps the former object, if it isn't JSON. */
  set text(text) {
    this.#text = text;
    this.model = parsed(text);
  }

  /** Writes the text for a changed object. */
  update() {
    this.#text = `${formatted(this.model)}\n`;
  }

  get isChanged() {
    return !this.#isParsable || JSON.stringify(this.model) !== this.#original
      || Object.keys(this.#changedLabels).length > 0;
  }

  /** What the server gets. */
  get request() {
    return { text: this.#text, labels: this.#changedLabels };
  }

  get #isParsable() {
    try {
      parsed(this.#text);
      return true;
    } catch {
      return false;
    }
  }

  /** The files of labels that differ from the server's, of those that an output names. */
  get #changedLabels() {
    const { outputs } = this.model;
    const used = new Set(Array.isArray(outputs) ? outputs.map(labelsFile) : []);
    return Object.fromEntries(Object.entries(this.labels).filter(([file, names]) =>
      used.has(file) && JSON.stringify(names) !== JSON.stringify(this.#originalLabels[file])));
  }
}

/** Returns the name of an output's file of labels, or undefined. */
export function labelsFile(output) {
  return output?.labels ?? output?.decode?.labels;
}

/** Parses model.json, which may have commas before closing brackets. */
function parsed(text) {
  const plain = text.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === "," ? "" : part));
  const model = JSON.parse(plain);
  if (model === null || typeof model !== "object" || Array.isArray(model)) {
    throw new SyntaxError(t("model.json isn't an object."));
  }
  return model;
}

/** Formats JSON as `tensorio init` does, with lists of plain values on one line. */
function formatted(value, indentation = "") {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const inner = `${indentation}  `;
  if (Array.isArray(value)) {
    const isPlain = value.every((each) => each === null || typeof each !== "object");
    const line = `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
    if (isPlain && line.length <= 80) return line;
    return `[\n${value.map((each) => inner + formatted(each, inner)).join(",\n")}\n${indentation}]`;
  }
  const members = Object.entries(value).filter(([, each]) => each !== undefined).map(
    ([key, each]) => `${inner}${JSON.stringify(key)}: ${formatted(each, inner)}`
  );
  return members.length > 0 ? `{\n${members.join(",\n")}\n${indentation}}` : "{}";
}
