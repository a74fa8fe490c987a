// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

const key = "net-runner.token";

/** The token in an address such as `#token=T`, or null. */
export function tokenInHash(hash) {
  const match = /^#token=([^&]+)/.exec(hash);
  return match ? decodeURIComponent(match[1]) : null;
}

/** The token that the server asks for, if it does; kept until the tab is closed. */
export class Token {
  #dialog;
  #value;
  #asking = null;

  /** A token from the page's address, which loses it, or from the tab. */
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

  /** Asks the person, once however many requests were refused; resolves when there is a token. */
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
