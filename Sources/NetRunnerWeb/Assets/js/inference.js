// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { pause } from "./frames.js";
import { Lane } from "./lane.js";
import { t } from "./messages.js";

/** The time between two previews of moving images, in milliseconds. */
const previewInterval = 333;

/**
 * Runs the selected model, or another one, on one still image at a time, or on several frames at once.
 * It doesn't show a result if the user has chosen something else since, or if a newer frame's result is
 * shown already.
 */
export class Inference {
  /** The image whose result is shown, or that waits for a result. */
  picture = null;
  #app;
  #display;
  #model;
  #lane = new Lane();
  #epoch = 0;
  #started = 0;
  #shown = 0;
  #nextPreviews = 0;

  constructor(app, display, model = () => app.models.selected) {
    this.#app = app;
    this.#display = display;
    this.#model = model;
  }

  /**
   * Discards the results of requests in progress. Returns a function that tells whether this has
   * happened again since.
   */
  renew() {
    this.#epoch += 1;
    this.#nextPreviews = 0;
    this.picture = null;
    const epoch = this.#epoch;
    return () => epoch !== this.#epoch;
  }

  /**
   * Runs the model on an image. A signal means that the image comes from a loop of frames. A frame
   * is then the image and the moment when it was taken. Resolves to the times that `FrameLoop`
   * wants, and the result, or to null.
   */
  async run(picture, query, signal, frame = {}) {
    const { api, models, settings } = this.#app;
    const model = this.#model();
    if (!model.can_run) {
      this.#display.explain(cannotRun(models.nameOf(model), model.reason));
      await pause(500, signal);
      return null;
    }
    const { top, threshold } = settings.values;
    const previews = this.#previewQuery(Boolean(signal));
    const epoch = this.#epoch;
    this.#started += 1;
    const order = this.#started;
    const isStale = () => signal?.aborted || epoch !== this.#epoch || model !== this.#model();
    try {
      const all = { top, threshold, ...previews, ...query };
      const infer = () => api.infer(model.id, picture, all);
      const result = await (signal ? infer() : this.#lane.run(infer));
      if (!result || isStale()) return null;
      if (order > this.#shown) {
        this.#shown = order;
        this.picture = picture;
        this.#display.show(result, { ...frame, runs: query.iterations });
      }
      return { wait: result.latency_ms.wait, work: result.latency_ms.total, result };
    } catch (error) {
      const again = signal ? null : () => this.run(picture, query);
      if (!isStale()) await this.#recover(error, signal, again);
      if (error.code === "too_busy" && !signal && !isStale()) await this.run(picture, query);
      return null;
    }
  }

  /** Shows what the model sees of an image, apart from its result. */
  async showPreviews(picture) {
    const query = this.#previewQuery(false);
    if (!query.previews) return;
    try {
      const { previews } = await this.#app.api.infer(this.#model().id, picture, query);
      if (picture === this.picture) this.#display.showPreviews(previews);
    } catch {
      // The previews of the frames before stay.
    }
  }

  /** The query for previews, which moving images get only a few times a second. */
  #previewQuery(isMoving) {
    const { showInputBuffers, showInputBufferAlpha } = this.#app.settings.values;
    const now = performance.now();
    if (!showInputBuffers || this.#display.isCompared || (isMoving && now < this.#nextPreviews)) return {};
    this.#nextPreviews = now + previewInterval;
    return { previews: true, alpha: showInputBufferAlpha || null };
  }

  /** Waits for a time that depends on the error. */
  async #recover(error, signal, again) {
    const { connection, models, server } = this.#app;
    if (error.code === "server_gone") return connection.whenBack();
    if (error.code === "model_not_found") return models.load().catch(() => connection.whenBack());
    // If the server says why no model runs, the page shows that above all views.
    if (!server.problem) this.#display.explain(this.#failure(error, again));
    await pause(error.code === "too_busy" ? 1000 * error.retryAfter : 1000, signal);
  }

  /** Describes an error. The server's sentence explains what people can change, such as the image. */
  #failure({ code, status, message }, again) {
    const { models } = this.#app;
    if (code === "model_cannot_run") return cannotRun(models.nameOf(this.#model()), message);
    if (status < 500 || code === "too_busy") return { text: message };
    return {
      text: t("The model failed on this image."), detail: message,
      action: again ? [t("Try again"), again] : null,
    };
  }
}

function cannotRun(model, reason) {
  return { text: t("{model} can't run here. Choose another model.", { model }), detail: reason };
}
