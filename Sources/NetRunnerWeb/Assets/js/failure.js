// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t } from "./messages.js";

/** Makes a message about something that failed: a title, a sentence, a button, and the details, folded. */
export function failure({ title, text, action, message }) {
  return el(
    "div", { class: "warn" }, el("strong", { text: title }), text ? el("p", { text }) : null,
    action ? el("p", {}, action) : null,
    message ? el(
      "details", {}, el("summary", { text: t("Details") }), el("p", { class: "small", text: message })
    ) : null
  );
}
