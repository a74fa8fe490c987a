// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/**
 * Lets the model look at all images, to find the most uncertain ones, and evaluates it on the labelled
 * ones.
 */
export class LabelLoop {
  #app;
  #head;
  #stopper = null;
  #upload = null;

  constructor(app, head) {
    this.#app = app;
    this.#head = head;
  }

  /** Asks for all images that the model hasn't seen, until the user cancels it. */
  async rank(all, answers) {
    this.cancel();
    const stopper = new AbortController();
    this.#stopper = stopper;
    const photos = all.filter((photo) => !answers.known(photo));
    const progress = (done) => this.#head.rank(done, photos.length);
    if (photos.length > 0) progress(0);
    try {
      await answers.askAll(photos, { progress, signal: stopper.signal });
    } catch (error) {
      this.#app.notices.warn(error.message);
    }
    if (stopper === this.#stopper) this.#head.rank(null);
  }

  cancel() {
    this.#stopper?.abort();
    this.#head.rank(null);
  }

  /** Whether a model can be compared with labels of whole images, or with shapes. */
  canEvaluate({ can_run: canRun, kind }, isForShapes) {
    const kinds = isForShapes ? ["detection"] : ["classification", "values"];
    return canRun && kinds.includes(kind);
  }

  /** Evaluates a model on what was labelled, and shows the evaluation. */
  async evaluate(keeper, isForShapes) {
    const { api, notices } = this.#app;
    const { id } = keeper.model;
    try {
      await keeper.whenSent();
      // The images of the evaluation before are no longer needed. The server also deletes them later.
      if (this.#upload) await api.deleteUpload(this.#upload).catch(() => {});
      this.#upload = (await api.uploadLabels(id, isForShapes ? "coco" : "testbundle")).id;
      const evaluation = await api.startEvaluation({ models: [id], upload: this.#upload });
      this.#app.go("evaluate", evaluation.id);
    } catch (error) {
      notices.warn(error.message);
    }
  }
}
