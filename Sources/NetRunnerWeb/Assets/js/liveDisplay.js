// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId } from "./dom.js";
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
  #frame;
  #overlay;
  #previews = new Previews(byId("previews"));
  #readout = new Readout();
  #outputs = new Outputs(byId("outputs"));
  #problem = byId("problem");
  #meter = new Meter();
  #counter = 0;
  #source = "";
  #result = null;

  /**
   * Makes a display around a stage. The frame is the canvas with the last video frame that was
   * sent.
   */
  constructor(app, stage, frame) {
    this.#app = app;
    this.#stage = stage;
    this.#frame = frame;
    this.#overlay = new Overlay(stage.overlay);
    this.#outputs.onlegend = () => this.#drawOverlay();
    this.#readout.setTop(app.settings.values.top);
  }

  /**
   * Starts over, because another source or model has its own averages and must not fade into
   * earlier results.
   */
  begin(source, isMoving) {
    this.#counter += 1;
    this.#source = source.slice(0, 24);
    this.#meter = new Meter();
    byId("rate").hidden = !isMoving;
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
    this.solve();
  }

  /** Shows a result. */
  show(result) {
    this.solve();
    this.#result = result;
    this.#meter.add({ ...result.latency_ms, roundTrip: result.roundTrip }, performance.now());
    const { settings } = this.#app;
    this.#readout.show(result, this.#meter, settings.values);
    this.#previews.show(settings.values.showInputBuffers ? result.previews : null);
    this.#outputs.show(result);
    if (isSpatial(result)) this.#stage.holdFrame(this.#frame);
    else this.#stage.releaseFrame();
    this.#drawOverlay();
    this.#app.announcer.say(topLabel(result));
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

  #drawOverlay() {
    if (!this.#result) return;
    this.#overlay.show(this.#result, {
      mirrored: this.#stage.isMirrored, hidden: this.#outputs.hidden,
    });
  }
}
