// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId } from "./dom.js";
import { cameraAdvice, isHopeless } from "./camera.js";

/** The messages that the live view shows instead of an image, or above it. */
export class StageNotes {
  #stage;
  #actions;

  /** The actions are camera, photo, files, samples and models. */
  constructor(stage, actions) {
    this.#stage = stage;
    this.#actions = actions;
  }

  /** Says above the samples why the camera isn't used. */
  noticeCamera(code) {
    const { title, text } = cameraAdvice(code);
    byId("camera-notice").querySelector("p").textContent = `${title}. ${text}`;
    byId("camera-notice").hidden = false;
  }

  waitForCamera() {
    this.#stage.showNote(
      "Waiting for the camera", "The browser may ask whether this page may use it.",
      [["Use samples", this.#actions.samples]]
    );
  }

  explainCamera(code) {
    const { title, text } = cameraAdvice(code);
    const first = isHopeless(code)
      ? ["Take a photo", this.#actions.photo] : ["Try again", this.#actions.camera];
    this.#stage.showNote(title, text, [first, ...this.#ways()]);
  }

  explainVideo(name) {
    this.#stage.showNote(
      "This video can't be played", `The browser can't play ${name}.`, this.#ways()
    );
  }

  explainNoModel() {
    this.#stage.showNote(
      "No model yet", "Import one to begin.", [["Models", this.#actions.models]]
    );
  }

  #ways() {
    return [["Choose images", this.#actions.files], ["Use samples", this.#actions.samples]];
  }
}
