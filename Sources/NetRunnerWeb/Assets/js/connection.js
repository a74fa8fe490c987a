// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** Whether the server answers. Sends "lost" and "back"; while it is lost, it asks by itself. */
export class Connection extends EventTarget {
  isLost = false;
  #ask;
  #waits;

  /** A connection that is back as soon as `ask` resolves to true; waits are in milliseconds. */
  constructor(ask, waits = [500, 1000, 2000, 4000]) {
    super();
    this.#ask = ask;
    this.#waits = waits;
  }

  /** Tells that a request got no answer. */
  lost() {
    if (this.isLost) return;
    this.isLost = true;
    this.dispatchEvent(new Event("lost"));
    this.#retry(0);
  }

  /** Resolves when the server answers; at once if it does. */
  whenBack() {
    if (!this.isLost) return Promise.resolve();
    return new Promise((resolve) => this.addEventListener("back", resolve, { once: true }));
  }

  #retry(attempt) {
    const wait = this.#waits[Math.min(attempt, this.#waits.length - 1)];
    setTimeout(async () => {
      if (!(await this.#ask())) return this.#retry(attempt + 1);
      this.isLost = false;
      this.dispatchEvent(new Event("back"));
    }, wait);
  }
}
