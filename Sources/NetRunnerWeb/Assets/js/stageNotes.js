// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId } from "./dom.js";
import { cameraAdvice, isHopeless } from "./camera.js";
import { t } from "./messages.js";

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
      t("Waiting for the camera"), t("The browser may ask whether this page may use it."),
      [[t("Use samples"), this.#actions.samples]]
    );
  }

  explainCamera(code) {
    const { title, text } = cameraAdvice(code);
    const first = isHopeless(code)
      ? [t("Take a photo"), this.#actions.photo] : [t("Try again"), this.#actions.camera];
    this.#stage.showNote(title, text, [first, ...this.#ways()]);
  }

  explainVideo(name) {
    this.#stage.showNote(
      t("This video can't be played"), t("The browser can't play {name}.", { name }), this.#ways()
    );
  }

  explainNoModel() {
    this.#stage.showNote(
      t("No model yet"), t("Import one to begin."), [[t("Models"), this.#actions.models]]
    );
  }

  #ways() {
    return [[t("Choose images"), this.#actions.files], [t("Use samples"), this.#actions.samples]];
  }
}
