// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId } from "./dom.js";
import { score } from "./format.js";
import { above, hasScores, objectAt } from "./found.js";
import { Outputs } from "./outputs.js";
import { Overlay, isSpatial } from "./overlay.js";
import { Previews } from "./previews.js";
import { Readout, topLabel } from "./readout.js";
import { Meter } from "./statistics.js";

const page = Math.random().toString(36).slice(2, 10);

/** Everything around the image that shows the model's result. */
export class LiveDisplay {
  #app;
  #stage;
  #overlay;
  #previews = new Previews(byId("previews"));
  #readout = new Readout();
  #outputs = new Outputs(byId("outputs"));
  #problem = byId("problem");
  #meter = new Meter();
  #counter = 0;
  #source = "";
  #result = null;
  #threshold = byId("threshold");
  /** The object under the pointer: on the image, and in the list. */
  #pointed = { image: null, list: null };

  constructor(app, stage) {
    this.#app = app;
    this.#stage = stage;
    this.#overlay = new Overlay(stage.overlay);
    this.#outputs.onlegend = () => this.#draw();
    this.#readout.setTop(app.settings.values.top);
    this.#readout.onpoint = (index) => this.#light("list", index);
    stage.onpoint = (point) => this.#pointAt(point);
    stage.onlayout = (area) => {
      this.#overlay.area = area;
      this.#draw();
    };
    this.#threshold.addEventListener("input", () => {
      app.settings.set("threshold", Number(this.#threshold.value));
    });
    app.settings.addEventListener("change", () => this.#showThreshold());
    this.#showThreshold();
  }

  /**
   * Starts over, because another source or model has its own averages and must not fade into
   * earlier results.
   */
  begin(source, isMoving) {
    this.#counter += 1;
    this.#source = source.slice(0, 24);
    this.#meter = new Meter();
    for (const id of ["rate", "age-figure", "age-row"]) byId(id).hidden = !isMoving;
    this.forget();
    this.#previews.show(null);
    this.#outputs.clear();
  }

  /**
   * The name of this session for the server, which lets the frames of a session fade into each
   * other.
   */
  get session() {
    return `${this.#source}-${page}-${this.#counter}`;
  }

  /** Removes the result, for example before an image that has none yet. */
  forget() {
    this.#result = null;
    this.#overlay.clear();
    this.#stage.releaseFrame();
    this.#previews.clear();
    this.#readout.clear();
    this.#pointed = { image: null, list: null };
    byId("threshold-row").hidden = true;
    this.solve();
  }

  /**
   * Shows a result. Of a frame of a video, `image` has its pixels, and `moment` is when it was
   * taken. Of a still image, `runs` is the number of runs that the times are the means of.
   */
  show(result, { image, moment, runs } = {}) {
    this.solve();
    this.#result = result;
    const now = performance.now();
    const times = { ...result.latency_ms, roundTrip: result.roundTrip, age: now - moment, runs };
    this.#meter.add(times, now);
    const { settings } = this.#app;
    this.#readout.showTimes(times, this.#meter);
    byId("threshold-row").hidden = !hasScores(result);
    if (!settings.values.showInputBuffers) this.#previews.show(null);
    else if (result.previews) this.showPreviews(result.previews);
    this.#outputs.show(result);
    if (image && isSpatial(result)) this.#stage.holdFrame(image);
    else this.#stage.releaseFrame();
    this.#app.announcer.say(topLabel(this.#draw()));
  }

  /** Shows what the model sees. */
  showPreviews(previews) {
    this.#previews.show(previews);
  }

  /** Shows what to do while there is no result yet. */
  hint(text) {
    byId("labels-empty").textContent = text;
  }

  /** Shows why there is no result. */
  explain(text) {
    if (!this.#result) this.#previews.show(null);
    this.#problem.textContent = text;
    this.#problem.hidden = false;
  }

  /** Hides the message of `explain`. */
  solve() {
    this.#problem.hidden = true;
  }

  /** What the threshold leaves of the result. */
  get #visible() {
    return above(this.#result, this.#app.settings.values.threshold);
  }

  get #lit() {
    return this.#pointed.list ?? this.#pointed.image;
  }

  /** Draws what is visible of the result, and returns it; returns null without a result. */
  #draw() {
    if (!this.#result) return null;
    const visible = this.#visible;
    this.#readout.show(visible, this.#app.settings.values);
    this.#overlay.show(visible, {
      mirrored: this.#stage.isMirrored, hidden: this.#outputs.hidden, lit: this.#lit,
    });
    this.#readout.light(this.#lit);
    return visible;
  }

  #showThreshold() {
    const { threshold } = this.#app.settings.values;
    this.#threshold.value = String(threshold);
    byId("threshold-value").textContent = score(threshold);
    this.#draw();
  }

  /** Follows the pointer over the image, at a point in fractions of it or outside (null). */
  #pointAt(point) {
    const detections = this.#result ? this.#visible.detections : null;
    if (!detections) return;
    const x = point && this.#stage.isMirrored ? 1 - point.x : point?.x;
    this.#light("image", point ? objectAt({ x, y: point.y }, detections) : null);
  }

  #light(place, index) {
    if (this.#pointed[place] === index) return;
    this.#pointed[place] = index;
    this.#overlay.light(this.#lit);
    this.#readout.light(this.#lit);
  }
}
