// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el } from "./dom.js";
import { bytes } from "./format.js";
import { address } from "./router.js";

/** Returns the title of an import's error. The server's message gives the details. */
function importErrorTitle(code) {
  const titles = {
    invalid_url: "Not an address",
    address_not_allowed: "Address not allowed",
    not_found: "Nothing found there",
    server_error: "The other server failed",
    connection_failed: "No connection",
    too_large: "Too large",
    timed_out: "Took too long",
    not_a_zip: "Not a zip",
    damaged_zip: "Damaged zip",
    unsafe_zip: "Unsafe zip",
    zip_too_large: "Too large when unzipped",
    no_bundle: "No model in it",
    several_bundles: "Several models in the zip",
    invalid_bundle: "Not a valid model",
    not_a_vision_model: "Not a vision model",
    model_is_shipped: "A shipped model has this id",
    same_id: "This model is already here",
    untrusted: "Not signed by a trusted key",
    invalid_document: "Not a valid document",
    expired: "The document has expired",
    replayed: "Older than the version here",
    corrupt: "Damaged during the download",
    unauthorized: "The repository requires a token",
    disk_full: "No space left",
    no_repository: "No repository",
    server_gone: "Connection lost",
  };
  return titles[code] ?? "Not imported";
}

/** Describes an import's current state for people. */
function progressText({ state, received, total }) {
  if (state === "checking") return "Checking the model";
  const verb = state === "uploading" ? "Sending" : "Downloading";
  return total ? `${verb}: ${bytes(received)} of ${bytes(total)}` : `${verb}: ${bytes(received)}`;
}

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
  #app;
  #root = byId("import-state");
  #stopper = null;
  #id = null;
  /** What the server assumed of a model without a bundle. */
  #checks = [];

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
      () => this.#app.api.startImport(url, replace), () => this.fetch(url, true)
    );
  }

  /** Makes the server download the version of the repository's channel. */
  fetchFromRepository(model, replace = false) {
    return this.#follow(
      () => this.#app.api.startRepositoryImport(model, replace),
      () => this.fetchFromRepository(model, true)
    );
  }

  #follow(begin, replace) {
    return this.#during(replace, async (signal) => {
      let state = await begin();
      this.#id = state.id;
      while (isUnderWay(state)) {
        this.#showProgress(state);
        await new Promise((resolve) => setTimeout(resolve, 250));
        if (signal.aborted) return null;
        state = await this.#asked(state);
      }
      if (state.state === "failed") throw state.error;
      return state.state === "done" ? state.model : null;
    });
  }

  /** Uploads a zip from this device, to which a function resolves. */
  send(zip, replace = false) {
    return this.#during(() => this.send(zip, true), async (signal) => {
      const file = await zip();
      const { model } = await this.#app.api.uploadModel(file, replace, this.#sending(file, signal));
      return model.id;
    });
  }

  /** Uploads a TensorFlow Lite model. The server makes a bundle of it, and says what it assumed. */
  sendModel(file, replace = false) {
    if (!this.#app.server.makes_bundles) return this.refuse(
      `${file.name} has no model.json, which describes its image and labels. Run `
        + `“tensorio init ${file.name}”, and drop the .tiobundle folder that it makes.`
    );
    return this.#during(() => this.sendModel(file, true), async (signal) => {
      const { model, checks } = await this.#app.api.uploadModelFile(
        file, replace, this.#sending(file, signal)
      );
      this.#checks = checks;
      return model.id;
    });
  }

  /** Options of an upload that shows its progress, for a file that isn't too large. */
  #sending(file, signal) {
    const limit = this.#app.server.maximum_bundle_bytes;
    if (file.size > limit) {
      const message = `${file.name} has ${bytes(file.size)}. `
        + `The server accepts at most ${bytes(limit)}.`;
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
    const id = this.#id;
    this.#stopper?.abort();
    if (id) this.#app.api.cancelImport(id).catch(() => {});
    this.#showEnd("Import cancelled.");
  }

  /** Does the work of an import. If it would replace a model, `replace` starts it again. */
  async #during(replace, work) {
    this.#stopper?.abort();
    const stopper = new AbortController();
    this.#stopper = stopper;
    this.#id = null;
    this.#checks = [];
    this.#note(true);
    try {
      const id = await work(stopper.signal);
      if (id && !stopper.signal.aborted) await this.#finish(id);
    } catch (error) {
      if (!stopper.signal.aborted) this.#showError(error, replace);
    } finally {
      this.#note(false);
      this.#id = null;
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

  async #finish(id) {
    byId("import-url").value = "";
    await this.#app.models.load();
    const model = this.#app.models.find(id);
    const use = el("button", {
      class: "button small", type: "button", text: "Use it",
      on: {
        click: () => {
          this.#app.models.select(id);
          this.#app.go("live");
        },
      },
    });
    const more = el(
      "a", { class: "button quiet small", href: address("models", id), text: "Details" }
    );
    const name = model ? this.#app.models.nameOf(model) : id;
    this.#showEnd(`Imported ${name}.`, [use, more]);
    if (this.#checks.length > 0) this.#root.append(
      el("p", { text: "What the file doesn't say was assumed:" }),
      el("ul", { class: "checks" }, this.#checks.map((text) => el("li", { text })))
    );
  }

  #showProgress(state) {
    if (!this.#root.querySelector("progress")) {
      const cancel = el("button", {
        class: "button quiet small", id: "import-cancel", type: "button", text: "Cancel",
        on: { click: () => this.cancel() },
      });
      this.#root.replaceChildren(
        el(
          "div", { class: "row" }, el("span", { class: "grow" }), cancel
        ), el("progress", { "aria-label": "Import" }));
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

  #showError({ code, message }, replace) {
    this.#root.dataset.state = "failed";
    this.#root.dataset.code = code;
    this.#root.replaceChildren(
      el(
        "div", { class: "warn" }, el("strong", { text: importErrorTitle(code) }),
        el("p", { text: message }),
        replace && code === "same_id" ? el(
          "button", {
            class: "button small", id: "import-replace", type: "button", text: "Replace it",
            on: { click: replace },
          }
        ) : null
      ));
  }
}
