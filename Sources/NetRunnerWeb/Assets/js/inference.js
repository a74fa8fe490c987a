// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { pause } from "./frames.js";
import { Lane } from "./lane.js";

/**
 * Runs the selected model on one image at a time. It shows the result, unless the result is no
 * longer wanted by then.
 */
export class Inference {
  /** The image whose result is shown, or that waits for a result. */
  picture = null;
  #app;
  #display;
  #lane = new Lane();
  #epoch = 0;

  constructor(app, display) {
    this.#app = app;
    this.#display = display;
  }

  /**
   * Discards the results of requests in progress. Returns a function that tells whether this has
   * happened again since.
   */
  renew() {
    this.#epoch += 1;
    this.picture = null;
    const epoch = this.#epoch;
    return () => epoch !== this.#epoch;
  }

  /** Runs the model on an image. A signal means that the image comes from a loop of frames. */
  async run(picture, query, signal) {
    const { api, models, settings } = this.#app;
    const model = models.selected;
    if (!model.can_run) {
      this.#display.explain(`${models.nameOf(model)} can't run here. ${model.reason ?? ""}`);
      return pause(500, signal);
    }
    const { top, threshold, showInputBuffers, showInputBufferAlpha } = settings.values;
    const previews = showInputBuffers ? {
      previews: true, alpha: showInputBufferAlpha || null
    } : {};
    const epoch = this.#epoch;
    const isStale = () => signal?.aborted || epoch !== this.#epoch || model !== models.selected;
    try {
      const all = { top, threshold, ...previews, ...query };
      const result = await this.#lane.run(() => api.infer(model.id, picture, all));
      if (!result || isStale()) return;
      this.picture = picture;
      this.#display.show(result);
    } catch (error) {
      if (!isStale()) await this.#recover(error, signal);
      if (error.code === "too_busy" && !signal && !isStale()) await this.run(picture, query);
    }
  }

  /** Waits for a time that depends on the error. */
  async #recover(error, signal) {
    const { connection, models } = this.#app;
    if (error.code === "server_gone") return connection.whenBack();
    if (error.code === "model_not_found") return models.load().catch(() => connection.whenBack());
    this.#display.explain(error.message);
    await pause(error.code === "too_busy" ? 1000 * error.retryAfter : 1000, signal);
  }
}
