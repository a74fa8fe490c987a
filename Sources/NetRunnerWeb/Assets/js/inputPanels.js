// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { FieldsPanel } from "./fieldsPanel.js";
import { SoundPanel } from "./soundPanel.js";

/** Whether a model takes something other than images. */
export function needsPanel(model) {
  return Boolean(model?.can_run) && model.takes !== "image";
}

/** The panels for models that take recordings, or values that are filled in. */
export class InputPanels {
  #app;
  #stage;
  #panels;
  #current = null;

  constructor(app, stage, inference, display) {
    this.#app = app;
    this.#stage = stage;
    this.#panels = {
      recording: new SoundPanel(app.api, inference, display),
      fields: new FieldsPanel(app.api, inference, display),
    };
  }

  /** Whether a panel is open. */
  get isOpen() {
    return this.#current !== null;
  }

  /** Shows the panel for a model. */
  async open(model) {
    const panel = this.#panels[model.takes];
    this.#current = panel;
    this.#stage.showPanel(panel.root);
    const details = await this.#app.models.details(model.id);
    if (this.#current === panel && model === this.#app.models.selected) panel.open(details);
  }

  /** Hides the panel, because images follow. */
  close() {
    this.#current?.pause();
    this.#current = null;
  }

  /** Stops what moves, because the view is left. */
  pause() {
    this.#current?.pause();
  }

  /** Starts or stops the microphone. */
  toggle() {
    this.#current?.toggle();
  }

  /** Runs the model again on what is shown. */
  run() {
    return this.#current?.run();
  }

  /** Passes files on to the panel. Returns whether it took one. */
  take(files) {
    return this.#current?.take(files) ?? false;
  }
}
