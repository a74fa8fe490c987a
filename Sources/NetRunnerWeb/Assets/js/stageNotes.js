// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el } from "./dom.js";
import { cameraAdvice, isHopeless } from "./camera.js";
import { t } from "./messages.js";

/** The messages that the live view shows instead of an image, or above it. */
export class StageNotes {
  #stage;
  #actions;

  /** The actions are camera, photo, files, video, samples and models. */
  constructor(stage, actions) {
    this.#stage = stage;
    this.#actions = actions;
  }

  /** Says above the samples why the camera isn't used. */
  noticeCamera({ code }) {
    const { title, text } = cameraAdvice(code);
    byId("camera-notice").querySelector("p").replaceChildren(el("strong", { text: title }), " ", text);
    byId("camera-notice").hidden = false;
  }

  waitForCamera() {
    this.#stage.showNote({
      title: t("Waiting for the camera"),
      text: t("The browser may ask whether this page may use it."),
      action: [t("Use samples"), this.#actions.samples],
    });
  }

  explainCamera({ code, detail }) {
    const { title, text } = cameraAdvice(code);
    const action = isHopeless(code) ? this.#otherImages : [t("Try again"), this.#actions.camera];
    this.#stage.showNote({ title, text, detail, action });
  }

  explainVideo(name, detail) {
    this.#stage.showNote({
      title: t("This video can't be played"), text: t("The browser can't play {name}.", { name }), detail,
      action: [t("Choose a video"), this.#actions.video],
    });
  }

  explainImage(name, { code, message }) {
    // The server's errors have a text as their code, and those of browsers a number.
    const isOfServer = typeof code === "string";
    this.#stage.showNote({
      title: t("This image can't be shown"),
      text: isOfServer ? message : t("This browser can't read {name} as an image.", { name }),
      detail: isOfServer ? "" : message,
      action: [t("Choose images"), this.#actions.files],
    });
  }

  explainNoSamples() {
    this.#stage.showNote({
      title: t("No samples"), text: t("The model brings none along, or the server didn't send them."),
      action: [t("Choose images"), this.#actions.files],
    });
  }

  explainNoModel() {
    this.#stage.showNote({
      title: t("No model yet"), text: t("Import one to begin."),
      action: [t("Add a model"), this.#actions.models],
    });
  }

  /** Says that the selected model can't run, and why. */
  explainModel(name, reason) {
    this.#stage.showNote({
      title: t("This model can't run here"), text: t("Choose another model than {name}.", { name }),
      detail: reason, action: [t("Go to the models"), this.#actions.models],
    });
  }

  /** Phones take photos where the page itself may not use the camera. */
  get #otherImages() {
    return matchMedia("(pointer: coarse)").matches
      ? [t("Take a photo"), this.#actions.photo] : [t("Choose images"), this.#actions.files];
  }
}
