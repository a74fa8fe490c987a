// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { t } from "./messages.js";

/** The server's models, and the selected one. Sends "load" and "select". */
export class Models extends EventTarget {
  list = [];
  unreadable = [];
  selected = null;
  /** Whether the server has told which models there are. */
  isKnown = false;
  #api;
  #settings;
  #details = new Map();
  #fallback = "";
  /** How many models have each name. */
  #counts = new Map();

  constructor(api, settings) {
    super();
    this.#api = api;
    this.#settings = settings;
  }

  /** Loads the list from the server. The selected model stays selected if it still exists. */
  async load() {
    const answer = await this.#api.models();
    this.list = answer.models;
    this.isKnown = true;
    this.unreadable = answer.unreadable ?? [];
    this.#fallback = answer.default;
    this.#counts.clear();
    for (const { name } of this.list) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#details.clear();
    const before = this.selected?.id;
    this.selected = this.find(before) ?? this.#first();
    this.dispatchEvent(new Event("load"));
    if (this.selected?.id !== before) this.dispatchEvent(new Event("select"));
  }

  /** Returns the model with an identifier, or undefined. */
  find(id) {
    return this.list.find((model) => model.id === id);
  }

  /** Whether there are no models except those that came with the program. */
  get areAllShipped() {
    return this.list.length > 0 && this.list.every((model) => model.is_shipped);
  }

  /** Whether the selected model came with the program, like all others, and reads digits. */
  get onlyReadDigits() {
    return this.areAllShipped && isForDrawings(this.selected);
  }

  /** Returns a model's name, with its identifier if other models have the same name. */
  nameOf(model) {
    return this.#counts.get(model.name) > 1 ? `${model.name} (${model.id})` : model.name;
  }

  /**
   * Returns the name of the model with an identifier, or the identifier if the model no longer
   * exists.
   */
  nameOfID(id) {
    const model = this.find(id);
    return model ? this.nameOf(model) : id;
  }

  /** Resolves to a model with all its details. */
  async details(id) {
    if (!this.#details.has(id)) this.#details.set(id, await this.#api.model(id));
    return this.#details.get(id);
  }

  /** Selects a model. */
  select(id) {
    const model = this.find(id);
    if (!model || model === this.selected) return;
    this.selected = model;
    this.dispatchEvent(new Event("select"));
  }

  /** Deletes a model from the server. */
  async delete(id) {
    await this.#api.deleteModel(id);
    await this.load();
  }

  #first() {
    return this.find(this.#settings.values.defaultModel) ?? this.find(this.#fallback)
      ?? this.list.find((model) => model.can_run) ?? this.list[0] ?? null;
  }
}

/** Whether a model suits the drawing pad, because it sees small squares. */
export function isForDrawings(model) {
  const { width, height } = model?.input ?? {};
  return Boolean(
    model?.can_run
  ) && model.kind === "classification" && width === height && width <= 64;
}

/**
 * Returns how frames of a video are captured for a model. What a model finds in places of the image
 * is shown over the frame itself, which is therefore kept. Otherwise, twice the size that the model
 * sees is enough.
 */
export function frameOptions({ kind, input }) {
  if (kind !== "classification" && kind !== "values") return { longest: 640, keepsImage: true };
  const { width, height } = input ?? { width: 320, height: 320 };
  return { longest: Math.min(640, Math.max(320, 2 * Math.max(width, height))) };
}

/** Returns the models whose name, identifier or kind contain all words of a search. */
export function matching(models, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter((model) => {
    const { name, id, kind, author, details } = model;
    const text = [name, id, kind, kindName(kind), author, details].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Describes what a kind of model does. */
export function kindName(kind) {
  const names = {
    classification: t("Classification"), segmentation: t("Segmentation"), detection: t("Detection"),
    keypoints: t("Keypoints"), image: t("Image to image"), values: t("Values"),
  };
  return names[kind] ?? kind;
}
