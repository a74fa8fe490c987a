// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { FrameCapture, FrameLoop, pause } from "./frames.js";
import { t } from "./messages.js";
import { frameOptions } from "./models.js";
import { readablePicture } from "./pictures.js";

/** How many frames are in progress at once, at most: of one model, and of two that are compared. */
const most = { one: 3, two: 2 };

/** Runs the selected model, or two models that are compared, on frames and on still images. */
export class Running {
  #app;
  #stage;
  #display;
  #inference;
  #comparison;
  #notes;
  #capture = new FrameCapture();
  #loop = new FrameLoop((signal) => this.#runFrame(signal));

  constructor(app, stage, { display, inference, comparison, notes }) {
    this.#app = app;
    this.#stage = stage;
    this.#display = display;
    this.#inference = inference;
    this.#comparison = comparison;
    this.#notes = notes;
  }

  /** The image whose result is shown, or that waits for a result. */
  get picture() {
    return this.#inference.picture;
  }

  /** Starts to run on the frames of the video. */
  start() {
    this.#loop.start(this.#comparison.isOn ? most.two : most.one);
  }

  stop() {
    this.#loop.stop();
  }

  /** Starts over with another source or model. */
  begin(source, isMoving) {
    this.#display.begin(source, isMoving);
    this.#comparison.begin(source, isMoving);
  }

  /** Removes the results. */
  forget() {
    this.#display.forget();
    this.#comparison.forget();
  }

  /**
   * Discards the results of requests in progress. Returns a function that tells whether this has
   * happened again since.
   */
  renew() {
    this.#comparison.renew();
    return this.#inference.renew();
  }

  /** Resolves to a JPEG of the video's current frame, or to null. */
  async photo() {
    const photo = await this.#capture.take(this.#stage.video, { longest: 4096, quality: 0.95 });
    return photo?.blob ?? null;
  }

  /** Runs on the shown image again, if there is one. */
  async again(iterations) {
    const { picture } = this;
    if (!picture) return;
    const query = { iterations };
    const first = await this.#inference.run(picture, query);
    const { second } = this.#comparison;
    // One after the other, so that each has the server's processors for itself.
    if (second && picture === this.picture) {
      this.#comparison.judge(first?.result, (await second.inference.run(picture, query))?.result);
    }
  }

  /** Runs on the chosen frame of a paused video. */
  async showPausedFrame() {
    const isStale = this.renew();
    const frame = await this.#capture.take(this.#stage.video);
    if (!frame || isStale()) return;
    this.#inference.picture = frame.blob;
    this.#stage.showPicture(frame.blob, t("The frame at this position"));
    await this.again(1);
  }

  /** Shows the frame that the labels belong to, instead of the video. */
  async showPause() {
    const { picture } = this;
    if (!picture) return;
    this.#stage.showPicture(picture, t("The frame at the pause"), this.#stage.isMirrored);
    // The two models may have shown different frames.
    if (this.#comparison.isOn) await this.again(1);
    else await this.#inference.showPreviews(picture);
  }

  /** Shows an image and runs on it. */
  async showStill(picture, iterations) {
    const isStale = this.renew();
    const { api, server } = this.#app;
    this.forget();
    try {
      const blob = picture.file ? await readablePicture(picture.file) : await api.file(picture.address);
      if (isStale()) return;
      this.#stage.showPicture(blob, picture.name);
      if (blob.size > server.maximum_picture_bytes) {
        return this.#display.explain({ text: t("This image is larger than the server accepts.") });
      }
      this.#inference.picture = blob;
      await this.again(iterations);
    } catch (error) {
      if (!isStale()) this.#notes.explainImage(picture.name, error);
    }
  }

  /** Runs on a drawing, which the first stage shows already. */
  async showDrawing(picture) {
    this.#inference.picture = picture;
    this.#stage.twin?.showPicture(picture, t("Drawing"));
    await this.again(1);
  }

  #runFrame(signal) {
    const { second } = this.#comparison;
    return second ? this.#runOnBoth(second, signal) : this.#runOnOne(signal);
  }

  async #runOnOne(signal) {
    const moment = performance.now();
    const frame = await this.#take(frameOptions(this.#app.models.selected), signal);
    if (!frame) return null;
    await this.#loop.sending(signal);
    const query = { source: this.#display.session, iterations: 1 };
    const times = signal.aborted
      ? null : await this.#inference.run(frame.blob, query, signal, { ...frame, moment });
    frame.image?.close();
    return times;
  }

  /** Runs both models on the same frame, at the same time. */
  async #runOnBoth(second, signal) {
    const moment = performance.now();
    const { models } = this.#app;
    const longest = Math.max(
      ...[models.selected, this.#comparison.model].map((model) => frameOptions(model).longest)
    );
    const frame = await this.#take({ longest, keepsImage: true }, signal);
    if (!frame) return null;
    const copy = await createImageBitmap(frame.image);
    await this.#loop.sending(signal);
    const run = ({ inference, display, image }) => inference.run(
      frame.blob, { source: display.session, iterations: 1 }, signal,
      { image, isHeld: true, moment }
    );
    const results = signal.aborted ? [null, null] : await Promise.all([
      run({ inference: this.#inference, display: this.#display, image: frame.image }),
      run({ ...second, image: copy }),
    ]);
    frame.image.close();
    copy.close();
    if (signal.aborted || results.includes(null)) return null;
    const [a, b] = results;
    this.#comparison.judge(a.result, b.result);
    return { wait: a.wait + b.wait, work: a.work + b.work };
  }

  /** Takes a frame of the video. Before the first one, it waits and resolves to null. */
  async #take(options, signal) {
    const frame = await this.#capture.take(this.#stage.video, options);
    if (!frame) await pause(50, signal);
    return frame;
  }
}
