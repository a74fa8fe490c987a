// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { t } from "./messages.js";

/**
 * The labels and shapes for one model: what the user decided, and what still has to be sent to the
 * server. While the server is gone, changes wait. A change that the server refuses is reverted.
 */
export class LabelKeeper {
  model;
  /** The labels of whole images, by the image's name. */
  labels = new Map();
  /** How many shapes images have, by the image's name. */
  counts = new Map();
  /** The sizes in bytes of the images that the server keeps, by their names, as far as they are known. */
  #sizes = new Map();
  #app;
  #changed;
  #shapes = new Map();
  #history = [];
  /** The changes to send, by kind and name, each with the value that the server has. */
  #waiting = new Map();
  #sending = null;
  /** The change whose request is under way. */
  #current = null;
  /** The images of which the server has this page's bytes. */
  #sent = new Set();

  /** `changed` is called with a photo's name whenever a label, a shape or what waits has changed. */
  constructor(app, model, changed) {
    this.#app = app;
    this.model = model;
    this.#changed = changed;
    addEventListener("beforeunload", (event) => {
      if (this.waitingCount > 0) event.preventDefault();
    });
  }

  /** Loads what the server keeps. */
  async load() {
    const kept = await this.#app.api.labels(this.model.id);
    this.labels = new Map(kept.labels.map(({ photo, label }) => [photo, label]));
    this.counts = new Map(kept.annotated.map(({ photo, shapes }) => [photo, shapes]));
    this.#sizes = new Map(
      [...kept.labels, ...kept.annotated].map(({ photo, bytes }) => [photo, bytes])
    );
    this.#shapes.clear();
    this.#history = [];
  }

  /** Whether the server keeps an image of another size under a name. A size of null isn't known. */
  isOfAnother(name, size) {
    const kept = this.labels.has(name) || this.counts.has(name) ? this.#sizes.get(name) : null;
    return (kept ?? null) !== null && size !== null && kept !== size;
  }

  /** How many changes the server doesn't have yet. */
  get waitingCount() {
    return this.#waiting.size + (this.#current ? 1 : 0);
  }

  get canUndo() {
    return this.#history.length > 0;
  }

  /** Resolves when the server has everything. */
  async whenSent() {
    while (this.#sending) await this.#sending;
  }

  /** Returns the shapes of an image that were loaded, or null. */
  loadedShapes(name) {
    return this.#shapes.get(name) ?? null;
  }

  /** Resolves to the shapes of an image, `{width, height, shapes}`, or to null. */
  async shapes(name) {
    if (!this.#shapes.has(name) && this.counts.has(name)) {
      const document = await this.#app.api.shapes(this.model.id, name);
      if (!this.#shapes.has(name)) this.#shapes.set(name, document);
    }
    return this.#shapes.get(name) ?? null;
  }

  setLabel(photo, label) {
    this.#set({ photo, kind: "label", before: this.#value("label", photo.name) }, label);
  }

  /** Sets the shapes of an image. With `merges`, this is undone together with the change before it. */
  setShapes(photo, document, merges = false) {
    const last = this.#history.at(-1);
    const isSame = merges && last?.photo === photo && last.kind === "shapes";
    const change = { photo, kind: "shapes", before: this.#value("shapes", photo.name) };
    this.#set(change, document, !isSame);
  }

  /** Reverts the last change, and returns its image, or null if there was no change. */
  undo() {
    const last = this.#history.pop();
    if (!last) return null;
    const { photo, kind, before } = last;
    this.#set({ photo, kind, before: this.#value(kind, photo.name) }, before, false);
    return photo;
  }

  /** Forgets the changes that could be undone, because their images are no longer open. */
  forgetHistory() {
    this.#history = [];
  }

  /** Deletes an image with its label and its shapes from the server. */
  async delete(name) {
    const { api } = this.#app;
    if (this.#current?.photo.name === name) await this.#sending;
    // Changes that wait would send the image again.
    const waiting = ["label", "shapes"].map((kind) => this.#waiting.get(`${kind} ${name}`));
    for (const { kind } of waiting.filter(Boolean)) this.#waiting.delete(`${kind} ${name}`);
    const [hasLabel, hasShapes] = [this.labels, this.counts].map(
      (map, place) => (waiting[place] ? waiting[place].before !== null : map.has(name))
    );
    try {
      if (hasLabel) await api.deleteLabel(this.model.id, name);
      if (hasShapes) await api.deleteShapes(this.model.id, name);
    } catch (error) {
      for (const change of waiting.filter(Boolean)) {
        const key = `${change.kind} ${name}`;
        if (!this.#waiting.has(key)) this.#waiting.set(key, change);
      }
      this.#startSending();
      throw error;
    }
    this.#sent = new Set([...this.#sent].filter((photo) => photo.name !== name));
    this.#store("label", name, null);
    this.#store("shapes", name, null);
    this.#history = this.#history.filter(({ photo }) => photo.name !== name);
    this.#changed(name);
  }

  #value(kind, name) {
    return (kind === "label" ? this.labels.get(name) : this.#shapes.get(name)) ?? null;
  }

  #store(kind, name, value) {
    const map = kind === "label" ? this.labels : this.#shapes;
    if (value === null) map.delete(name);
    else map.set(name, value);
    if (kind !== "shapes") return;
    if (value === null) this.counts.delete(name);
    else this.counts.set(name, value.shapes.length);
  }

  #set({ photo, kind, before }, value, isRemembered = true) {
    if (isRemembered) this.#history.push({ photo, kind, before });
    const key = `${kind} ${photo.name}`;
    if (!this.#waiting.has(key)) this.#waiting.set(key, { photo, kind, before });
    this.#store(kind, photo.name, value);
    // Images that the server keeps have no size of their own, because it is known.
    if (value !== null && photo.size !== undefined) this.#sizes.set(photo.name, photo.size);
    this.#changed(photo.name);
    this.#startSending();
  }

  #startSending() {
    this.#sending ??= this.#send().finally(() => { this.#sending = null; });
  }

  async #send() {
    while (this.#waiting.size > 0) {
      const [key, change] = this.#waiting.entries().next().value;
      const value = this.#value(change.kind, change.photo.name);
      // A change that is made during the request waits for the next one.
      this.#waiting.delete(key);
      this.#current = change;
      try {
        await this.#request(change, value);
        this.#current = null;
      } catch (error) {
        this.#current = null;
        await this.#recover(key, change, error);
      }
      this.#changed(change.photo.name);
    }
  }

  /** Sends a value. `before` is the one that the server has. */
  async #request({ photo, kind, before }, value) {
    const { api } = this.#app;
    const { id } = this.model;
    if (kind === "label" && value !== null) {
      await api.putLabel(id, photo.name, value, await photo.read());
    } else if (kind === "label") {
      if (before === null) return;
      await rememberPicture(photo);
      await api.deleteLabel(id, photo.name);
      this.#sent.delete(photo);
    } else if (value !== null) {
      if (!this.#sent.has(photo)) await api.putPicture(id, photo.name, await photo.read());
      this.#sent.add(photo);
      await api.putShapes(id, photo.name, value);
    } else if (before !== null) {
      await rememberPicture(photo);
      await api.deleteShapes(id, photo.name);
      // With the last thing that is known about an image, the server deletes the image itself.
      this.#sent.delete(photo);
    }
  }

  async #recover(key, change, error) {
    const { connection, notices } = this.#app;
    // Another page may have deleted it already.
    if (["label_not_found", "shapes_not_found"].includes(error.code)) return;
    const isLater = error.code === "server_gone" || error.code === "too_busy";
    if (isLater) {
      // What the server has is the value before all changes that wait.
      this.#waiting.set(key, change);
      this.#changed(change.photo.name);
      await new Promise((resolve) => setTimeout(resolve, 1000 * (error.retryAfter ?? 1)));
      return connection.whenBack();
    }
    this.#waiting.delete(key);
    this.#store(change.kind, change.photo.name, change.before);
    this.#history = this.#history.filter(({ photo }) => photo !== change.photo);
    notices.warn(t("{name} was not kept. {reason}", {
      name: change.photo.name, reason: error.message ?? "",
    }));
  }
}

/** Remembers an image that the server may delete with its last label, for the case that this is undone. */
async function rememberPicture(photo) {
  photo.remembered ??= await photo.read();
}
