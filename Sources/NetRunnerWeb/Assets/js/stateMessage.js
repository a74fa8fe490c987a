// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t } from "./messages.js";

/**
 * Makes the message of a view without content: a sentence, perhaps a button, and the technical
 * details, which are folded.
 */
export function stateMessage({ text, action, run, details, isBad = false }) {
  return el("div", { class: isBad ? "state-message warn" : "state-message", role: "status" },
    el("p", { text }),
    action ? el("button", {
      class: "button", type: "button", text: action, on: { click: run },
    }) : null,
    details ? el("details", {},
      el("summary", { text: t("Technical details") }), el("p", { class: "mono", text: details })
    ) : null);
}

/** Makes the message about a request that failed, with a button that tries again. */
export function failureMessage(error, run) {
  const isGone = error.code === "server_gone";
  return stateMessage({
    text: isGone ? t("The server doesn't answer.") : t("The results can't be read."),
    action: t("Try again"), run, details: error.message, isBad: true,
  });
}
