// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId } from "./dom.js";
import { showFailure } from "./failures.js";
import { score } from "./format.js";
import { above, hasScores, objectAt } from "./found.js";
import { t } from "./messages.js";
import { Outputs } from "./outputs.js";
import { Overlay, isSpatial } from "./overlay.js";
import { Previews } from "./previews.js";
import { Readout, topLabel } from "./readout.js";
import { Meter } from "./statistics.js";

const page = Math.random().toString(36).slice(2, 10);

/** Everything around the image that shows the model's result. */
export class LiveDisplay {
  /**
   * Whether another display is beside it. Screen readers are then told about the difference instead of
   * the result, and what the model sees isn't shown.
   */
  isCompared = false;
  #app;
  #stage;
  #at;
  #overlay;
  #previews;
  #readout;
  #outputs;
  #meter = new Meter();
  #counter = 0;
  #source = "";
  #result = null;
  /** The object under the pointer: on the image, and in the list. */
  #pointed = { image: null, list: null };

  /** Makes a display of the elements that a function finds by their names in index.html. */
  constructor(app, stage, at = byId) {
    this.#app = app;
    this.#stage = stage;
    this.#at = at;
    this.#previews = new Previews(at("previews"));
    this.#readout = new Readout(at);
    this.#outputs = new Outputs(at("outputs"));
    this.#overlay = new Overlay(stage.overlay);
    this.#outputs.onlegend = () => this.#draw();
    this.#readout.setTop(app.settings.values.top);
    this.#readout.onpoint = (index) => this.#light("list", index);
    stage.onpoint = (point) => this.#pointAt(point);
    stage.onlayout = (area) => {
      this.#overlay.area = area;
      this.#draw();
    };
    at("threshold").addEventListener("input", ({ target }) => {
      app.settings.set("threshold", Number(target.value));
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
    this.#readout.setMoving(isMoving);
    this.forget();
    this.hint(t("No result yet."));
    this.#previews.show(null);
  }

  /**
   * The name of this session for the server, which lets the frames of a session fade into each
   * other.
   */
  get session() {
    return `${this.#source}-${page}-${this.#at("labels").id}-${this.#counter}`;
  }

  /** The measurements since the source or the model last changed. */
  get meter() {
    return this.#meter;
  }

  /** Removes the result, for example before an image that has none yet. */
  forget() {
    this.#result = null;
    this.#overlay.clear();
    this.#stage.releaseFrame();
    this.#previews.clear();
    this.#outputs.clear();
    this.#readout.clear();
    this.#pointed = { image: null, list: null };
    this.#at("threshold-row").hidden = true;
    this.solve();
  }

  /**
   * Shows a result. Of a frame of a video, `image` has its pixels, and `moment` is when it was
   * taken. The pixels are shown if `isHeld`, or if the result is spatial. Of a still image, `runs` is
   * the number of runs that the times are the means of.
   */
  show(result, { image, isHeld, moment, runs } = {}) {
    this.solve();
    this.#result = result;
    const now = performance.now();
    const times = { ...result.latency_ms, roundTrip: result.roundTrip, age: now - moment, runs };
    this.#meter.add(times, now);
    const { settings } = this.#app;
    this.#readout.showTimes(times, this.#meter);
    this.#at("threshold-row").hidden = !hasScores(result);
    if (!settings.values.showInputBuffers || this.isCompared) this.#previews.show(null);
    else if (result.previews) this.showPreviews(result.previews);
    this.#outputs.show(result);
    if (image && (isHeld || isSpatial(result))) this.#stage.holdFrame(image);
    else this.#stage.releaseFrame();
    const visible = this.#draw();
    if (!this.isCompared) this.#app.announcer.say(topLabel(visible));
  }

  /** Shows what the model sees. */
  showPreviews(previews) {
    this.#previews.show(previews);
  }

  /** Shows what to do while there is no result yet. */
  hint(text) {
    this.#at("labels-empty").textContent = text;
  }

  /** Shows why there is no result, as in `failureParts`. */
  explain(failure) {
    if (!this.#result) this.#previews.show(null);
    showFailure(this.#at("problem"), failure);
  }

  /** Hides the message of `explain`. */
  solve() {
    showFailure(this.#at("problem"), null);
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
    this.#at("threshold").value = String(threshold);
    this.#at("threshold-value").textContent = score(threshold);
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
