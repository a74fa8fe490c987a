// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/**
 * Knows whether the server responds. It sends "lost" and "back" and, while the connection is lost,
 * it retries by itself.
 */
export class Connection extends EventTarget {
  isLost = false;
  #ask;
  #waits;
  #timer = null;

  /**
   * Makes a connection that is back as soon as `ask` resolves to true. The waits are in
   * milliseconds.
   */
  constructor(ask, waits = [500, 1000, 2000, 4000]) {
    super();
    this.#ask = ask;
    this.#waits = waits;
  }

  /** Reports that a request got no response. */
  lost() {
    if (this.isLost) return;
    this.isLost = true;
    this.dispatchEvent(new Event("lost"));
    this.#retry(0);
  }

  /** Resolves when the server responds, or immediately if the connection isn't lost. */
  whenBack() {
    if (!this.isLost) return Promise.resolve();
    return new Promise((resolve) => this.addEventListener("back", resolve, { once: true }));
  }

  /** Retries now instead of after the next wait. */
  retry() {
    if (!this.isLost || this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#look(0);
  }

  #retry(attempt) {
    const wait = this.#waits[Math.min(attempt, this.#waits.length - 1)];
    this.#timer = setTimeout(() => this.#look(attempt), wait);
  }

  async #look(attempt) {
    this.#timer = null;
    if (!(await this.#ask())) return this.#retry(attempt + 1);
    this.isLost = false;
    this.dispatchEvent(new Event("back"));
  }
}
