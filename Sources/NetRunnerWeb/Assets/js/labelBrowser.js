// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { whole } from "./format.js";
import { LabelGrid } from "./labelGrid.js";
import { t, tn } from "./messages.js";

const filters = { all: () => t("All"), open: () => t("Unlabeled"), done: () => t("Labeled") };

/** Shows one image or the grid of all images, and how many are labelled. */
export class LabelBrowser {
  root = el("div", { class: "label-browser" });
  isGrid = false;
  #frame;
  #zoom;
  #change;
  #grid;
  #filter = "all";
  #progress = el("div", { class: "label-progress" },
    el("span", { id: "label-progress", role: "status" }), el("progress", { "aria-label": t("Labeled") }));
  #toggle;
  #filters = el("div", { class: "segments", role: "radiogroup", "aria-label": t("Which images") });
  #none = el("p", { class: "muted", text: t("No image is like that."), hidden: true });
  /** What the grid shows, to draw it again only when that changes. */
  #shown = null;

  /** The actions are open(photo) and change(). */
  constructor({ frame, zoom }, { open, change }) {
    this.#frame = frame;
    this.#zoom = zoom;
    this.#change = change;
    this.#grid = new LabelGrid((photo) => {
      this.showOne();
      open(photo);
    });
    this.#toggle = el("button", {
      class: "button quiet small", type: "button", id: "label-all",
      on: { click: () => this.#switch() },
    });
    this.#filters.append(...Object.keys(filters).map((value) => el("label", {},
      el("input", {
        type: "radio", name: "label-filter", value, on: { change: () => this.#use(value) },
      }), el("span", {}))));
    this.root.append(
      el("div", { class: "label-bar" }, this.#progress, this.#filters, zoom.root, this.#toggle),
      frame, this.#none, this.#grid.root
    );
    this.#show();
  }

  showOne() {
    this.isGrid = false;
    this.#show();
  }

  showAll() {
    this.isGrid = true;
    this.#show();
    this.#change();
    this.#grid.root.focus();
  }

  /** Shows images, the current one of them, which are done, and the texts of their labels. */
  show(photos, current, isDone, textOf) {
    const done = photos.reduce((sum, photo) => sum + (isDone(photo) ? 1 : 0), 0);
    this.#progress.firstChild.textContent = tn(
      photos.length, "{done} of {n} image labeled", "{done} of {n} images labeled", { done: whole(done) }
    );
    this.#progress.lastChild.max = photos.length;
    this.#progress.lastChild.value = done;
    if (!this.isGrid) {
      this.#shown = null;
      return;
    }
    const counts = { all: photos.length, open: photos.length - done, done };
    for (const input of this.#filters.querySelectorAll("input")) {
      input.checked = input.value === this.#filter;
      input.nextSibling.textContent = t("{name} {n}", {
        name: filters[input.value](), n: whole(counts[input.value]),
      });
    }
    const key = `${this.#filter} ${done}`;
    if (this.#shown?.photos === photos && this.#shown.key === key) return this.#grid.refresh();
    this.#shown = { photos, key };
    const wanted = photos.filter((photo) => (
      this.#filter === "all" || isDone(photo) === (this.#filter === "done")
    ));
    this.#none.hidden = wanted.length > 0;
    this.#grid.show(wanted, textOf, current);
  }

  #switch() {
    if (this.isGrid) this.showOne();
    else this.showAll();
  }

  #use(filter) {
    this.#filter = filter;
    this.#change();
  }

  #show() {
    this.#frame.hidden = this.isGrid;
    this.#zoom.root.hidden = this.isGrid;
    this.#grid.root.hidden = !this.isGrid;
    this.#filters.hidden = !this.isGrid;
    this.#none.hidden = true;
    this.root.classList.toggle("all", this.isGrid);
    this.#toggle.textContent = this.isGrid ? t("Show one image") : t("Show all images");
  }
}
