// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, icon } from "./dom.js";
import { t } from "./messages.js";
import { isForDrawings } from "./models.js";

/**
 * The card that says what the page can do, until it is closed, and the hint that the models that came
 * with the program only read digits.
 */
export class Welcome {
  #app;
  #actions;
  #root = byId("welcome");

  /** The actions are camera, files, samples and draw. */
  constructor(app, actions) {
    this.#app = app;
    this.#actions = actions;
    app.settings.addEventListener("change", () => this.show());
    for (const name of ["load", "select"]) app.models.addEventListener(name, () => this.show());
  }

  /** Shows the hint, and the card with what suits the selected model, or hides them. */
  show() {
    const { models, settings } = this.#app;
    byId("model-hint").hidden = !models.areAllShipped;
    this.#root.hidden = !settings.values.showWelcome || !models.selected;
    if (this.#root.hidden) return;
    const takesImages = models.selected.takes === "image" && models.selected.can_run;
    const close = el("button", {
      class: "plain", type: "button", "aria-label": t("Close"),
      on: { click: () => settings.set("showWelcome", false) },
    }, icon("close"));
    this.#root.replaceChildren(
      el("div", { class: "welcome-head" }, el("h2", { text: t("What you can do here") }), close),
      el("ul", {},
        takesImages ? this.#way("camera", t("Point the camera at something"), "camera") : null,
        takesImages ? this.#way("pictures", t("Choose photos, or drop them here"), "files") : null,
        takesImages ? this.#way("samples", t("Look at sample photos"), "samples") : null,
        isForDrawings(models.selected) ? this.#way("pen", t("Draw a digit"), "draw") : null,
        this.#link("models", t("Add a model of your own"), "models"),
        this.#link("evaluate", t("Measure models on many photos"), "evaluate"),
        this.#link("label", t("Label photos"), "label")));
  }

  #way(iconName, text, action) {
    return el("li", {}, el(
      "button", { class: "way", type: "button", on: { click: () => this.#actions[action]() } },
      icon(iconName), el("span", { text })
    ));
  }

  #link(iconName, text, view) {
    return el("li", {}, el(
      "a", { class: "way", href: `#/${view}` }, icon(iconName), el("span", { text })
    ));
  }
}
