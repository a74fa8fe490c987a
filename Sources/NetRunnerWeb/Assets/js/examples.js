// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t } from "./messages.js";
import { isForDrawings } from "./models.js";

/**
 * Resolves to the images that a model brings along or, if it reads digits, those that come with the
 * server. There are none if the server doesn't respond.
 */
export async function sampleImages(api, model) {
  try {
    const examples = await examplesOf(api, model);
    if (examples.length > 0) return examples;
    const samples = isForDrawings(model) ? await api.samples() : [];
    return samples.map(({ name }) => ({ name, address: api.sampleAddress(name) }));
  } catch {
    return [];
  }
}

/** Resolves to the names and addresses of the files that a model brings along and takes. */
async function examplesOf(api, { id, takes }) {
  const isTaken = { image: isImage, recording: isRecording, fields: isObject }[takes];
  return (await api.examples(id)).filter(({ name }) => isTaken?.(name))
    .map(({ name }) => ({ name, address: api.exampleAddress(id, name) }));
}

/** The buttons that pass the examples of a model to a panel. */
export class ExampleButtons {
  root = el("div", { class: "examples", role: "group", "aria-label": t("Examples"), hidden: true });
  #choose;
  /** Counts what was asked for, so that a late answer to an earlier request is dropped. */
  #turn = 0;

  /** The function receives a file. */
  constructor(choose) {
    this.#choose = choose;
  }

  /** Offers the examples of a model. Without a response, there are none. */
  async show(api, model) {
    this.root.hidden = true;
    const isCurrent = this.#begin();
    const examples = await examplesOf(api, model).catch(() => []);
    if (!isCurrent()) return;
    this.root.hidden = examples.length === 0;
    this.root.replaceChildren(
      el("span", { class: "muted small", text: t("Examples") }),
      ...examples.map((example) => el("button", {
        class: "button quiet small", type: "button", text: example.name.replace(/\.\w+$/, ""),
        on: { click: () => this.#open(api, example) },
      }))
    );
  }

  /** Opens the first example, if there is one. */
  openFirst() {
    this.root.querySelector("button")?.click();
  }

  async #open(api, { name, address }) {
    const isCurrent = this.#begin();
    try {
      const blob = await api.file(address);
      if (isCurrent()) this.#choose(new File([blob], name, { type: blob.type }));
    } catch (error) {
      if (isCurrent()) this.#choose(null, error);
    }
  }

  /** Begins a request. Returns a function that tells whether no other one has begun since. */
  #begin() {
    this.#turn += 1;
    const turn = this.#turn;
    return () => turn === this.#turn;
  }
}

function isImage(name) {
  return /\.(jpe?g|png|bmp|webp)$/i.test(name);
}

function isRecording(name) {
  return /\.(wav|flac|ogg)$/i.test(name);
}

function isObject(name) {
  return /\.json$/i.test(name);
}
