// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { decoded } from "./router.js";

const key = "net-runner.token";

/** Returns the token in a URL's fragment such as `#token=T`, or null. */
function tokenInHash(hash) {
  const match = /^#token=([^&]+)/.exec(hash);
  return match ? decoded(match[1]) : null;
}

/** The token that the server may ask for, which is kept until the tab is closed. */
export class Token {
  #dialog;
  #value;
  #asking = null;

  /**
   * Takes the token from the page's URL, which is then removed there, or from the tab's storage.
   */
  constructor(dialog) {
    this.#dialog = dialog;
    const given = tokenInHash(location.hash);
    if (given) {
      history.replaceState(null, "", `${location.pathname}${location.search}#/live`);
      this.#keep(given);
    } else {
      this.#value = sessionStorage.getItem(key);
    }
  }

  get value() {
    return this.#value;
  }

  /** Asks the user, only once for several refused requests. Resolves when there is a token. */
  ask() {
    this.#asking ??= new Promise((resolve) => {
      const form = this.#dialog.querySelector("form");
      const field = form.elements.namedItem("token");
      this.#dialog.querySelector("[data-refused]").hidden = !this.#value;
      field.value = "";
      form.onsubmit = () => {
        this.#keep(field.value.trim());
        this.#asking = null;
        resolve();
      };
      this.#dialog.oncancel = (event) => event.preventDefault();
      this.#dialog.showModal();
    });
    return this.#asking;
  }

  #keep(value) {
    this.#value = value;
    sessionStorage.setItem(key, value);
  }
}
