// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el } from "./dom.js";
import { moment } from "./format.js";
import { EvaluationForm } from "./evaluationForm.js";
import { samplesText, stateName } from "./evaluationNames.js";
import { EvaluationView } from "./evaluationView.js";
import { t } from "./messages.js";
import { isPicture, isZip } from "./pictures.js";
import { address } from "./router.js";
import { failureMessage, stateMessage } from "./stateMessage.js";

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
    const head = el("h2", { text: t("Earlier evaluations") });
    let evaluations;
    try {
      evaluations = await this.#app.api.evaluations();
    } catch (error) {
      return this.#list.replaceChildren(head, failureMessage(error, () => this.#showList()));
    }
    if (evaluations.length > 0) {
      this.#list.replaceChildren(
        head, el("ul", { class: "evaluations" }, evaluations.map((each) => this.#row(each)))
      );
    } else if (this.#form.canStart) {
      this.#list.replaceChildren(head, stateMessage({
        text: t("There are no evaluations yet."), action: t("Evaluate the samples"),
        run: () => this.#form.startSamples(),
      }));
    } else {
      this.#list.replaceChildren();
    }
  }

  #row(evaluation) {
    const { id, state, started, models, dataset } = evaluation;
    const names = models.map(({ model }) => this.#app.models.nameOfID(model)).join(", ");
    const facts = [moment(started), dataset ? samplesText(dataset.pictures, dataset) : null];
    return el("li", {}, el("a", { class: "card-link", href: address("evaluate", id) },
      el("span", {
        class: "card-name",
        text: t("{models} on {dataset}", {
          models: names, dataset: dataset?.name ?? t("a dataset"),
        }),
      }),
      el("span", { class: `tag ${state}`, text: stateName(evaluation) }),
      el("span", { class: "card-facts", text: facts.filter(Boolean).join(" · ") })));
  }
}
