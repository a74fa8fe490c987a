// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { Thumbnails } from "./labelThumbnails.js";
import { t } from "./messages.js";

const cell = { width: 132, height: 150 };

/**
 * A grid of all images, of which only the visible ones are in the page. Click or Enter opens an image,
 * and the arrow keys move in the grid.
 */
export class LabelGrid {
  root = el("div", {
    class: "label-grid", role: "listbox", tabindex: "0", id: "label-grid",
  });
  #open;
  #space = el("div", { class: "label-grid-space", role: "presentation" });
  #photos = [];
  #labelOf = () => null;
  #active = 0;
  #thumbnails = new Thumbnails();
  #cells = new Map();

  /** `open(photo)` is called for the image that the user chooses. */
  constructor(open) {
    this.#open = open;
    this.root.setAttribute("aria-label", t("All images"));
    this.root.append(this.#space);
    this.root.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.root.addEventListener("keydown", (event) => this.#key(event));
    this.root.addEventListener("click", ({ target }) => {
      const place = target.closest("[role=option]")?.dataset.place;
      if (place !== undefined) this.#open(this.#photos[place]);
    });
    new ResizeObserver(() => this.#draw()).observe(this.root);
  }

  /** Shows images. `labelOf` returns the text of an image's label, or null. */
  show(photos, labelOf, current) {
    this.#photos = photos;
    this.#labelOf = labelOf;
    this.#active = Math.max(0, photos.indexOf(current));
    this.#cells.clear();
    this.#space.replaceChildren();
    this.#draw();
    this.#reveal();
    this.#draw();
  }

  /** Draws the labels of the visible images again. */
  refresh() {
    for (const [place, node] of this.#cells) this.#describe(node, place);
  }

  get #columns() {
    return Math.max(1, Math.floor(this.root.clientWidth / cell.width));
  }

  /** Scrolls until the active image is visible. */
  #reveal() {
    const top = Math.floor(this.#active / this.#columns) * cell.height;
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (top + cell.height > scrollTop + clientHeight) {
      this.root.scrollTop = top + cell.height - clientHeight;
    }
  }

  #draw() {
    const columns = this.#columns;
    if (this.root.clientWidth === 0) return;
    this.#space.style.height = `${Math.ceil(this.#photos.length / columns) * cell.height}px`;
    const row = Math.floor(this.root.scrollTop / cell.height);
    const rows = Math.ceil(this.root.clientHeight / cell.height) + 1;
    const first = Math.max(0, (row - 1) * columns);
    const end = Math.min(this.#photos.length, (row + rows + 1) * columns);
    for (const [place, node] of this.#cells) {
      if (place >= first && place < end) continue;
      node.remove();
      this.#cells.delete(place);
    }
    for (let place = first; place < end; place += 1) {
      const node = this.#cells.get(place) ?? this.#cell(place);
      node.style.left = `${(place % columns) * cell.width}px`;
      node.style.top = `${Math.floor(place / columns) * cell.height}px`;
    }
    this.#thumbnails.show(new Map(
      [...this.#cells].map(([place, node]) => [this.#photos[place], node.firstChild])
    ));
    this.#mark();
  }

  #cell(place) {
    const node = el(
      "div", { class: "label-cell", role: "option", id: `label-cell-${place}`, data: { place } },
      el("div", { class: "label-thumb" }), el("div", { class: "label-caption" })
    );
    node.setAttribute("aria-setsize", String(this.#photos.length));
    node.setAttribute("aria-posinset", String(place + 1));
    this.#cells.set(place, node);
    this.#describe(node, place);
    this.#space.append(node);
    return node;
  }

  #describe(node, place) {
    const { name } = this.#photos[place];
    const label = this.#labelOf(this.#photos[place]);
    node.classList.toggle("done", label !== null);
    node.lastChild.textContent = label ?? name;
    node.title = name;
    const text = label === null
      ? t("{name}, no label yet", { name }) : t("{name}, {label}", { name, label });
    node.setAttribute("aria-label", text);
  }

  #mark() {
    for (const [place, node] of this.#cells) {
      node.setAttribute("aria-selected", String(place === this.#active));
    }
    const isShown = this.#cells.has(this.#active);
    if (isShown) this.root.setAttribute("aria-activedescendant", `label-cell-${this.#active}`);
    else this.root.removeAttribute("aria-activedescendant");
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const columns = this.#columns;
    const page = columns * Math.max(1, Math.floor(this.root.clientHeight / cell.height));
    const last = this.#photos.length - 1;
    const places = {
      ArrowRight: this.#active + 1, ArrowLeft: this.#active - 1,
      ArrowDown: this.#active + columns, ArrowUp: this.#active - columns,
      PageDown: this.#active + page, PageUp: this.#active - page, Home: 0, End: last,
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (this.#photos[this.#active]) this.#open(this.#photos[this.#active]);
    } else if (event.key in places) {
      event.preventDefault();
      this.#active = Math.max(0, Math.min(last, places[event.key]));
      this.#reveal();
      this.#draw();
    }
  }
}
