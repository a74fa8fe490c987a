// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { labelText } from "./labeling.js";
import { confirmed } from "./notices.js";
import { t, tn } from "./messages.js";

/** How many rows are shown at once. */
const pageLength = 200;

/** The list of the images that the server keeps for a model. Its rows are made when it is opened. */
export class KeptList {
  root = el("details", { class: "part", hidden: true }, el("summary"), el("div"));
  #app;
  #keeper = null;
  #length = pageLength;

  constructor(app) {
    this.#app = app;
    this.root.addEventListener("toggle", () => this.#fill());
  }

  show(keeper) {
    if (keeper !== this.#keeper) this.#length = pageLength;
    this.#keeper = keeper;
    const { length } = this.#names();
    this.root.hidden = length === 0;
    this.root.firstChild.textContent = tn(
      length, "{n} image kept for this model", "{n} images kept for this model"
    );
    this.#fill();
  }

  #names() {
    const { labels, counts } = this.#keeper;
    return [...new Set([...labels.keys(), ...counts.keys()])];
  }

  #fill() {
    if (!this.root.open || !this.#keeper) return;
    const names = this.#names();
    const more = el("button", {
      class: "button quiet small", type: "button", text: t("Show more"),
      hidden: names.length <= this.#length,
      on: {
        click: () => {
          this.#length += pageLength;
          this.#fill();
        },
      },
    });
    this.root.lastChild.replaceChildren(
      el("div", { class: "scroll" }, el("table", {}, el("tbody", {},
        names.slice(0, this.#length).map((name) => this.#row(name))))), more
    );
  }

  #row(name) {
    const { labels, counts } = this.#keeper;
    const shapes = counts.has(name)
      ? tn(counts.get(name), "{n} shape", "{n} shapes") : "";
    return el("tr", {},
      el("th", { scope: "row", text: name }),
      el("td", { text: labels.has(name) ? labelText(labels.get(name)) : "–" }),
      el("td", { class: "muted", text: shapes }),
      el("td", { class: "n" }, el("button", {
        class: "link", type: "button", text: t("Delete"), "aria-label": t("Delete {name}", { name }),
        on: { click: () => this.#delete(name) },
      })));
  }

  async #delete(name) {
    const title = t("Delete {name}?", { name });
    const text = t("The image will be deleted from the server, with its label and its shapes.");
    if (!(await confirmed({ title, text, action: t("Delete") }))) return;
    try {
      await this.#keeper.delete(name);
    } catch (error) {
      this.#app.notices.warn(error.message);
    }
  }
}
