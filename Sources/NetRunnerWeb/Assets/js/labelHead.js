// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t, tn } from "./messages.js";

const tasks = () => [["image", t("Whole image")], ["shapes", t("Boxes and outlines")]];

/** The controls above the images: the model, the task, the order and evaluation. */
export class LabelHead {
  root = el("div", { class: "label-head" });
  #app;
  #model;
  #tasks;
  #order;
  #ranking;
  #cancel;
  #evaluate;

  /** The actions are useModel(id), useTask(task), useOrder(order), cancel and evaluate. */
  constructor(app, actions) {
    this.#app = app;
    this.#model = el("select", {
      id: "label-model", on: { change: () => {
        app.settings.set("labelModel", this.#model.value);
        actions.useModel(this.#model.value);
      } },
    });
    this.#tasks = el(
      "div", { class: "segments", role: "radiogroup", "aria-label": t("What to label") },
      tasks().map(([value, text]) => el("label", {},
        el("input", {
          type: "radio", name: "label-task", value, on: { change: () => actions.useTask(value) },
        }), el("span", { text })))
    );
    this.#order = el(
      "select", { id: "label-order", on: { change: () => actions.useOrder(this.#order.value) } },
      el("option", { value: "opened", text: t("As opened") }),
      el("option", { value: "uncertain", text: t("Most uncertain first") })
    );
    this.#cancel = el("button", {
      class: "button quiet small", type: "button", id: "label-cancel", text: t("Cancel"),
      on: { click: actions.cancel },
    });
    this.#ranking = el("div", { class: "label-ranking", hidden: true },
      el("span", { class: "muted small" }),
      el("progress", { "aria-label": t("Images that the model has seen") }), this.#cancel);
    this.#evaluate = el("button", {
      class: "button", type: "button", id: "label-evaluate", text: t("Evaluate"),
      on: { click: actions.evaluate },
    });
    this.root.append(
      field(t("For the model"), el("span", { class: "select" }, this.#model)),
      field(t("Order"), el("span", { class: "select" }, this.#order)),
      this.#tasks, this.#evaluate, this.#ranking
    );
  }

  /** The model to begin with: the one that was chosen here last, that of the live view, or the first. */
  preferred(models) {
    const { models: { selected }, settings } = this.#app;
    return [settings.values.labelModel, selected?.id, models[0]?.id]
      .flatMap((wanted) => models.filter(({ id }) => id === wanted))[0];
  }

  /** Shows the models to choose from. */
  fill(models, selected) {
    this.#model.replaceChildren(...models.map((model) => (
      el("option", { value: model.id, text: this.#app.models.nameOf(model) })
    )));
    this.#model.value = selected ?? "";
  }

  /**
   * Shows the task and the order. `canEvaluate` says whether the model can be evaluated on its labels or
   * shapes, and `hasSome` whether there are any.
   */
  show({ task, order, isOpen, canRank, canEvaluate, hasSome }) {
    for (const input of this.#tasks.querySelectorAll("input")) input.checked = input.value === task;
    this.#order.value = order;
    this.#order.closest(".field").hidden = !isOpen || !canRank;
    this.#evaluate.hidden = !canEvaluate;
    this.#evaluate.disabled = !hasSome;
    this.#evaluate.title = hasSome
      ? t("Evaluate the model on the labeled images") : t("Label an image first");
  }

  /** Shows how many images the model has seen, or hides it if `done` is null. */
  rank(done, all) {
    this.#ranking.hidden = done === null;
    if (done === null) return;
    this.#ranking.firstChild.textContent = tn(
      all, "The model has seen {done} of {n} image.", "The model has seen {done} of {n} images.", { done }
    );
    this.#ranking.querySelector("progress").max = all;
    this.#ranking.querySelector("progress").value = done;
  }

  focusModel() {
    this.#model.focus();
  }
}

function field(text, control) {
  return el("label", { class: "field" }, el("span", { text }), control);
}
