// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t } from "./messages.js";

/** Makes a button that copies an element's text. */
export function copyButton(element, notices, id = null) {
  return el("button", {
    class: "button quiet small", id, type: "button", text: t("Copy"),
    on: {
      click: async () => notices.tell(
        (await copied(element.textContent, element))
          ? t("Copied.") : t("The browser did not let the page copy.")
      ),
    },
  });
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
