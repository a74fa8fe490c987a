// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el } from "./dom.js";
import { failure } from "./failure.js";
import { bytes } from "./format.js";
import { canBeTriedAgain, importErrorText, importErrorTitle, progressText } from "./importMessages.js";
import { t } from "./messages.js";
import { address } from "./router.js";

function isUnderWay({ state }) {
  return state === "downloading" || state === "checking";
}

/**
 * Imports one model at a time from a URL, the repository or a file, and shows the progress. It
 * sends "change" when an import starts or ends.
 */
export class Imports extends EventTarget {
  /** Whether an import is running. */
  isUnderWay = false;
  /** Called with the identifier of a model without a bundle, and with what the server assumed of it. */
  onmade = () => {};
  #app;
  #root = byId("import-state");
  #stopper = null;
  #id = null;
  /** What the server assumed of a model without a bundle, or null if the model had one. */
  #checks = null;

  constructor(app) {
    super();
    this.#app = app;
    byId("import-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.fetch(byId("import-url").value.trim());
    });
    byId("import-choose").addEventListener("click", () => byId("zip-input").click());
    byId("zip-input").addEventListener("change", ({ target }) => {
      const [file] = target.files;
      target.value = "";
      if (!file) return;
      if (/\.tflite$/i.test(file.name)) this.sendModel(file);
      else this.send(async () => file);
    });
  }

  /** Follows an import that started before the page was loaded. */
  async resume() {
    const underWay = (await this.#app.api.imports()).find(isUnderWay);
    if (underWay && !this.#stopper) this.#follow(() => underWay);
  }

  /** Makes the server download a zip. */
  fetch(url, replace = false) {
    return this.#follow(
      () => this.#app.api.startImport(url, replace), (replaces) => this.fetch(url, replaces)
    );
  }

  /** Makes the server download the version of the repository's channel. */
  fetchFromRepository(model, replace = false) {
    return this.#follow(
      () => this.#app.api.startRepositoryImport(model, replace),
      (replaces) => this.fetchFromRepository(model, replaces)
    );
  }

  #follow(begin, again) {
    return this.#during(again, async (signal) => {
      let state = await begin();
      if (signal.aborted) return this.#cancelOnServer(state.id);
      this.#id = state.id;
      while (isUnderWay(state)) {
        this.#showProgress(state);
        await new Promise((resolve) => setTimeout(resolve, 250));
        if (!signal.aborted) state = await this.#asked(state);
        if (signal.aborted) return null;
      }
      this.#id = null;
      if (state.state === "failed") throw state.error;
      if (state.state === "done") return state.model;
      // Another page has cancelled it.
      return this.#showEnd(t("Import cancelled."));
    });
  }

  /** Uploads a zip from this device, to which a function resolves. */
  send(zip, replace = false) {
    return this.#during((replaces) => this.send(zip, replaces), async (signal) => {
      const file = await zip();
      const { model } = await this.#app.api.uploadModel(file, replace, this.#sending(file, signal));
      return model.id;
    });
  }

  /** Uploads a TensorFlow Lite model. The server makes a bundle of it, and says what it assumed. */
  sendModel(file, replace = false) {
    if (!this.#app.server.makes_bundles) return this.refuse(t(
      "{name} has no model.json, which describes its image and labels. Run “tensorio init {name}”, and drop the .tiobundle folder that it makes.",
      { name: file.name }
    ));
    return this.#during((replaces) => this.sendModel(file, replaces), async (signal) => {
      const { model, checks } = await this.#app.api.uploadModelFile(
        file, replace, this.#sending(file, signal)
      );
      this.#checks = checks;
      return model.id;
    });
  }

  /** Options of an upload that shows its progress, for a file that isn't too large. */
  #sending(file, signal) {
    signal.throwIfAborted();
    const limit = this.#app.server.maximum_bundle_bytes;
    if (file.size > limit) {
      const message = t("{name} has {size}. The server accepts at most {limit}.", {
        name: file.name, size: bytes(file.size), limit: bytes(limit),
      });
      throw { code: "too_large", message };
    }
    this.#showProgress({ state: "uploading", received: 0, total: file.size });
    const progress = (received, total) => this.#showProgress(
      { state: received < total ? "uploading" : "checking", received, total }
    );
    return { signal, progress };
  }

  /** Explains why what was dropped can't be imported. */
  refuse(message) {
    this.#showError({ code: "no_bundle", message });
  }

  /** Cancels the running import. */
  cancel() {
    this.#stop();
    this.#showEnd(t("Import cancelled."));
  }

  /** Stops the running import, here and on the server. */
  #stop() {
    this.#stopper?.abort();
    if (this.#id) this.#cancelOnServer(this.#id);
    this.#id = null;
  }

  #cancelOnServer(id) {
    this.#app.api.cancelImport(id).catch(() => {});
  }

  /**
   * Does the work of an import, which takes the place of the one before. `again` starts it again, with
   * whether it replaces a model.
   */
  async #during(again, work) {
    this.#stop();
    const stopper = new AbortController();
    this.#stopper = stopper;
    const isCurrent = () => stopper === this.#stopper;
    this.#checks = null;
    this.#note(true);
    try {
      const id = await work(stopper.signal);
      if (id && !stopper.signal.aborted) await this.#finish(id, isCurrent);
    } catch (error) {
      if (!stopper.signal.aborted) this.#showError(error, again);
    } finally {
      if (isCurrent()) {
        this.#note(false);
        this.#id = null;
      }
    }
  }

  #note(isUnderWay) {
    this.isUnderWay = isUnderWay;
    byId("import-start").disabled = byId("import-choose").disabled = isUnderWay;
    this.dispatchEvent(new Event("change"));
  }

  async #asked(state) {
    try {
      return await this.#app.api.import(state.id);
    } catch (error) {
      if (error.code !== "server_gone") throw error;
      await this.#app.connection.whenBack();
      return state;
    }
  }

  async #finish(id, isCurrent) {
    byId("import-url").value = "";
    await this.#app.models.load();
    if (!isCurrent()) return;
    const use = el("button", {
      class: "button small", type: "button", text: t("Use it"),
      on: {
        click: () => {
          this.#app.models.select(id);
          this.#app.go("live");
        },
      },
    });
    const more = el(
      "a", { class: "button quiet small", href: address("models", id), text: t("Details") }
    );
    this.#showEnd(t("Imported {name}.", { name: this.#app.models.nameOfID(id) }), [use, more]);
    if (this.#checks) this.onmade(id, this.#checks);
  }

  #showProgress(state) {
    if (!this.#root.querySelector("progress")) {
      const cancel = el("button", {
        class: "button quiet small", id: "import-cancel", type: "button", text: t("Cancel"),
        on: { click: () => this.cancel() },
      });
      this.#root.replaceChildren(
        el(
          "div", { class: "row" }, el("span", { class: "grow" }), cancel
        ), el("progress", { "aria-label": t("Import") }));
    }
    this.#root.querySelector("span").textContent = progressText(state);
    const bar = this.#root.querySelector("progress");
    if (state.total && state.state !== "checking") {
      bar.max = state.total;
      bar.value = state.received;
    } else {
      bar.removeAttribute("value");
    }
    this.#root.dataset.state = state.state;
  }

  #showEnd(text, actions = []) {
    this.#root.dataset.state = actions.length > 0 ? "done" : "cancelled";
    this.#root.replaceChildren(
      el("div", { class: "row" }, el("span", { class: "grow", text }), ...actions)
    );
  }

  #showError({ code, message }, again) {
    this.#root.dataset.state = "failed";
    this.#root.dataset.code = code;
    const replaces = again && code === "same_id";
    const choose = el("button", {
      class: "button small", type: "button", text: t("Choose another file"),
      on: { click: () => byId("zip-input").click() },
    });
    const start = el("button", {
      class: "button small", id: replaces ? "import-replace" : "import-again", type: "button",
      text: replaces ? t("Replace it") : t("Try again"), on: { click: () => again(replaces) },
    });
    this.#root.replaceChildren(failure({
      title: importErrorTitle(code), text: importErrorText(code), message,
      action: replaces || (again && canBeTriedAgain(code)) ? start : choose,
    }));
  }
}
