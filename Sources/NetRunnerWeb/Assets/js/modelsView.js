// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { modelIn } from "./bundleFiles.js";
import { copyButton } from "./copyButton.js";
import { byId, el } from "./dom.js";
import { bytes } from "./format.js";
import { Imports } from "./imports.js";
import { t } from "./messages.js";
import { ModelDetails } from "./modelDetails.js";
import { ModelForm } from "./modelForm.js";
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
  #form = null;
  #shown = "";
  #isShown = false;

  constructor(app) {
    this.#app = app;
    this.#imports = new Imports(app);
    this.#repository = new Repository(app, this.#imports);
    // A failure is ignored: without a response, there is no import to follow.
    this.#imports.resume().catch(() => {});
    this.#imports.addEventListener("change", () => this.#showImport());
    this.#imports.onmade = (id, checks) => this.#openForm(id, checks);
    this.#details = new ModelDetails(app, byId("model-details"));
    this.#details.onedit = (id) => this.#openForm(id);
    byId("model-search").addEventListener("input", () => this.#filter());
    byId("model-search-clear").addEventListener("click", () => {
      byId("model-search").value = "";
      this.#filter();
      byId("model-search").focus();
    });
    byId("model-first").addEventListener("click", () => byId("import-choose").click());
    for (const name of ["load", "select"]) {
      app.models.addEventListener(name, () => this.#isShown && this.show(this.#shown));
    }
  }

  async show(id) {
    const comesBack = !this.#isShown;
    this.#isShown = true;
    if (comesBack) this.#repository.load();
    // The changes in the form are kept while people look at another view.
    if (comesBack && this.#form && !id) return this.#app.go("models", this.#form.id);
    const wanted = id || this.#app.models.selected?.id;
    const leavesForm = this.#form && (id ? id !== this.#form.id : this.#shown !== "");
    if (leavesForm && this.#form.id !== wanted) {
      const { id: former } = this.#form;
      if (!(await this.#form.close())) return this.#app.go("models", former);
    }
    this.#shown = id;
    this.root.classList.toggle("one", Boolean(id));
    this.#showList();
    this.#showUnreadable();
    this.#showRuntimeProblem();
    byId("import-hint").hidden = !this.#app.models.areAllShipped;
    if (!this.#form) this.#details.show(wanted);
  }

  hide() {
    this.#isShown = false;
    this.#form?.pause();
  }

  /** Receives a model, or what a description is tried on. Other images and videos go to the Live view. */
  receive(entries) {
    if (this.#form?.take(entries.map(({ file }) => file))) return;
    if (this.importModel(entries)) return;
    if (entries.some(({ file }) => isPicture(file) || isVideo(file))) {
      this.#app.show("live", entries);
    } else {
      this.#app.notices.warn(
        t("It contains no model. Drop a .tflite file, a .tiobundle folder or a zip of one.")
      );
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

  /** Opens the form for a model, unless another model's changes are kept. */
  async #openForm(id, checks = []) {
    if (this.#form && !(await this.#form.close())) return;
    try {
      const form = await ModelForm.open(this.#app, byId("model-details"), id, checks);
      this.#form = form;
      this.#details.leave();
      this.root.classList.add("editing");
      const end = (isSaved) => {
        this.#form = null;
        this.root.classList.remove("editing");
        this.#details.show(id, isSaved);
      };
      form.addEventListener("saved", () => end(true));
      form.addEventListener("closed", () => end(false));
      this.#app.go("models", id);
    } catch (error) {
      this.#app.notices.warn(error.message);
    }
  }

  #showList() {
    const { list, isKnown } = this.#app.models;
    const items = (canRun) => list.filter((model) => model.can_run === canRun).map(
      (model) => el("li", { data: { id: model.id } }, this.#row(model))
    );
    byId("model-empty").hidden = list.length > 0 || !isKnown;
    byId("model-search").closest("label").hidden = list.length === 0;
    byId("model-list").replaceChildren(...items(true));
    byId("model-unable-list").replaceChildren(...items(false));
    this.#filter();
  }

  /** Hides the models that don't match the search. Making the list again would take longer than a key. */
  #filter() {
    const { list } = this.#app.models;
    const found = new Set(matching(list, byId("model-search").value).map(({ id }) => id));
    for (const root of [byId("model-list"), byId("model-unable-list")]) {
      for (const item of root.children) item.hidden = !found.has(item.dataset.id);
    }
    byId("model-none").hidden = found.size > 0 || list.length === 0;
    byId("model-unable").hidden = !list.some(({ id, can_run: canRun }) => !canRun && found.has(id));
  }

  #row(model) {
    const isInUse = model === this.#app.models.selected;
    const current = this.#shown || this.#app.models.selected?.id;
    const facts = model.can_run
      ? [kindName(model.kind), bytes(model.size_bytes)]
      : [model.reason ?? t("The reason isn't known.")];
    return el(
      "a", {
        class: "card-link", href: address("models", model.id),
        "aria-current": model.id === current ? "true" : null, data: { model: model.id },
      },
      el("span", { class: "card-name", text: this.#app.models.nameOf(model) }),
      isInUse ? el("span", { class: "tag", text: t("In use") }) : null,
      el("span", { class: "card-facts", text: facts.join(" · ") }));
  }

  /** While people edit a model, the import is only shown if it is running or has failed. */
  #showImport() {
    const hasFailed = byId("import-state").dataset.state === "failed";
    this.root.querySelector(".import").classList.toggle("busy", this.#imports.isUnderWay || hasFailed);
  }

  #showUnreadable() {
    const { unreadable } = this.#app.models;
    byId("model-unreadable").replaceChildren(...unreadable.map(({ folder, message }) =>
      el(
        "div", { class: "warn small" }, el("strong", { text: t("{folder} can't be read", { folder }) }),
        el("details", {}, el("summary", { text: t("Details") }), el("p", { text: message }))
      )));
  }

  /** Shows how to install a runtime that is missing. */
  #showRuntimeProblem() {
    const { problem } = this.#app.server;
    const command = /'(pip install [^']+)'/.exec(problem ?? "")?.[1];
    byId("model-runtime").hidden = !command;
    if (!command || byId("model-runtime").children.length > 0) return;
    const code = el("code", { class: "mono", text: command });
    byId("model-runtime").append(
      el("strong", { text: t("TensorFlow Lite models can't run here") }),
      el("p", { text: t(
        "Install LiteRT with this command, set TENSORIO_LITERT_LIBRARY as the details say, and start Net Runner again."
      ) }),
      el("p", { class: "row" }, code, copyButton(code, this.#app.notices)),
      el("details", {}, el("summary", { text: t("Details") }), el("p", { text: problem }))
    );
  }
}
