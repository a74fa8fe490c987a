// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { canAskForCamera } from "./camera.js";
import { byId, isForControl, setIconButton } from "./dom.js";
import { t } from "./messages.js";

/** The buttons around the image, and the keys that do the same. */
export class StageControls {
  #actions;

  /** The actions are camera, pause, flip, photo, clear and step(by). */
  constructor(actions) {
    this.#actions = actions;
    const buttons = {
      "to-camera": "camera", pause: "pause", flip: "flip", shutter: "photo", "pad-clear": "clear",
    };
    for (const [id, action] of Object.entries(buttons)) {
      byId(id).addEventListener("click", () => actions[action]());
    }
  }

  /** Shows the buttons that a mode has. The camera has more of them while it is on. */
  show(mode, { isCameraOn, isPaused }) {
    const isCamera = mode === "camera" && (isCameraOn || isPaused);
    const isElsewhere = ["video", "pictures", "pad", "none"].includes(mode);
    byId("to-camera").hidden = !isElsewhere || !canAskForCamera();
    byId("pause").hidden = !isCamera && mode !== "video";
    byId("flip").hidden = byId("shutter").hidden = !isCamera;
    byId("pad-clear").hidden = mode !== "pad";
    byId("source").hidden = mode === "panel" || mode === null;
    setIconButton(byId("pause"), isPaused ? "play" : "pause", isPaused ? t("Resume") : t("Pause"));
  }

  /** Does what a key stands for in a mode. */
  key(event, mode) {
    if (isForControl(event)) return;
    const actions = {
      " ": () => this.#actions.pause(),
      f: () => this.#actions.flip(),
      p: () => this.#actions.photo(),
      ArrowLeft: () => this.#actions.step(-1),
      ArrowRight: () => this.#actions.step(1),
    };
    if (!actions[event.key] || (event.key.startsWith("Arrow") && mode !== "pictures")) return;
    event.preventDefault();
    actions[event.key]();
  }
}
