// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el } from "./dom.js";
import { moment } from "./format.js";
import { EvaluationForm } from "./evaluationForm.js";
import { samplesText, stateName } from "./evaluationNames.js";
import { EvaluationView } from "./evaluationView.js";
import { isPicture, isZip } from "./pictures.js";
import { address } from "./router.js";

/** The view of evaluations: the form for a new one, the page of one, and the list of all. */
export class EvaluateView {
  root = document.querySelector("[data-view=evaluate]");
  #app;
  #form;
  #one;
  #list = byId("evaluate-list");

  constructor(app) {
    this.#app = app;
    this.#form = new EvaluationForm(app);
    this.#one = new EvaluationView(app, byId("evaluate-one"));
  }

  show(id) {
    const isOne = Boolean(id);
    this.#form.hidden = isOne;
    this.#list.hidden = isOne;
    this.root.querySelector(".page-head").hidden = isOne;
    byId("evaluate-one").hidden = !isOne;
    if (isOne) {
      this.#one.show(id);
    } else {
      this.#one.hide();
      this.#showList();
    }
  }

  hide() {
    this.#one.hide();
  }

  /** Receives a folder or images. */
  receive(entries) {
    const zip = entries.find(({ file }) => isZip(file));
    if (zip && !entries.some(({ file }) => isPicture(file))) return this.#app.importModel(entries);
    this.#form.take(entries);
    this.#app.go("evaluate");
  }

  async #showList() {
    let evaluations = [];
    try {
      evaluations = await this.#app.api.evaluations();
    } catch (error) {
      if (error.code !== "server_gone") this.#app.notices.warn(error.message);
    }
    if (evaluations.length === 0) return this.#list.replaceChildren();
    this.#list.replaceChildren(
      el("h2", { text: "Earlier evaluations" }),
      el("ul", { class: "evaluations" }, evaluations.map((each) => el("li", {}, this.#row(each)))));
  }

  #row(evaluation) {
    const { id, state, started, models, dataset } = evaluation;
    const names = models.map(({ model }) => this.#app.models.nameOfID(model)).join(", ");
    const pictures = dataset ? samplesText(dataset) : null;
    return el("a", { class: "card-link", href: address("evaluate", id) },
      el("span", { class: "card-name", text: `${names} on ${dataset?.name ?? "a dataset"}` }),
      el("span", { class: `tag ${state}`, text: stateName(evaluation) }),
      el(
        "span",
        { class: "card-facts", text: [moment(started), pictures].filter(Boolean).join(" · ") }
      ));
  }
}
