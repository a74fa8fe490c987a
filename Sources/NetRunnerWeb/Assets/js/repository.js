// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el } from "./dom.js";
import { failure } from "./failure.js";
import { bytes } from "./format.js";
import { t, tn } from "./messages.js";

/** Returns the facts that a row shows after a model's name. */
function repositoryFacts({ version, size_bytes: size, state, imported }) {
  const facts = [];
  if (version) facts.push(state === "update" ? `${imported.version} → ${version}` : version);
  if (version) facts.push(bytes(size));
  if (!version && imported) facts.push(t("{version} is here", imported));
  return facts.join(" · ");
}

/**
 * Returns the text of a model's button and its label for screen readers, or null if there is no
 * button.
 */
function repositoryAction({ name, version, state, imported }) {
  if (state === "new") return { text: t("Import"), label: t("Import {name} {version}", { name, version }) };
  if (state !== "update") return null;
  const label = t("Update {name} from {old} to {version}", { name, old: imported.version, version });
  return { text: t("Update"), label };
}

/** The models of the server's repository. It is hidden if the server has none. */
export class Repository {
  #app;
  #imports;
  #root = byId("repository");
  #list = byId("repository-list");
  #state = byId("repository-state");
  #turn = 0;

  constructor(app, imports) {
    this.#app = app;
    this.#imports = imports;
    this.#root.hidden = !app.server.repository;
    byId("repository-refresh").addEventListener("click", () => this.load());
    imports.addEventListener("change", () => this.#follow());
    const view = this.#root.closest("[data-view]");
    app.models.addEventListener("load", () => !view.hidden && this.load());
  }

  /** Loads the current list from the repository. */
  async load() {
    if (!this.#app.server.repository) return;
    this.#turn += 1;
    const turn = this.#turn;
    if (this.#list.children.length === 0) this.#state.textContent = t("Asking the repository");
    try {
      const repository = await this.#app.api.repository();
      if (turn === this.#turn) this.#show(repository);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#list.replaceChildren();
      this.#explain(error);
    }
  }

  #show({ address, channel, models, left_off: leftOff }) {
    const focused = this.#list.contains(document.activeElement)
      ? document.activeElement.dataset.repositoryModel
      : null;
    byId("repository-place").textContent = t("{address}, channel {channel}", { address, channel });
    this.#list.replaceChildren(...models.map((model) => this.#row(model)));
    this.#state.textContent = models.length === 0
      ? t("The repository has no models.")
      : leftOff > 0 ? tn(leftOff, "{n} model more is not shown.", "{n} models more are not shown.") : "";
    this.#follow();
    if (!focused) return;
    // Keyboard users keep their position.
    const button = this.#list.querySelector(`[data-repository-model="${focused}"]`);
    (button ?? byId("repository-refresh")).focus();
  }

  #row(model) {
    const action = repositoryAction(model);
    const button = action && el("button", {
      class: "button small", type: "button", "aria-label": action.label, text: action.text,
      data: { repositoryModel: model.name },
      on: { click: () => this.#begin(model.name) },
    });
    const note = model.problem?.message ?? model.details;
    return el(
      "li", { data: { state: model.state } },
      el(
        "div", { class: "grow" }, el("span", { class: "card-name", text: model.name }),
        el("span", { class: "card-facts", text: repositoryFacts(model) }),
        note ? el("p", { class: model.problem ? "small problem" : "small muted", text: note }) : null
      ),
      button ?? (model.state === "imported" ? el("span", { class: "tag", text: t("Imported") }) : null)
    );
  }

  /** Shows why the repository can't be listed. */
  #explain({ message }) {
    const again = el("button", {
      class: "button small", type: "button", text: t("Try again"), on: { click: () => this.load() },
    });
    this.#state.replaceChildren(failure({
      title: t("The repository can't be listed"),
      text: t("The models that were imported from it still work."), action: again, message,
    }));
  }

  #begin(name) {
    if (!this.#imports.isUnderWay) this.#imports.fetchFromRepository(name);
  }

  /**
   * Allows one import at a time. The buttons use `aria-disabled`, because disabled buttons lose the
   * focus.
   */
  #follow() {
    for (const button of this.#list.querySelectorAll("button")) {
      button.setAttribute("aria-disabled", String(this.#imports.isUnderWay));
    }
  }
}
