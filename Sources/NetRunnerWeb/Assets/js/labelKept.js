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
const formats = ["testbundle", "zip", "coco"];

/** What the server keeps for a model: the exports, and a list whose rows are made when it is opened. */
export class KeptList {
  root = el("section", { class: "part label-kept", hidden: true });
  #details = el("details", {}, el("summary"), el("div"));
  #links;
  #app;
  #keeper = null;
  #length = pageLength;

  /** `open(photos)` opens the images, to go on or to correct labels. */
  constructor(app, open) {
    this.#app = app;
    this.#links = formats.map((format) => this.#exportLink(format));
    this.#details.addEventListener("toggle", () => this.#fill());
    this.root.append(this.#details, el("div", { class: "actions" }, el("button", {
      class: "button quiet", type: "button", id: "label-open-kept", text: t("Open these images"),
      on: { click: () => open(this.#photos()) },
    }), this.#links));
  }

  show(keeper) {
    if (keeper !== this.#keeper) this.#length = pageLength;
    this.#keeper = keeper;
    const { length } = this.#names();
    this.root.hidden = length === 0;
    this.#details.firstChild.textContent = tn(
      length, "{n} image kept for this model", "{n} images kept for this model"
    );
    formats.forEach((format, place) => {
      const kept = format === "coco" ? keeper.counts : keeper.labels;
      this.#links[place].hidden = kept.size === 0;
      this.#links[place].href = this.#app.api.labelsExport(keeper.model.id, format);
    });
    this.#fill();
  }

  #names() {
    const { labels, counts } = this.#keeper;
    return [...new Set([...labels.keys(), ...counts.keys()])];
  }

  #photos() {
    const { api } = this.#app;
    const { id } = this.#keeper.model;
    return this.#names().sort().map((name) => {
      const photo = { name };
      photo.read = async () => photo.remembered ?? api.keptPicture(id, name);
      return photo;
    });
  }

  #fill() {
    if (!this.#details.open || !this.#keeper) return;
    const names = this.#names().sort();
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
    this.#details.lastChild.replaceChildren(
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

  #exportLink(format) {
    const text = {
      testbundle: t("Export as test bundle"), zip: t("Export as zip"), coco: t("Export as COCO"),
    }[format];
    return el("a", {
      class: "button quiet", id: `label-export-${format}`, hidden: true,
      download: `labels-${format}.zip`, text,
      on: {
        click: (event) => this.#app.api.followDownload(event).catch(
          (error) => this.#app.notices.warn(error.message)
        ),
      },
    });
  }
}
