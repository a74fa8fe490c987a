// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { dropArea, fileInput } from "./drops.js";
import { t } from "./messages.js";

/** What is shown before images are opened: a place to drop them, or that there is no model. */
export class LabelStart {
  root = el("div", { id: "label-start" });
  #app;
  #choose;
  #noModel;

  /** `receive` gets files, and `open` the samples as images. */
  constructor(app, receive, open) {
    this.#app = app;
    const files = fileInput("label-files", false, receive);
    const folder = fileInput("label-folder", true, receive);
    this.#choose = dropArea({
      kind: "drop tall", iconName: "label",
      title: t("Choose the images to label, or drop them here"),
      details: t("The server keeps each image with its labels until you export or delete them."),
      buttons: [
        { text: t("Choose images"), kind: "", action: () => files.click() },
        { text: t("Choose a folder"), kind: "quiet", action: () => folder.click() },
        { text: t("Use samples"), kind: "quiet", action: () => this.#useSamples(open) },
      ],
    }, files, folder);
    this.#noModel = dropArea({
      kind: "drop tall", iconName: "models", title: t("No model takes images"),
      details: t("Labels belong to a model that takes images. Add one first."),
      buttons: [{ text: t("Add a model"), kind: "", action: () => app.go("models") }],
    });
    this.root.append(this.#choose, this.#noModel);
    this.hasModels = true;
  }

  /** Whether there is a model to label for. */
  set hasModels(hasModels) {
    this.#choose.hidden = !hasModels;
    this.#noModel.hidden = hasModels || !this.#app.models.isKnown;
  }

  async #useSamples(open) {
    try {
      const { api } = this.#app;
      const samples = await api.samples();
      // Images that were opened meanwhile stay.
      if (this.root.hidden) return;
      open(samples.map(({ name }) => ({ name, read: () => api.sample(name) })));
    } catch (error) {
      this.#app.notices.warn(error.message);
    }
  }
}
