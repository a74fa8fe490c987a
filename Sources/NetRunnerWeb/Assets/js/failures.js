// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t } from "./messages.js";

/**
 * Makes the parts of a message about a failure: a sentence for everybody, a button that helps, which
 * is a pair of a text and a function, and the technical detail, which is folded.
 */
export function failureParts({ text, action, detail }) {
  return [
    el("p", { text }),
    action ? el("div", { class: "actions" }, el(
      "button", { class: "button", type: "button", text: action[0], on: { click: action[1] } }
    )) : null,
    detail ? el("details", {}, el("summary", { text: t("Details") }), el("p", {}, withOptions(detail))) : null,
  ].filter(Boolean);
}

/** Returns the parts of a text whose options, such as `--key`, stay on one line. */
function withOptions(text) {
  return text.split(/(--[\w-]+)/).map(
    (part, place) => (place % 2 === 1 ? el("span", { class: "option", text: part }) : part)
  );
}

/** Shows a message about a failure in an element of index.html, or hides it if there is none. */
export function showFailure(root, failure) {
  root.hidden = !failure;
  // Shown again each second, its details would close.
  const key = failure ? [failure.text, failure.detail].join("\n") : "";
  if (root.dataset.shown === key) return;
  root.dataset.shown = key;
  root.replaceChildren(...(failure ? failureParts(failure) : []));
}
