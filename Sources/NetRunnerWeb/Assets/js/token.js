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
    if (given !== null) {
      history.replaceState(null, "", `${location.pathname}${location.search}#/live`);
    }
    if (given !== null && canBeSent(given)) {
      this.#keep(given);
    } else {
      this.#value = stored();
    }
  }

  /** Whether there is a token. */
  get isThere() {
    return Boolean(this.#value);
  }

  /**
   * The value of a request's `Authorization`. Browsers take only characters up to U+00FF there, of which each is
   * sent as a byte. The characters are therefore the bytes of the token's UTF-8.
   */
  get authorization() {
    return `Bearer ${String.fromCharCode(...new TextEncoder().encode(this.#value))}`;
  }

  /** Asks the user, only once for several refused requests. Resolves when there is a token. */
  ask() {
    this.#asking ??= new Promise((resolve) => {
      const form = this.#dialog.querySelector("form");
      const field = form.elements.namedItem("token");
      this.#dialog.querySelector("[data-refused]").hidden = !this.#value;
      field.value = "";
      form.onsubmit = (event) => {
        const value = field.value.trim();
        if (!canBeSent(value)) {
          event.preventDefault();
          this.#dialog.querySelector("[data-refused]").hidden = false;
          return;
        }
        this.#keep(value);
        this.#asking = null;
        resolve();
      };
      this.#dialog.oncancel = (event) => event.preventDefault();
      // Browsers let people close a dialog with a second Esc. Without a token, the page can't do anything.
      this.#dialog.onclose = () => {
        if (this.#asking && !this.#dialog.open) this.#dialog.showModal();
      };
      this.#dialog.showModal();
    });
    return this.#asking;
  }

  #keep(value) {
    this.#value = value;
    try {
      sessionStorage.setItem(key, value);
    } catch {
      // The storage is full or forbidden. The token holds until the page is closed.
    }
  }
}

/** Returns the token in the tab's storage, or null if there is none or the storage is forbidden. */
function stored() {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Whether a header field can have a text as its value. No server's token has other characters. */
function canBeSent(text) {
  return text !== "" && !/[\0-\x1f\x7f]/.test(text);
}
