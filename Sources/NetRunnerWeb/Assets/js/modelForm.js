// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { Description, isFilledIn } from "./description.js";
import { debounced, el } from "./dom.js";
import { fieldGroup, fieldRow, textField } from "./formFields.js";
import { clearIssues, showIssues } from "./formIssues.js";
import { inputFields, tensorText } from "./layerFields.js";
import { t } from "./messages.js";
import { ModelTrial } from "./modelTrial.js";
import { confirmed } from "./notices.js";
import { outputFields } from "./outputFields.js";
import { Schema } from "./schema.js";

/** How long the form waits after a change before it tries the description, in milliseconds. */
const patience = 400;

/**
 * A form to correct a model's description, beside a trial. It sends "saved" and "closed".
 */
export class ModelForm extends EventTarget {
  schema;
  id;
  #app;
  #description;
  #trial;
  #graph = null;
  #draft = null;
  #turn = 0;
  #isText = false;
  #fields = el("div", { class: "form-fields" });
  #issues = el("div", { class: "warn issues", role: "alert", hidden: true });
  #text = el("textarea", {
    class: "mono", rows: 24, spellcheck: "false", "aria-label": "model.json", id: "model-text",
  });
  #buttons = {};
  #root = el("div");
  #tryLater = debounced(patience, () => this.#try());

  /** Opens the form in an element. `checks` has the server's assumptions about a new model. */
  static async open(app, root, id, checks = []) {
    const [schema, description] = await Promise.all([Schema.load(), app.api.description(id)]);
    return new ModelForm(app, root, id, schema, description, checks);
  }

  constructor(app, root, id, schema, description, checks) {
    super();
    this.schema = schema;
    this.id = id;
    this.#app = app;
    this.#description = new Description(description);
    this.#trial = new ModelTrial(app, id);
    this.#fill(checks);
    root.replaceChildren(this.#root);
    this.#root.querySelector("h2").focus({ preventScroll: true });
    this.#loadGraph();
    this.#try();
  }

  get model() {
    return this.#description.model;
  }

  get labels() {
    return this.#description.labels;
  }

  get isChanged() {
    return this.#description.isChanged;
  }

  /** Describes the tensor of a layer, whose path is `inputs[0]` or `outputs[0]`. */
  tensor(side, path) {
    const graph = this.#graph?.graphs[0];
    const tensor = graph?.tensors[graph[side][Number(/\d+/.exec(path)[0])]];
    return tensor && !this.model.model?.signature ? tensorText(tensor) : "";
  }

  /** Returns the control of a place in model.json. */
  field(path) {
    return this.#fields.querySelector(`[data-path="${CSS.escape(path)}"]`);
  }

  /** Makes a change to the model or its labels. If other fields depend on it, they are made again. */
  change(action, redraws = false) {
    action();
    this.#description.update();
    if (redraws) this.#showFields();
    this.#follow();
  }

  /** Tries a dropped or pasted file. Returns whether there is one that the model takes. */
  take(files) {
    return this.#trial.take(files);
  }

  /** Stops what moves, because the view is left. */
  pause() {
    this.#trial.pause();
  }

  /** Closes the form, after a question if something changed. Resolves to whether it is closed. */
  async close() {
    const question = {
      title: t("Discard the changes?"), action: t("Discard"),
      text: t("The description of this model stays as it was."),
    };
    if (this.isChanged && !(await confirmed(question))) return false;
    this.#end();
    this.dispatchEvent(new Event("closed"));
    return true;
  }

  #fill(checks) {
    const button = (name, text, kind, action) => {
      this.#buttons[name] = el(
        "button", { class: `button ${kind}`, id: `form-${name}`, type: "button", text, on: { click: action } }
      );
      return this.#buttons[name];
    };
    const mode = (text, isText) => {
      const input = el("input", { type: "radio", name: "form-mode", on: { change: () => this.#show(isText) } });
      input.checked = isText === this.#isText;
      return el("label", {}, input, el("span", { text }));
    };
    this.#text.addEventListener("input", () => this.#takeText());
    this.#root.replaceChildren(
      el("header", {},
        el("h2", { tabindex: "-1", text: t("Edit “{name}”", { name: this.#app.models.nameOfID(this.id) }) }),
        el("div", { class: "actions" },
          button("use", t("Use in Live"), "", () => this.#use()),
          button("save", t("Save"), "", () => this.#save()),
          button("discard", t("Close"), "quiet", () => this.close()))),
      checks.length > 0 ? el(
        "section", { class: "assumed" }, el("h3", { text: t("What the file doesn't say was assumed") }),
        el("ul", { class: "checks" }, checks.map((text) => el("li", { text })))
      ) : "",
      el("div", { class: "segments", role: "radiogroup", "aria-label": t("How to edit") },
        mode(t("Form"), false), mode("model.json", true)),
      el("div", { class: "form-split" },
        el("form", { on: { submit: (event) => event.preventDefault() } }, this.#issues, this.#fields, this.#text),
        this.#trial.root));
    this.#show(false);
    this.#follow(false);
    addEventListener("beforeunload", this.#warn);
  }

  #warn = (event) => {
    if (this.isChanged) event.preventDefault();
  };

  #end() {
    removeEventListener("beforeunload", this.#warn);
    this.#turn += 1;
    this.#trial.end();
    this.#dropDraft();
  }

  /** Shows the fields or the text. A text that isn't JSON has no fields, so it stays. */
  #show(isText) {
    if (!isText && !this.#isValidText()) {
      this.#root.querySelectorAll("[name=form-mode]")[1].checked = true;
      return;
    }
    this.#isText = isText;
    this.#fields.hidden = isText;
    this.#text.hidden = !isText;
    if (isText) this.#text.value = this.#description.text;
    else this.#showFields();
    this.#tryLater();
  }

  #showFields() {
    const focused = this.#fields.contains(document.activeElement)
      ? document.activeElement.dataset.path : null;
    const { model } = this;
    const text = (key, label, options = {}) => textField({
      path: key, label, value: isFilledIn(model[key]) ? model[key] : "", ...options,
      set: (value) => this.change(() => { model[key] = value; }),
    });
    const layers = (key, make) => (Array.isArray(model[key]) ? model[key] : []).map((layer, index) => {
      const path = `${key}[${index}]`;
      try {
        return make(layer, path, this);
      } catch {
        // A description with mistakes can have any value in any place. The server names them.
        return fieldGroup(path, t("Its settings are in model.json."));
      }
    });
    this.#fields.replaceChildren(
      fieldGroup(t("Model"), "", text("name", t("Name")), text("details", t("Description"), { rows: 2 }),
        el("details", {}, el("summary", { text: t("Version, author and license") }),
          fieldRow(text("version", t("Version")), text("author", t("Author")), text("license", t("License"))))),
      ...layers("inputs", inputFields), ...layers("outputs", outputFields));
    if (focused) this.field(focused)?.focus();
  }

  #isValidText() {
    try {
      this.#description.text = this.#description.text;
      return true;
    } catch {
      return false;
    }
  }

  #takeText() {
    try {
      this.#description.text = this.#text.value;
    } catch {
      // The server says where the text isn't JSON.
    }
    this.#follow();
  }

  /** Follows a change: what the buttons do, and the trial. */
  #follow(tries = true) {
    const { isChanged } = this;
    this.#buttons.save.hidden = !isChanged;
    this.#buttons.use.hidden = isChanged || !this.#app.models.find(this.id)?.can_run;
    this.#buttons.discard.textContent = isChanged ? t("Discard") : t("Close");
    if (tries) this.#tryLater();
  }

  async #try() {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const { draft, issues } = await this.#app.api.addDraft(this.id, this.#description.request);
      if (turn !== this.#turn) {
        if (draft) this.#delete(draft.id);
        return;
      }
      this.#dropDraft();
      if (!draft) return this.#explain({ issues });
      this.#draft = draft.id;
      clearIssues(this.#fields, this.#issues);
      this.#trial.use(draft);
    } catch (error) {
      if (turn === this.#turn) this.#explain(error);
    }
  }

  #explain(error) {
    const issues = error.issues?.length > 0 ? error.issues : [{ path: "", message: error.message }];
    showIssues(this.#fields, this.#issues, issues.filter(({ severity }) => severity !== "warning"));
    this.#trial.explain(t("Correct the description to try it."));
  }

  #dropDraft() {
    const draft = this.#draft;
    this.#draft = null;
    // A run of the trial needs its draft until it is answered.
    if (draft) this.#trial.idle().then(() => this.#delete(draft));
  }

  /** Deletes a draft. One that can't be deleted is removed by the server after a while. */
  #delete(draft) {
    this.#app.api.deleteDraft(this.id, draft).catch(() => {});
  }

  async #save() {
    this.#buttons.save.disabled = true;
    try {
      await this.#app.api.saveDescription(this.id, this.#description.request);
      this.#end();
      await this.#app.models.load();
      this.#app.notices.tell(t("Saved {name}.", { name: this.#app.models.nameOfID(this.id) }));
      this.dispatchEvent(new Event("saved"));
    } catch (error) {
      this.#explain(error);
      this.#issues.scrollIntoView({ block: "nearest" });
    } finally {
      this.#buttons.save.disabled = false;
    }
  }

  #use() {
    this.#end();
    this.dispatchEvent(new Event("closed"));
    this.#app.models.select(this.id);
    this.#app.go("live");
  }

  async #loadGraph() {
    try {
      this.#graph = await this.#app.api.graph(this.id);
    } catch {
      // Without the graph, the form doesn't show how tensors are stored.
      return;
    }
    if (!this.#isText && !this.#fields.contains(document.activeElement)) this.#showFields();
  }
}
