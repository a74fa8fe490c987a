// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { copyButton } from "./copyButton.js";
import { isFilledIn } from "./description.js";
import { el, icon } from "./dom.js";
import { bytes, shape, whole } from "./format.js";
import { GraphView } from "./graphView.js";
import { t, tn } from "./messages.js";
import { kindName } from "./models.js";
import { confirmed } from "./notices.js";

/** The details of one model. */
export class ModelDetails {
  /** Called to edit the model with an identifier. */
  onedit = () => {};
  #app;
  #root;
  #turn = 0;
  /** The model that is shown, so that the same one isn't made again. */
  #shown = null;

  constructor(app, root) {
    this.#app = app;
    this.#root = root;
  }

  /** Shows a model. With `takesFocus`, the focus goes to its main button. */
  async show(id, takesFocus = false) {
    this.#turn += 1;
    const turn = this.#turn;
    if (!id) {
      this.#forget();
      return this.#root.replaceChildren();
    }
    // The buttons would act on the model that is still shown.
    this.#root.inert = this.#shown !== null && this.#shown.id !== id;
    if (!this.#app.models.find(id)) return this.#explain(t("The model '{id}' doesn't exist.", { id }));
    try {
      const model = await this.#app.models.details(id);
      if (turn !== this.#turn) return;
      if (model !== this.#shown || !this.#root.querySelector("#model-use")) this.#fill(model);
      this.#root.inert = false;
      if (takesFocus) this.#root.querySelector("#model-use")?.focus();
    } catch (error) {
      if (turn === this.#turn) this.#explain(error.message);
    }
  }

  /** Forgets a model that is still being loaded, because something else takes its place. */
  leave() {
    this.#turn += 1;
    this.#forget();
  }

  #forget() {
    this.#shown = null;
    this.#root.inert = false;
  }

  #explain(text) {
    this.#forget();
    this.#root.replaceChildren(backLink(), el("p", { class: "warn", text }));
  }

  #fill(model) {
    this.#shown = model;
    this.#root.replaceChildren(
      backLink(),
      el("header", {},
        el("h2", { text: this.#app.models.nameOf(model) }),
        el("div", { class: "actions" },
          this.#useButton(model), this.#editButton(model), this.#deleteButton(model))),
      ...[
        isFilledIn(model.details) ? el("p", { class: "lead", text: model.details }) : null,
        model.can_run ? null : el("p", {
          class: "warn", text: t("This model can't run here. {reason}", { reason: model.reason ?? "" }),
        }),
        facts(model),
        layers(t("Inputs"), model.inputs),
        layers(t("Outputs"), model.outputs),
        labels(model.labels ?? []),
        model.backend === "tflite" ? new GraphView(this.#app, model.id).root : null,
        manifest(model.manifest, this.#app.notices),
      ].filter(Boolean));
  }

  #useButton(model) {
    const use = () => {
      this.#app.models.select(model.id);
      this.#app.go("live");
    };
    return el("button", {
      class: "button", id: "model-use", type: "button", disabled: !model.can_run, on: { click: use },
      text: t("Use in Live"),
    });
  }

  #editButton(model) {
    if (model.is_shipped) return null;
    return el("button", {
      class: "button quiet", id: "model-edit", type: "button", text: t("Edit"),
      on: { click: () => this.onedit(model.id) },
    });
  }

  #deleteButton(model) {
    if (model.is_shipped) return null;
    const remove = async () => {
      const name = this.#app.models.nameOf(model);
      const title = t("Delete {name}?", { name });
      const text = t("The model's folder will be deleted from the server. This can't be undone.");
      if (!(await confirmed({ title, text, action: t("Delete") }))) return;
      try {
        await this.#app.models.delete(model.id);
        this.#app.notices.tell(t("Deleted {name}.", { name }));
        this.#app.go("models");
      } catch (error) {
        this.#app.notices.warn(error.message);
      }
    };
    return el("button", {
      class: "button quiet", id: "model-delete", type: "button", on: { click: remove },
      text: t("Delete"),
    });
  }
}

/** A link to the list, for screens that show either the list or a model. */
function backLink() {
  return el("a", { class: "back", href: "#/models" }, icon("left"), t("All models"));
}

function facts(model) {
  const { input } = model;
  const rows = [
    [t("Kind"), kindName(model.kind)],
    [t("Type"), model.type],
    [t("Takes"), input ? `${input.format}, ${input.width} × ${input.height}` : null],
    [t("Camera"), { back: t("Back"), front: t("Front") }[model.device_position]],
    [
      t("Backend"),
      { tflite: "TensorFlow Lite", tensorflow: "TensorFlow" }[model.backend] ?? model.backend
    ],
    [t("Size"), bytes(model.size_bytes)],
    [t("Author"), isFilledIn(model.author) ? model.author : null],
    [t("License"), isFilledIn(model.license) ? model.license : null],
    [t("Version"), model.version],
    [t("Identifier"), model.id],
    [t("Origin"), originText(model)],
  ];
  const shown = rows.filter(([, value]) => value);
  return el(
    "dl", { class: "facts" },
    shown.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { text: value })])
  );
}

/** Describes where a model came from. */
function originText({ is_shipped: isShipped, origin }) {
  if (isShipped) return t("Shipped with Net Runner");
  if (!origin) return t("Imported");
  return t("{model} {version}, channel {channel} of {repository}", origin);
}

function labels(all) {
  if (all.length === 0) return null;
  const few = 24;
  const list = el("ul", { class: "chips" });
  const fill = (shown) => list.replaceChildren(...shown.map((label) => el("li", { text: label })));
  fill(all.slice(0, few));
  const section = el(
    "section", { class: "part" }, el("h3", { text: tn(all.length, "{n} label", "{n} labels") }), list
  );
  if (all.length > few) {
    const more = el("button", {
      class: "button quiet small", type: "button",
      text: t("Show all {count}", { count: whole(all.length) }),
    });
    more.addEventListener("click", () => {
      fill(all);
      more.remove();
    });
    section.append(more);
  }
  return section;
}

function layers(title, all) {
  if (!all?.length) return null;
  // Few descriptions say how tensors are stored. The graph shows it for all.
  const hasDataTypes = all.some(({ data_type: dataType }) => dataType);
  const rows = all.map(({ name, type, shape: lengths, data_type: dataType }) =>
    el("tr", {}, el("th", { scope: "row", text: name }), el("td", { class: "word", text: type }),
      el("td", { class: "word", text: shape(lengths ?? []) }),
      hasDataTypes ? el("td", { text: dataType ?? "" }) : null));
  const heads = [t("Name"), t("Type"), t("Shape"), hasDataTypes ? t("Data type") : null]
    .filter(Boolean).map((text) => el("th", { scope: "col", text }));
  return el("section", { class: "part" }, el("h3", { text: title }),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))));
}

function manifest(text, notices) {
  if (!text) return null;
  const code = el("pre", { class: "mono", id: "model-json", tabindex: "0", text });
  const copy = copyButton(code, notices, "model-json-copy");
  return el("details", { class: "part" }, el("summary", { text: "model.json" }), copy, code);
}
