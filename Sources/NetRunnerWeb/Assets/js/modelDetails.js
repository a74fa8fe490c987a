// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, icon } from "./dom.js";
import { bytes, count, shape, whole } from "./format.js";
import { kindName } from "./models.js";
import { confirmed } from "./notices.js";

/** The details of one model. */
export class ModelDetails {
  #app;
  #root;
  #turn = 0;

  constructor(app, root) {
    this.#app = app;
    this.#root = root;
  }

  async show(id) {
    this.#turn += 1;
    const turn = this.#turn;
    if (!id) return this.#root.replaceChildren();
    if (!this.#app.models.find(id)) return this.#explain(`The model '${id}' doesn't exist.`);
    try {
      const model = await this.#app.models.details(id);
      if (turn === this.#turn) this.#fill(model);
    } catch (error) {
      if (turn === this.#turn) this.#explain(error.message);
    }
  }

  #explain(text) {
    this.#root.replaceChildren(this.#back(), el("p", { class: "warn", text }));
  }

  #fill(model) {
    this.#root.replaceChildren(
      this.#back(),
      el("header", {},
        el("h2", { text: this.#app.models.nameOf(model) }),
        el("div", { class: "actions" }, this.#useButton(model), this.#deleteButton(model))),
      ...[
        isFilledIn(model.details) ? el("p", { class: "lead", text: model.details }) : null,
        model.can_run ? null : el(
          "p", { class: "warn", text: `This model can't run here. ${model.reason ?? ""}` }
        ),
        facts(model),
        layers("Inputs", model.inputs),
        layers("Outputs", model.outputs),
        labels(model.labels ?? []),
        manifest(model.manifest, this.#app.notices),
      ].filter(Boolean));
  }

  #back() {
    return el("a", { class: "back", href: "#/models" }, icon("left"), "All models");
  }

  #useButton(model) {
    const use = () => {
      this.#app.models.select(model.id);
      this.#app.go("live");
    };
    return el("button", {
      class: "button", type: "button", disabled: !model.can_run, on: {
        click: use
      }, text: "Use in Live",
    });
  }

  #deleteButton(model) {
    if (model.is_shipped) return null;
    const remove = async () => {
      const title = `Delete ${this.#app.models.nameOf(model)}?`;
      const text = "The model's folder will be deleted from the server. This can't be undone.";
      if (!(await confirmed({ title, text, action: "Delete" }))) return;
      try {
        await this.#app.models.delete(model.id);
        this.#app.notices.tell(`Deleted ${model.name}.`);
        this.#app.go("models");
      } catch (error) {
        this.#app.notices.warn(error.message);
      }
    };
    return el(
      "button",
      {
        class: "button quiet", id: "model-delete", type: "button", on: { click: remove },
        text: "Delete"
      }
    );
  }
}

function facts(model) {
  const { input } = model;
  const rows = [
    ["Kind", kindName(model.kind)],
    ["Type", model.type],
    ["Takes", input ? `${input.format}, ${input.width} × ${input.height}` : null],
    ["Camera", { back: "Back", front: "Front" }[model.device_position]],
    [
      "Backend",
      { tflite: "TensorFlow Lite", tensorflow: "TensorFlow" }[model.backend] ?? model.backend
    ],
    ["Size", bytes(model.size_bytes)],
    ["Author", isFilledIn(model.author) ? model.author : null],
    ["License", isFilledIn(model.license) ? model.license : null],
    ["Version", model.version],
    ["Identifier", model.id],
    ["Origin", originText(model)],
  ];
  const shown = rows.filter(([, value]) => value);
  return el(
    "dl", { class: "facts" },
    shown.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { text: value })])
  );
}

/** Whether a text of model.json isn't the mark of something that is still missing. */
function isFilledIn(text) {
  return Boolean(text) && !text.startsWith("(fill in:");
}

/** Describes where a model came from. */
function originText({ is_shipped: isShipped, origin }) {
  if (isShipped) return "Shipped with Net Runner";
  if (!origin) return "Imported";
  return `${origin.model} ${origin.version}, channel ${origin.channel} of ${origin.repository}`;
}

function labels(all) {
  if (all.length === 0) return null;
  const few = 24;
  const list = el("ul", { class: "chips" });
  const fill = (shown) => list.replaceChildren(...shown.map((label) => el("li", { text: label })));
  fill(all.slice(0, few));
  const section = el(
    "section", { class: "part" }, el("h3", { text: count(all.length, "label") }), list
  );
  if (all.length > few) {
    const more = el(
      "button",
      {
        class: "button quiet small", type: "button",
        text: `Show all ${whole(all.length)}`
      }
    );
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
  const rows = all.map(({ name, type, shape: lengths, data_type: dataType }) =>
    el("tr", {}, el("th", { scope: "row", text: name }), el("td", { text: type }),
      el("td", { text: shape(lengths ?? []) }), el("td", { text: dataType ?? "" })));
  const heads = ["Name", "Type", "Shape", "Data type"].map(
    (text) => el("th", { scope: "col", text })
  );
  return el("section", { class: "part" }, el("h3", { text: title }),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))));
}

function manifest(text, notices) {
  if (!text) return null;
  const code = el("pre", { class: "mono", id: "model-json", tabindex: "0", text });
  const copy = el("button", {
    class: "button quiet small", id: "model-json-copy", type: "button", text: "Copy",
    on: {
      click: async () => notices.tell(
        (await copied(text, code)) ? "Copied." : "The browser did not let the page copy."
      )
    },
  });
  return el("details", { class: "part" }, el("summary", { text: "model.json" }), copy, code);
}

/** Copies a text. Pages without https can only use the old way, which copies a selection. */
async function copied(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  }
}
