// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el } from "./dom.js";
import { dropArea, fileInput } from "./drops.js";
import { bytes, whole } from "./format.js";
import { mostThreads, samplesText } from "./evaluationNames.js";
import { t, tn } from "./messages.js";
import { kindName } from "./models.js";
import { folderSummary } from "./pictures.js";
import { stateMessage } from "./stateMessage.js";
import { uploadFolder } from "./uploads.js";

const sources = () => [
  ["samples", t("Samples")], ["folder", t("My folder")], ["server", t("Server folder")],
];

/** The form that starts an evaluation. */
export class EvaluationForm {
  #app;
  #root = byId("evaluate-form");
  #models = el("ul", { class: "ticks", id: "evaluate-models" });
  #picked = el("div", { class: "picked" });
  #parts = new Map();
  #state = el("div", { id: "evaluate-upload", role: "status" });
  #start = el("button", { class: "button", id: "evaluate-start", type: "submit", text: t("Start") });
  #form;
  #without;
  #source = "samples";
  #entries = [];
  #stopper = null;

  constructor(app) {
    this.#app = app;
    this.#form = el("form", {
      class: "evaluate-form", on: { submit: (event) => this.#submit(event) }
    },
      this.#modelPart(), this.#picturePart(), this.#settingPart(),
      el("div", { class: "start row" }, this.#start, this.#state));
    this.#without = stateMessage({
      text: t("There is no model that can be evaluated."), action: t("Import a model"),
      run: () => app.go("models"),
    });
    this.#root.append(this.#form, this.#without);
    this.#showSource();
    app.models.addEventListener("load", () => this.#showModels());
    this.#showModels();
  }

  set hidden(isHidden) {
    this.#root.hidden = isHidden;
  }

  /** Whether there is a model that can be evaluated. */
  get canStart() {
    return this.#app.models.list.some((model) => model.can_run);
  }

  /** Starts an evaluation on the samples. */
  startSamples() {
    this.#form.elements.namedItem("source").value = "samples";
    this.#choose("samples");
    this.#form.requestSubmit();
  }

  /** Receives the files of a dropped folder. */
  take(entries) {
    this.#entries = entries;
    this.#source = "folder";
    this.#form.elements.namedItem("source").value = "folder";
    this.#showSource();
    this.#showPicked();
  }

  #modelPart() {
    const all = (isChecked) => () => {
      for (const box of this.#models.querySelectorAll("input")) box.checked = isChecked;
    };
    const button = (text, isChecked) =>
      el(
        "button",
        { class: "button quiet small", type: "button", text, on: { click: all(isChecked) } }
      );
    return el("fieldset", { class: "card" }, el("legend", { text: t("Models") }), this.#models,
      el("div", { class: "actions" }, button(t("All"), true), button(t("None"), false)));
  }

