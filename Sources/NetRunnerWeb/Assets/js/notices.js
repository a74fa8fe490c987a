// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, icon } from "./dom.js";
import { t } from "./messages.js";

/** Short messages at the bottom of the page, which disappear by themselves. */
export class Notices {
  #root;

  constructor(root) {
    this.#root = root;
  }

  /** Shows what happened. */
  tell(text) {
    this.#show(text, "notice", 5000);
  }

  /** Shows what went wrong. */
  warn(text) {
    this.#show(text, "notice bad", 9000);
  }

  #show(text, kind, milliseconds) {
    const notice = el("div", { class: kind }, el("p", { text }));
    const close = el(
      "button", { class: "plain", "aria-label": t("Close"), on: { click: () => notice.remove() } }
    );
    close.append(icon("close"));
    notice.append(close);
    while (this.#root.children.length > 2) this.#root.firstChild.remove();
    this.#root.append(notice);
    setTimeout(() => notice.remove(), milliseconds);
  }
}

/** Asks before something that can't be undone. Resolves to whether the user agreed. */
export function confirmed({ title, text, action }) {
  const dialog = byId("confirm");
  dialog.querySelector("h2").textContent = title;
  dialog.querySelector("p").textContent = text;
  dialog.querySelector("[value=yes]").textContent = action;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
