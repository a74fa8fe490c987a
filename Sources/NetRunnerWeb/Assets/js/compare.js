// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { ComparedTimes } from "./comparedTimes.js";
import { byId, el, setIconButton } from "./dom.js";
import { Inference } from "./inference.js";
import { LiveDisplay } from "./liveDisplay.js";
import { t } from "./messages.js";
import { Stage } from "./stage.js";
import { Verdict } from "./verdict.js";

/** How the names of the second model's elements begin. */
const prefix = "second-";

/**
 * Compares the selected model with a second one on the same images, side by side. The second one has
 * a stage, a display and an inference of its own, which are made when they are needed first.
 */
export class Comparison {
  /** Called when the comparison starts or stops, or its second model changes. */
  onchange = () => {};
  isOn = false;
  #app;
  #stage;
  #display;
  #second = null;
  #model = null;
  #isPossible = true;
  #button = byId("compare");
  #select = byId("second-model-select");
  #verdict;
  #times = new ComparedTimes(byId("compared-times"));

  constructor(app, stage, display) {
    this.#app = app;
    this.#stage = stage;
    this.#display = display;
    this.#verdict = new Verdict(byId("verdict"), app.announcer);
    this.#button.addEventListener("click", () => this.#toggle());
    this.#select.addEventListener("change", () => this.#choose());
    app.models.addEventListener("select", () => this.#refresh());
    app.models.addEventListener("load", () => this.#reload());
    this.#refresh();
  }

  /** The second model. */
  get model() {
    return this.#model;
  }

  /** The second model's inference, if there is a comparison. */
  get second() {
    return this.isOn ? this.#second : null;
  }

  /** Offers the comparison, or ends it because what is shown isn't an image. */
  allow(isPossible) {
    this.#isPossible = isPossible;
    this.#refresh();
  }

  /** Judges the results of the two models for the same image, and shows the times so far. */
  judge(first, second) {
    if (!this.isOn || !first || !second) return;
    this.#verdict.add(first, second);
    this.#times.show([this.#display.meter, this.#second.display.meter]);
  }

  begin(source, isMoving) {
    this.#verdict.clear();
    this.#times.clear();
    this.second?.display.begin(source, isMoving);
  }

  forget() {
    this.#verdict.hide();
    this.second?.display.forget();
  }

  renew() {
    this.second?.inference.renew();
  }

  #toggle() {
    this.#set(!this.isOn);
    this.onchange();
  }

  #choose() {
    this.#model = this.#app.models.find(this.#select.value);
    this.#showNames();
    this.onchange();
  }

  /** Follows a new list of models, in which the second one may be missing. */
  #reload() {
    const before = this.isOn ? this.#model?.id : null;
    this.#refresh();
    if (before && before !== (this.isOn ? this.#model.id : null)) this.onchange();
  }

  /** Offers the models that can be compared with the selected one. */
  #refresh() {
    const { models } = this.#app;
    const others = models.list.filter(isComparable).filter(({ id }) => id !== models.selected?.id);
    const canCompare = this.#isPossible && isComparable(models.selected) && others.length > 0;
    this.#model = others.find(({ id }) => id === this.#model?.id)
      ?? others.find(({ kind }) => kind === models.selected?.kind) ?? others[0] ?? null;
    this.#select.replaceChildren(...others.map((model) => el("option", {
      value: model.id, text: models.nameOf(model), selected: model === this.#model,
    })));
    this.#button.hidden = !canCompare;
    this.#set(this.isOn && canCompare);
  }

  #set(isOn) {
    this.isOn = isOn;
    if (isOn) this.#second ??= this.#make();
    this.#stage.root.closest("[data-view]").classList.toggle("comparing", isOn);
    byId("second-model").hidden = !isOn;
    setIconButton(this.#button, isOn ? "close" : "compare", isOn ? t("Stop comparing") : t("Compare"));
    this.#display.isCompared = isOn;
    if (this.#second) {
      this.#second.stage.root.hidden = byId("second-result").hidden = !isOn;
      this.#second.inference.renew();
    }
    this.#stage.twin = isOn ? this.#second.stage : null;
    this.#verdict.clear();
    this.#times.clear();
    this.#showNames();
  }

  #showNames() {
    const { models } = this.#app;
    const pair = [["", models.selected], [prefix, this.isOn ? this.#model : null]];
    this.#times.name(pair.map(([, model]) => (model ? models.nameOf(model) : "")));
    for (const [name, model] of pair) {
      for (const node of [byId(`${name}stage-name`), byId(`${name}result-name`)].filter(Boolean)) {
        node.hidden = !this.isOn;
        node.textContent = model ? models.nameOf(model) : "";
      }
    }
  }

  /** Makes the second stage and result like the first ones. */
  #make() {
    const stage = copied(byId("stage"));
    stage.querySelector(".stage-controls").remove();
    byId("stage").after(stage);
    const readout = copied(byId("readout"));
    readout.setAttribute("aria-label", t("Result of the second model"));
    byId("outputs").after(el(
      "div", { id: "second-result" }, copied(byId("result-name")), copied(byId("problem")), readout,
      el("div", { id: "second-outputs" }), el("div", { id: "second-previews" })
    ));
    const at = (name) => byId(prefix + name);
    const second = new Stage(at);
    second.ontap = () => this.#stage.ontap();
    second.onswipe = (side) => this.#stage.onswipe(side);
    const display = new LiveDisplay(this.#app, second, at);
    display.isCompared = true;
    const inference = new Inference(this.#app, display, () => this.#model);
    return { stage: second, display, inference };
  }
}

/** Whether a model can be run on images that another model runs on, too. */
function isComparable(model) {
  return Boolean(model?.can_run) && model.takes === "image";
}

/** Copies an element. The names of the copy's elements begin with the prefix. */
function copied(element) {
  const copy = element.cloneNode(true);
  for (const node of [copy, ...copy.querySelectorAll("[id], [for]")]) {
    for (const name of ["id", "for"]) {
      if (node.hasAttribute(name)) node.setAttribute(name, prefix + node.getAttribute(name));
    }
  }
  return copy;
}