  #showModels() {
    const before = [...this.#models.querySelectorAll("input:checked")].map(({ value }) => value);
    const chosen = before.length > 0 ? before : [this.#app.models.selected?.id];
    const models = this.#app.models.list.filter((model) => model.can_run);
    this.#form.hidden = models.length === 0;
    this.#without.hidden = models.length > 0 || !this.#app.models.isKnown;
    this.#models.replaceChildren(...models.map((model) => {
      const box = el("input", { type: "checkbox", name: "models", value: model.id });
      box.checked = chosen.includes(model.id);
      return el("li", {}, el("label", { class: "tick" }, box,
        el("span", {}, this.#app.models.nameOf(model), el("small", { class: "muted", text: kindName(model.kind) }))));
    }));
  }

  #picturePart() {
    const labels = sources().filter(
      ([name]) => name !== "server" || this.#app.server.folders.length > 0
    )
      .map(([value, text]) => {
        const input = el(
          "input",
          { type: "radio", name: "source", value, on: { change: () => this.#choose(value) } }
        );
        input.checked = value === this.#source;
        return el("label", {}, input, el("span", { text }));
      });
    this.#parts.set("samples", this.#samplePart());
    this.#parts.set("folder", this.#folderPart());
    this.#parts.set("server", this.#serverPart());
    return el("fieldset", { class: "card" }, el("legend", { text: t("Samples") }),
      el(
        "div", { class: "segments", role: "radiogroup", "aria-label": t("Source of samples") },
        labels
      ), ...this.#parts.values());
  }

  #samplePart() {
    const list = el("ul", { class: "thumbs" });
    this.#app.api.samples().then((samples) => {
      list.replaceChildren(...samples.slice(0, 24).map(({ name }) => {
        const image = el("img", { alt: name, title: name, loading: "lazy" });
        this.#app.api.showPicture(
          image, this.#app.api.sampleAddress(name)
        ).catch(() => image.remove());
        return el("li", {}, image);
      }));
    }).catch(() => {});
    return el(
      "div", {}, el("p", { class: "muted small", text: t("The images that come with Net Runner.") }),
      list
    );
  }

  #folderPart() {
    const take = (entries) => this.take(entries);
    const folder = fileInput("evaluate-folder", true, take);
    const files = fileInput("evaluate-files", false, take, null);
    return dropArea({
      kind: "drop", iconName: "folder", title: t("Drop a folder here"),
      details: t("Images, recordings or a table. One folder for each class, a test bundle or a table of labels adds the truth."),
      buttons: [
        { text: t("Choose a folder"), kind: "small", action: () => folder.click() },
        { text: t("Choose files"), kind: "quiet small", action: () => files.click() },
      ],
    }, folder, files, this.#picked);
  }

  #serverPart() {
    const options = this.#app.server.folders.map(
      ({ name }) => el("option", { value: name, text: name })
    );
    return el("div", { class: "row" },
      el(
        "label", { class: "field grow" }, el("span", { text: t("Folder") }),
        el("span", { class: "select" }, el("select", { name: "serverFolder" }, options))
      ),
      el(
        "label", { class: "field grow" }, el("span", { text: t("Subfolder") }),
        el("input", { name: "subpath", placeholder: t("All of it"), autocomplete: "off" })
      ));
  }

  #settingPart() {
    const number = (name, text, note, limits) =>
      el(
        "label", { class: "field" }, el("span", { text }),
        el("input", { type: "number", name, id: `evaluate-${name}`, ...limits }),
        el("small", { text: note })
      );
    return el("fieldset", { class: "card measures" }, el("legend", { text: t("Measurement") }),
      number(
        "iterations", t("Runs for each sample"), t("If empty: once, or as often as the test bundle says."),
        { min: 1, max: 1000, placeholder: t("Once") }
      ),
      number(
        "threads", t("Threads"), t("Several are faster. One measures latency best."),
        { min: 1, max: mostThreads(this.#app.server), value: this.#threads(), required: true }
      ),
      number(
        "limit", t("Maximum number of samples"), t("Only the first ones are used."),
        { min: 1, placeholder: t("All") }
      ));
  }

  #threads() {
    const { settings, server } = this.#app;
    return Math.min(settings.values.threads || server.threads, mostThreads(server));
  }

  #choose(source) {
    this.#source = source;
    this.#showSource();
  }

  #showSource() {
    for (const [name, part] of this.#parts) part.hidden = name !== this.#source;
  }

  #showPicked() {
    const { name, samples, word, tables, folders, layout, ignored } = folderSummary(
      this.#entries.map(({ path }) => path)
    );
    const isIgnored = new Set(ignored);
    const size = this.#entries.reduce(
      (sum, { path, file }) => sum + (isIgnored.has(path) ? 0 : file.size), 0
    );
    const facts = [
      samples > 0 ? pickedText(samples, word) : tn(tables, "{n} table", "{n} tables"), bytes(size),
    ];
    if (layout === "test_bundle") facts.push(t("a test bundle"));
    else if (layout === "folders") facts.push(tn(folders, "{n} folder", "{n} folders"));
    this.#picked.replaceChildren(
      el("strong", { text: name || t("Files") }), el("span", { text: ` ${facts.join(", ")}` })
    );
    if (ignored.length === 0) return;
    const first = ignored[0].split("/").at(-1);
    this.#picked.append(el("small", { title: ignored.slice(0, 20).join("\n"), text: tn(
      ignored.length, "{n} file is left out, because it has another format: {first}.",
      "{n} files are left out, because they have another format, such as {first}.", { first }
    ) }));
  }

  async #submit(event) {
    event.preventDefault();
    if (this.#stopper) return;
    this.#tell("");
    const problem = this.#problem();
    if (problem) return this.#tell(problem, true);
    this.#stopper = new AbortController();
    this.#start.disabled = true;
    try {
      const evaluation = await this.#app.api.startEvaluation(
        { ...this.#values(), ...(await this.#pictures(this.#stopper.signal)) }
      );
      this.#tell("");
      this.#app.go("evaluate", evaluation.id);
    } catch (error) {
      const isCancelled = this.#stopper.signal.aborted;
      this.#tell(isCancelled ? t("Cancelled.") : error.message, !isCancelled);
    } finally {
      this.#stopper = null;
      this.#start.disabled = false;
    }
  }

  #problem() {
    if (this.#values().models.length === 0) return t("Choose a model.");
    const { files } = folderSummary(this.#entries.map(({ path }) => path));
    return this.#source === "folder" && files === 0
      ? t("Choose a folder with images or recordings, or a table.") : null;
  }

  #values() {
    const data = new FormData(this.#form);
    const number = (name) => (data.get(name) ? Number(data.get(name)) : null);
    return {
      models: data.getAll("models"),
      iterations: number("iterations"), threads: number("threads"), limit: number("limit"),
    };
  }

  async #pictures(signal) {
    if (this.#source === "samples") return { sample: true };
    const data = new FormData(this.#form);
    const subpath = (data.get("subpath") ?? "").replace(/^\/+|\/+$/g, "");
    if (this.#source === "server") {
      return { folder: data.get("serverFolder") + (subpath ? `/${subpath}` : "") };
    }
    const { api, connection } = this.#app;
    const progress = (state) => this.#showUpload(state);
    return { upload: await uploadFolder(api, this.#entries, { progress, signal, connection }) };
  }

  #showUpload({ files, allFiles, bytes: sent, allBytes }) {
    if (!this.#state.querySelector("progress")) {
      const cancel = el(
        "button",
        {
          class: "button quiet small", type: "button", text: t("Cancel"),
          on: { click: () => this.#stopper?.abort() }
        }
      );
      this.#state.replaceChildren(
        el("span"), el("progress", { "aria-label": t("Sending files") }), cancel
      );
    }
    this.#state.querySelector("span").textContent =
      tn(
        allFiles, "Sending {files} of {n} file, {sent} of {size}",
        "Sending {files} of {n} files, {sent} of {size}",
        { files: whole(files), sent: bytes(sent), size: bytes(allBytes) }
      );
    this.#state.querySelector("progress").max = Math.max(1, allBytes);
    this.#state.querySelector("progress").value = sent;
  }

  #tell(text, isBad = false) {
    this.#state.replaceChildren(
      el("span", { class: isBad ? "bad" : "muted", role: isBad ? "alert" : null, text })
    );
  }
}

/** Counts the samples of a folder, whose kind pictures.js found. */
function pickedText(n, word) {
  if (word === "file") return tn(n, "{n} file", "{n} files");
  return samplesText(n, { content: word === "image" ? "images" : "recordings" });
}
