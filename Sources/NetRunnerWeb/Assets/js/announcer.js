// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** Tells screen readers what changed, at most once every two seconds. */
export class Announcer {
  #region;
  #last = 0;
  #timer = null;
  #pending = "";

  constructor(region) {
    this.#region = region;
  }

  /** Says a text now, or the newest of several texts as soon as two seconds have passed. */
  say(text) {
    if (text === this.#pending) return;
    this.#pending = text;
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#last + 2000 - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#last = performance.now();
      if (this.#region.textContent !== this.#pending) this.#region.textContent = this.#pending;
    }, wait);
  }
}
