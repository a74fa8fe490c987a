// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { modelIn } from "./bundleFiles.js";
import { byId, debounced, el } from "./dom.js";
import { bytes } from "./format.js";
import { Imports } from "./imports.js";
import { ModelDetails } from "./modelDetails.js";
import { kindName, matching } from "./models.js";
import { isPicture, isVideo } from "./pictures.js";
import { Repository } from "./repository.js";
import { address } from "./router.js";

/** The view of all models, of one model, and of imports. */
export class ModelsView {
  root = document.querySelector("[data-view=models]");
  #app;
  #imports;
  #repository;
  #details;
  #shown = "";
  #isShown = false;

  constructor(app) {
    this.#app = app;
    this.#imports = new Imports(app);
    this.#repository = new Repository(app, this.#imports);
    // A failure is ignored: without a response, there is no import to follow.
    this.#imports.resume().catch(() => {});
    this.#details = new ModelDetails(app, byId("model-details"));
    byId("model-search").addEventListener("input", debounced(80, () => this.#showList()));
    for (const name of ["load", "select"]) {
      app.models.addEventListener(name, () => this.#isShown && this.show(this.#shown));
    }
  }

  show(id) {
    if (!this.#isShown) this.#repository.load();
    this.#isShown = true;
    this.#shown = id;
    this.root.classList.toggle("one", Boolean(id));
    this.#showList();
    this.#showUnreadable();
    byId("import-hint").hidden = !this.#app.models.areAllShipped;
    this.#details.show(id || this.#app.models.selected?.id);
  }

  hide() {
    this.#isShown = false;
  }

  /** Receives a model. Images and videos go to the Live view. */
  receive(entries) {
    if (this.importModel(entries)) return;
    if (entries.some(({ file }) => isPicture(file) || isVideo(file))) {
      this.#app.show("live", entries);
    } else {
      this.#app.notices.warn("It contains no model. Drop a .tflite file, a .tiobundle folder or a zip of one.");
    }
  }

  /** Imports the model in a drop. Returns false if there is none. */
  importModel(entries) {
    const model = modelIn(entries);
    if (!model) return false;
    this.#app.go("models");
    if (model.problem) this.#imports.refuse(model.problem);
    else if (model.file) this.#imports.sendModel(model.file);
    else this.#imports.send(model.zip);
    return true;
  }

  #showList() {
    const models = matching(this.#app.models.list, byId("model-search").value);
    byId("model-none").hidden = models.length > 0;
    const [able, unable] = [true, false].map(
      (canRun) => models.filter((model) => model.can_run === canRun)
    );
    const items = (some) => some.map((model) => el("li", {}, this.#row(model)));
    byId("model-list").replaceChildren(...items(able));
    byId("model-unable").hidden = unable.length === 0;
    byId("model-unable-list").replaceChildren(...items(unable));
  }

  #row(model) {
    const isInUse = model === this.#app.models.selected;
    const current = this.#shown || this.#app.models.selected?.id;
    const facts = model.can_run
      ? [kindName(model.kind), bytes(model.size_bytes)] : [model.reason ?? "The reason isn't known."];
    return el(
      "a", {
        class: "card-link", href: address("models", model.id),
        "aria-current": model.id === current ? "true" : null, data: { model: model.id },
      },
      el("span", { class: "card-name", text: this.#app.models.nameOf(model) }),
      isInUse ? el("span", { class: "tag", text: "In use" }) : null,
      el("span", { class: "card-facts", text: facts.join(" · ") }));
  }

  #showUnreadable() {
    const { unreadable } = this.#app.models;
    byId("model-unreadable").replaceChildren(...unreadable.map(({ folder, message }) =>
      el(
        "div", { class: "warn small" }, el("strong", { text: `${folder} can't be read` }),
        el("p", { text: message })
      )));
  }
}
