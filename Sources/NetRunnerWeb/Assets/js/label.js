// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, isForControl } from "./dom.js";
import { dropArea, fileInput } from "./drops.js";
import { count, number, whole } from "./format.js";
import { LabelPanel } from "./labelPanel.js";
import { namedPhotos, nextUnlabelled } from "./labeling.js";
import { confirmed } from "./notices.js";
import { isPicture, isZip, readablePicture } from "./pictures.js";

/** The view for labelling images, which can then train or test a model. */
export class LabelView {
  root = document.querySelector("[data-view=label]");
  #app;
  #panel;
  #photos = [];
  #place = 0;
  #labels = new Map();
  #done = [];
  #model = null;
  #isShown = false;
  #turn = 0;
  #work = el("div", { class: "label-work", hidden: true });
  #image = el("img", { id: "label-photo", alt: "" });
  #progress = el(
    "div", { class: "label-progress" }, el("span", { id: "label-progress", role: "status" }),
    el("progress", { "aria-label": "Labeled" })
  );
  #empty;
  #kept = el("details", { class: "part", hidden: true }, el("summary"), el("div"));
  #select = el(
    "select", { id: "label-model", on: { change: () => this.#useModel(this.#select.value) } }
  );
  #links;

  constructor(app) {
    this.#app = app;
    this.#panel = new LabelPanel({
      choose: (label) => this.#label(label), skip: () => this.#go(this.#place + 1),
      back: () => this.#go(this.#place - 1), undo: () => this.#undo(),
    });
    this.#empty = this.#emptyState();
    this.#links = ["testbundle", "zip"].map((format) => this.#exportLink(format));
    this.#work.append(
      el("div", { class: "photo-frame" }, this.#image),
      el("div", {}, this.#progress, this.#panel.root)
    );
    byId("label-root").append(this.#head(), this.#empty, this.#work, this.#kept);
    app.models.addEventListener("load", () => this.#fillModels());
    addEventListener("keydown", (event) => this.#key(event));
  }

  show() {
    this.#isShown = true;
    this.#fillModels();
    if (!this.#model) this.#useModel(this.#app.models.selected?.id);
  }

  hide() {
    this.#isShown = false;
  }

  /** Receives images. */
  receive(entries) {
    const photos = entries.filter(({ file }) => isPicture(file));
    const zip = entries.find(({ file }) => isZip(file));
    if (photos.length === 0 && zip) return this.#app.importModel(entries);
    if (photos.length === 0) return this.#app.notices.warn("It contains no image.");
    this.#open(namedPhotos(photos));
  }

  #head() {
    return el("div", { class: "label-head" },
      el(
        "label", { class: "field" }, el("span", { text: "For the model" }),
        el("span", { class: "select" }, this.#select)
      ),
      el("div", { class: "actions" }, this.#links));
  }

  #emptyState() {
    const receive = (entries) => this.receive(entries);
    const files = fileInput("label-files", false, receive);
    const folder = fileInput("label-folder", true, receive);
    return dropArea({
      kind: "drop tall", iconName: "label",
      title: "Choose the images to label, or drop them here",
      details: "The server keeps each image with its label until you export or delete them.",
      buttons: [
        { text: "Choose images", kind: "", action: () => files.click() },
        { text: "Choose a folder", kind: "quiet", action: () => folder.click() },
        { text: "Use samples", kind: "quiet", action: () => this.#useSamples() },
      ],
    }, files, folder);
  }

  #exportLink(format) {
    const text = { testbundle: "Export as test bundle", zip: "Export as zip" }[format];
    return el("a", {
      class: "button quiet", id: `label-export-${format}`, hidden: true, download: `labels-${format}.zip`, text,
      on: {
        click: (event) => this.#app.api.followDownload(event).catch(
          (error) => this.#app.notices.warn(error.message)
        )
      },
    });
  }

  #fillModels() {
    const models = this.#app.models.list;
    this.#select.replaceChildren(
      ...models.map(({ id, name }) => el("option", { value: id, text: name }))
    );
    this.#select.value = this.#model?.id ?? this.#app.models.selected?.id ?? "";
  }

  async #useModel(id) {
    if (!id) return;
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const [model, kept] = await Promise.all(
        [this.#app.models.details(id), this.#app.api.labels(id)]
      );
      if (turn !== this.#turn) return;
      this.#model = model;
      this.#labels = new Map(kept.labels.map(({ photo, label }) => [photo, label]));
      this.#done = [];
      this.#panel.setModel(model);
      for (const link of this.#links) link.href = this.#app.api.labelsExport(
        id, link.id.replace("label-export-", "")
      );
      this.#draw();
    } catch (error) {
      if (turn === this.#turn) this.#app.notices.warn(error.message);
    }
  }

  async #useSamples() {
    try {
      const samples = await this.#app.api.samples();
      this.#open(samples.map(({ name }) => ({ name, address: this.#app.api.sampleAddress(name) })));
    } catch (error) {
      this.#app.notices.warn(error.message);
    }
  }

  #open(photos) {
    this.#photos = photos;
    this.#place = Math.max(0, nextUnlabelled(photos, this.#labels, -1));
    this.#done = [];
    this.#show();
  }

  #go(place) {
    if (place < 0 || place >= this.#photos.length) return;
    this.#place = place;
    this.#show();
  }

  /** Shows the current image. */
  #show() {
    const { name, file, address } = this.#photos[this.#place];
    if (this.#image.src.startsWith("blob:")) URL.revokeObjectURL(this.#image.src);
    this.#image.alt = name;
    if (file) this.#image.src = URL.createObjectURL(file);
    else this.#app.api.showPicture(this.#image, address).catch(() => {});
    this.#image.onload = () => this.#image.classList.toggle(
      "tiny", this.#image.naturalWidth <= 160
    );
    this.#draw();
    this.#panel.focus();
  }

  #draw() {
    const isOpen = this.#photos.length > 0;
    this.#empty.hidden = isOpen;
    this.#work.hidden = !isOpen;
    for (const link of this.#links) link.hidden = this.#labels.size === 0;
    this.#drawKept();
    if (!isOpen) return;
    const { name } = this.#photos[this.#place];
    const labelled = this.#photos.filter((photo) => this.#labels.has(photo.name)).length;
    this.#progress.firstChild.textContent = `${whole(labelled)} of ${count(this.#photos.length, "image")} labeled`;
    this.#progress.lastChild.max = this.#photos.length;
    this.#progress.lastChild.value = labelled;
    this.#panel.show(
      { name, label: this.#labels.get(name) ?? null, canUndo: this.#done.length > 0 }
    );
  }

  #drawKept() {
    this.#kept.hidden = this.#labels.size === 0;
    this.#kept.firstChild.textContent = `${count(this.#labels.size, "image")} kept for this model`;
    const rows = [...this.#labels].map(([photo, label]) => el("tr", {},
      el("th", { scope: "row", text: photo }), el("td", { text: labelText(label) }),
      el(
        "td", { class: "n" },
        el(
          "button",
          {
            class: "link", type: "button", text: "Delete", "aria-label": `Delete ${photo}`,
            on: { click: () => this.#deleteKept(photo) }
          }
        )
      )));
    this.#kept.lastChild.replaceChildren(
      el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, rows)))
    );
  }

  /** Labels the current image, and moves on to the next one without a label. */
  async #label(label) {
    const photo = this.#photos[this.#place];
    const before = this.#labels.get(photo.name) ?? null;
    this.#labels.set(photo.name, label);
    this.#done.push({ photo, before, place: this.#place });
    const next = nextUnlabelled(this.#photos, this.#labels, this.#place);
    this.#app.announcer.say(`${photo.name}: ${labelText(label)}`);
    if (next >= 0) this.#go(next);
    else this.#draw();
    await this.#keep(photo, label, before);
  }

  async #undo() {
    const last = this.#done.pop();
    if (!last) return;
    const { photo, before, place } = last;
    const given = this.#labels.get(photo.name) ?? null;
    if (before === null) this.#labels.delete(photo.name);
    else this.#labels.set(photo.name, before);
    this.#go(place);
    await this.#keep(photo, before, given);
  }

  /**
   * Sends an image's label to the server, or null to delete it. If this fails, the change is undone.
   */
  async #keep(photo, label, before) {
    const { api, notices } = this.#app;
    const { id } = this.#model;
    try {
      if (label === null) {
        await api.deleteLabel(id, photo.name);
      } else {
        const picture = photo.file ? await readablePicture(photo.file) : await api.sample(photo.name);
        await api.putLabel(id, photo.name, label, picture);
      }
    } catch (error) {
      if (id !== this.#model.id) return;
      if (before === null) this.#labels.delete(photo.name);
      else this.#labels.set(photo.name, before);
      notices.warn(`${photo.name} was not kept. ${error.message ?? ""}`);
      this.#draw();
    }
  }

  async #deleteKept(photo) {
    const text = "The image and its label will be deleted from the server.";
    if (!(await confirmed({ title: `Delete ${photo}?`, text, action: "Delete" }))) return;
    try {
      await this.#app.api.deleteLabel(this.#model.id, photo);
      this.#labels.delete(photo);
      this.#draw();
    } catch (error) {
      this.#app.notices.warn(error.message);
    }
  }

  #key(event) {
    if (!this.#isShown || this.#photos.length === 0) return;
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (isUndo && !this.#panel.hasText) {
      event.preventDefault();
      this.#undo();
    } else if (this.#panel.isField(event.target) || !isForControl(event)) {
      this.#panel.key(event);
    }
  }
}

function labelText(label) {
  if (Array.isArray(label)) return label.map(number).join(", ");
  return typeof label === "number" ? number(label) : String(label ?? "none");
}
