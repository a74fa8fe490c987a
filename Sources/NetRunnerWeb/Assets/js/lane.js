// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/**
 * Runs one piece of work at a time. Of the pieces that wait, only the newest is kept. An older one
 * is dropped, and its promise resolves to undefined.
 */
export class Lane {
  #busy = false;
  #waiting = null;

  /** Runs work as soon as the lane is free. */
  run(work) {
    return new Promise((resolve, reject) => {
      this.#waiting?.resolve(undefined);
      this.#waiting = { work, resolve, reject };
      this.#next();
    });
  }

  async #next() {
    if (this.#busy || !this.#waiting) return;
    const { work, resolve, reject } = this.#waiting;
    this.#waiting = null;
    this.#busy = true;
    try {
      resolve(await work());
    } catch (error) {
      reject(error);
    } finally {
      this.#busy = false;
      this.#next();
    }
  }
}
