// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/**
 * A view whose scripts are loaded when it is shown first, or receives files first. The live view, with which
 * most people start, appears sooner without the scripts of the others.
 */
export class LazyView {
  root;
  #load;
  #failed;
  #loading = null;
  #shown = null;
  #waitsForRetry = false;

  /**
   * Makes the view of an element in index.html. `load` resolves to the view itself. `failed` is called
   * if it can't be loaded, and resolves when the view that is shown should be loaded again.
   */
  constructor(name, load, failed) {
    this.root = document.querySelector(`[data-view=${name}]`);
    // Until then, nothing would happen after a click.
    this.root.inert = true;
    this.#load = load;
    this.#failed = failed;
  }

  show(rest) {
    this.#shown = rest;
    this.with((view) => this.#shown === rest && view.show(rest));
  }

  hide() {
    this.#shown = null;
    this.with((view) => this.#shown === null && view.hide());
  }

  receive(entries) {
    this.with((view) => view.receive(entries));
  }

  /** Calls a function with the view, as soon as it is loaded. */
  async with(action) {
    this.#loading ??= this.#load();
    let view;
    try {
      view = await this.#loading;
    } catch {
      this.#loading = null;
      return this.#retry();
    }
    this.root.inert = false;
    action(view);
  }

  /** Loads the view again if it is still shown by then. */
  async #retry() {
    if (this.#waitsForRetry) return;
    this.#waitsForRetry = true;
    await this.#failed();
    this.#waitsForRetry = false;
    if (this.#shown !== null) this.show(this.#shown);
  }
}
