// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { answerCount } from "./labeling.js";
import { el } from "./dom.js";
import { t } from "./messages.js";

/** Makes the list of keys. `show(task, hasLabels)` shows those of a task. */
export function keyHelp() {
  const list = el("dl", { class: "facts" });
  const root = el("details", { class: "keys" }, el("summary", { text: t("Keys") }), list);
  const row = ([keys, text]) => [
    el("dt", {}, keys.map((name) => el("kbd", { text: name }))), el("dd", { text }),
  ];
  return {
    root,
    show: (task, hasLabels) => {
      const keys = task === "shapes" ? shapeKeys() : imageKeys();
      const choices = hasLabels ? choiceKeys(task) : [];
      list.replaceChildren(...[...keys, ...choices].flatMap(row));
    },
  };
}

function imageKeys() {
  return [
    [["→", "←"], t("Next and previous image")],
    [[t("Esc")], t("Show all images")],
    [["+", "−"], t("Zoom")],
    [[t("Ctrl"), "Z"], t("Undo")],
  ];
}

function choiceKeys(task) {
  if (task === "shapes") return [
    [["1–0"], t("Give the selected shape a label")],
    [["/"], t("Search a label")],
  ];
  return [
    [[`1–${answerCount}`], t("The model's best answers")],
    [[`${answerCount + 1}–0`], t("Recent labels")],
    [["A–Z"], t("Search a label")],
    [[t("Enter")], t("Take the first label that was found")],
  ];
}

function shapeKeys() {
  return [
    [["B"], t("Add a box")],
    [["P"], t("Start an outline")],
    [[t("Space")], t("Place a corner of the outline")],
    [[t("Enter")], t("Close the outline, or go to the next image")],
    [["T"], t("Take over the model's boxes")],
    [[t("Tab")], t("Select the next shape")],
    [["←", "↑", "→", "↓"], t("Move the selected shape, or the corner")],
    [[t("Shift"), "→"], t("Resize the selected shape")],
    [[t("Del")], t("Delete the selected shape")],
    [[t("Esc")], t("Select nothing, or show all images")],
    [[t("PgDn"), t("PgUp")], t("Next and previous image")],
    [["+", "−"], t("Zoom")],
    [[t("Ctrl"), "Z"], t("Undo")],
  ];
}
