// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, icon } from "./dom.js";
import { t } from "./messages.js";
import { droppedEntries, entriesOf } from "./pictures.js";

/** Passes what is dropped or pasted anywhere on the page to the current view. */
export function followDrops({ hint, receive, notices }) {
  const veil = byId("veil");
  let depth = 0;
  const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const close = () => {
    depth = 0;
    veil.hidden = true;
  };
  addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth += 1;
    veil.querySelector("p").textContent = hint();
    veil.hidden = false;
  });
  addEventListener("dragover", (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  addEventListener("dragleave", (event) => {
    if (!carriesFiles(event)) return;
    depth -= 1;
    if (depth <= 0) close();
  });
  addEventListener("drop", async (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    close();
    try {
      receive(await droppedEntries(event.dataTransfer));
    } catch {
      notices.warn(t("The dropped files can't be read."));
    }
  });
  addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    receive(files.map((file) => ({ path: file.name, file })));
  });
}

/** Makes a hidden input that chooses files, by default images, or a folder. */
export function fileInput(id, isFolder, receive, accept = "image/*") {
  const choose = ({ target }) => {
    if (target.files.length > 0) receive(entriesOf(target.files));
    target.value = "";
  };
  return el("input", {
    type: "file", id, multiple: true, hidden: true, webkitdirectory: isFolder,
    accept: isFolder ? null : accept, on: { change: choose },
  });
}

/** Makes an area to drop files on, with a button for each `{text, kind, action}`. */
export function dropArea({ kind, iconName, title, details, buttons }, ...children) {
  return el("div", { class: kind }, icon(iconName), el("p", { text: title }),
    el("p", { class: "muted small", text: details }),
    el("div", { class: "actions" }, buttons.map(({ text, kind, action }) => el(
      "button", { class: `button ${kind}`, type: "button", text, on: { click: action } }
    ))),
    children);
}
