// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t, tn } from "./messages.js";

/** The most labels that the field shows. More are chosen as a file. */
const most = 20_000;

/**
 * A field for labels, one a line, which can also be chosen or dropped as a file. `wanted` is the number of the
 * output's classes, or null if it isn't known.
 */
export function labelField({ path, names = [], wanted, set }) {
  const area = el("textarea", {
    rows: 6, spellcheck: "false", class: "mono", data: { path },
    placeholder: t("One label a line"), "aria-label": t("Labels"),
  });
  const state = el("p", { class: "small", role: "status" });
  const file = el("input", { type: "file", accept: ".txt,.csv,.json,text/plain", hidden: true });
  const show = (labels) => {
    area.value = labels.slice(0, most).join("\n");
    area.readOnly = labels.length > most;
  };
  const tell = (labels) => {
    state.textContent = countText(labels.length, wanted);
    state.classList.toggle("bad", wanted !== null && labels.length < wanted);
  };
  const take = async (text) => {
    const labels = labelsIn(text);
    show(labels);
    tell(labels);
    set(labels);
  };
  area.addEventListener("input", () => {
    const labels = linesOf(area.value);
    tell(labels);
    set(labels);
  });
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (chosen) take(await chosen.text());
  });
  // A file of labels that is dropped here isn't a model or a photo.
  area.addEventListener("drop", async (event) => {
    const [dropped] = event.dataTransfer?.files ?? [];
    if (!dropped || !/\.(txt|csv|json)$/i.test(dropped.name)) return;
    event.preventDefault();
    event.stopPropagation();
    dispatchEvent(new DragEvent("dragleave", { dataTransfer: event.dataTransfer }));
    take(await dropped.text());
  });
  show(names);
  tell(names);
  const choose = el("button", {
    class: "button quiet small", type: "button", text: t("Choose a file of labels"),
    on: { click: () => file.click() },
  });
  return el(
    "div", { class: "field labels" }, el("span", { text: t("Labels") }), area,
    el("div", { class: "row" }, choose, state), file
  );
}

function countText(count, wanted) {
  if (wanted === null) return tn(count, "{n} label", "{n} labels");
  const classes = tn(wanted, "{n} class", "{n} classes");
  if (count === wanted) return tn(count, "{n} label for {classes}", "{n} labels for {classes}", { classes });
  if (count < wanted) return tn(
    count, "{n} label, but the output has {classes}. Add the missing ones.",
    "{n} labels, but the output has {classes}. Add the missing ones.", { classes }
  );
  return tn(
    count, "{n} label, but the output has only {classes}.",
    "{n} labels, but the output has only {classes}.", { classes }
  );
}

/** Returns the labels of a file: a list in JSON, or lines. */
function labelsIn(text) {
  try {
    const list = JSON.parse(text);
    if (Array.isArray(list)) return list.map(String);
  } catch {
    // Most files of labels have lines.
  }
  return linesOf(text);
}

function linesOf(text) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
