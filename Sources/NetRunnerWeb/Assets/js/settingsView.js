// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el } from "./dom.js";
import { mostThreads } from "./evaluationNames.js";
import { languages, t } from "./messages.js";

/** The view of preferences. */
export class SettingsView {
  root = document.querySelector("[data-view=settings]");
  #app;
  #form = byId("settings-form");

  constructor(app) {
    this.#app = app;
    this.#form.addEventListener("submit", (event) => event.preventDefault());
  }

  show() {
    const { values } = this.#app.settings;
    this.#form.replaceChildren(
      group(
        t("Appearance"),
        this.#segments(
          "theme", t("Theme"), [["system", t("System")], ["light", t("Light")], ["dark", t("Dark")]]
        ),
        this.#segments(
          "language", t("Language"), [["system", t("System")], ...Object.entries(languages)],
          () => location.reload()
        )
      ),
      group(t("Live"),
        this.#modelField(values.defaultModel),
        this.#tick(
          "showInputBuffers", t("Show what the model sees"),
          t("The image as the model gets it, and its red, green and blue channels.")
        ),
        this.#tick(
          "showInputBufferAlpha", t("Show the alpha channel too"),
          t("Shown beside the other channels.")
        ),
        this.#number("top", t("Labels shown"), t("From 1 to 20."), { min: 1, max: 20, step: 1 }),
        this.#number(
          "threshold", t("Lowest score"), t("Labels, objects and joints with a lower score aren't shown."),
          { min: 0, max: 0.99, step: 0.01 }
        ),
        this.#number(
          "iterations", t("Runs for each image"),
          t("Latencies are the means of these runs. Video and the camera run once for each frame."),
          { min: 1, max: 1000, step: 1 }
        )),
      group(t("Evaluate"), this.#threadsField(values.threads)),
      this.#resetButton(),
      this.#about());
  }

  hide() {}

  #modelField(chosen) {
    const options = this.#app.models.list.filter((model) => model.can_run)
      .map(
        (model) => el(
          "option", { value: model.id, text: this.#app.models.nameOf(model), selected: model.id === chosen }
        )
      );
    const first = el("option", { value: "", text: t("The server's choice") });
    const select = el(
      "select",
      { name: "defaultModel", on: { change: () => this.#set("defaultModel", select.value) } },
      first, options
    );
    return el(
      "label", { class: "field" }, el("span", { text: t("Model at the start") }),
      el("span", { class: "select" }, select)
    );
  }

  #threadsField(chosen) {
    const { threads } = this.#app.server;
    const options = [
      0, ...Array.from({ length: mostThreads(this.#app.server) }, (_, place) => place + 1)
    ].map((value) =>
      el(
        "option",
        {
          value, text: value ? String(value) : t("The server's choice ({threads})", { threads }),
          selected: value === chosen
        }
      ));
    const select = el(
      "select",
      { name: "threads", on: { change: () => this.#set("threads", Number(select.value)) } }, options
    );
    return el("label", { class: "field" }, el("span", { text: t("Threads") }), el(
      "span", { class: "select" }, select
    ),
      el("small", { text: t("How many images an evaluation runs at once.") }));
  }

  #segments(name, title, choices, onchange = () => {}) {
    const labels = choices.map(([value, text]) => {
      const input = el(
        "input", {
          type: "radio", name, value, on: {
            change: () => {
              this.#set(name, value);
              onchange();
            },
          },
        }
      );
      input.checked = this.#app.settings.values[name] === value;
      return el("label", {}, input, el("span", { text }));
    });
    return el("div", { class: "field", role: "radiogroup", "aria-label": title },
      el("span", { text: title }), el("div", { class: "segments" }, labels));
  }

  #tick(name, text, note) {
    const input = el(
      "input", { type: "checkbox", name, on: { change: () => this.#set(name, input.checked) } }
    );
    input.checked = this.#app.settings.values[name];
    return el(
      "label", { class: "tick" }, input,
      el("span", {}, text, el("small", { class: "muted", text: note }))
    );
  }

  #number(name, text, note, limits) {
    const input = el(
      "input", { type: "number", name, inputmode: "decimal", required: true, ...limits }
    );
    input.value = this.#app.settings.values[name];
    input.addEventListener("change", () => {
      if (input.reportValidity()) this.#set(name, Number(input.value));
    });
    return el(
      "label", { class: "field number" }, el("span", { text }), input, el("small", { text: note })
    );
  }

  #resetButton() {
    const reset = () => {
      this.#app.settings.reset();
      this.show();
      this.#app.notices.tell(t("All settings have their defaults again."));
    };
    return el(
      "button",
      { class: "button quiet", type: "button", text: t("Reset all settings"), on: { click: reset } }
    );
  }

  #about() {
    const { name, version } = this.#app.server;
    return el("p", { class: "muted small about" },
      t("{name} {version}. Settings are kept in this browser.", { name, version }), " ",
      el("a", { href: "/api/v1/openapi.json", text: t("The server's API") }));
  }

  #set(name, value) {
    this.#app.settings.set(name, value);
  }
}

function group(title, ...fields) {
  return el("fieldset", { class: "group" }, el("legend", { text: title }), fields);
}
