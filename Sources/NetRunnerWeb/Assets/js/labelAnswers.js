// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { answerCount } from "./labeling.js";

/** The lowest score of an object that is worth showing as a suggestion. */
const leastScore = 0.3;

/** What a model says about images, which is remembered until another model is chosen. */
export class LabelAnswers {
  #api;
  #model = null;
  #asked = new Map();
  #known = new Map();

  constructor(api) {
    this.#api = api;
  }

  set model(model) {
    this.#model = model;
    this.#asked.clear();
    this.#known.clear();
  }

  /** Whether the model can say something about an image. */
  get isAble() {
    const kinds = ["classification", "detection"];
    return Boolean(this.#model?.can_run) && kinds.includes(this.#model.kind);
  }

  /** Returns the answer for an image, or undefined if there is none yet. */
  known(photo) {
    return this.#known.get(photo);
  }

  /** Resolves to the answer for an image: the best `answers`, and the `objects` that were found. */
  ask(photo) {
    const known = this.#asked.get(photo);
    if (known) return known;
    const asked = this.#request(photo);
    this.#asked.set(photo, asked);
    // A failure isn't remembered, so that the next attempt asks again.
    asked.catch(() => this.#asked.delete(photo));
    return asked;
  }

  /** Asks for several images, two at a time. Images that can't be read are left out. */
  async askAll(photos, { progress, signal }) {
    let [next, done] = [0, 0];
    const lane = async () => {
      while (next < photos.length && !signal.aborted) {
        const photo = photos[next];
        next += 1;
        try {
          await this.ask(photo);
        } catch (error) {
          if (error.code === "server_gone") throw error;
        }
        done += 1;
        if (!signal.aborted) progress(done);
      }
    };
    await Promise.all([lane(), lane()]);
  }

  async #request(photo) {
    const model = this.#model;
    const picture = await photo.read();
    // Every answer is wanted, even that of a model whose best value is small or negative.
    const query = { top: answerCount, threshold: model.kind === "detection" ? leastScore : -1e9 };
    const result = await this.#api.infer(model.id, picture, query);
    const answer = {
      answers: result.classes?.map(({ label, value }) => ({ label, value })),
      objects: result.detections?.filter(({ score }) => score >= leastScore),
    };
    if (model === this.#model) this.#known.set(photo, answer);
    return answer;
  }
}
