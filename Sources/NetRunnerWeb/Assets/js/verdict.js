// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, icon } from "./dom.js";
import { t, tn } from "./messages.js";
import { topLabel } from "./readout.js";

/** The time between two updates of the tally, in milliseconds. More often, nobody could read it. */
const tallyInterval = 200;

/** Says whether two classifiers have the same best label for an image, and for how many images. */
export class Verdict {
  #root;
  #announcer;
  #images = 0;
  #same = 0;
  #nextTally = 0;
  #text = el("strong");
  #tally = el("span", { class: "muted small" });
  #icon = el("span");
  #isSame = null;

  constructor(root, announcer) {
    this.#root = root;
    this.#announcer = announcer;
    root.replaceChildren(this.#icon, el("span", {}, this.#text, el("br"), this.#tally));
  }

  /** Forgets all images. */
  clear() {
    this.#images = this.#same = 0;
    this.hide();
  }

  hide() {
    this.#root.hidden = true;
    this.#nextTally = 0;
  }

  /** Compares the two models' results for an image. Only classifiers have a best label. */
  add(first, second) {
    if (first.kind !== "classification" || second.kind !== "classification") return;
    const labels = [first, second].map((result) => topLabel(result).trim());
    const isSame = labels[0].toLowerCase() === labels[1].toLowerCase();
    this.#images += 1;
    if (isSame) this.#same += 1;
    this.#show(labels.map((label) => label || t("no label")), isSame);
  }

  #show(labels, isSame) {
    const text = isSame
      ? t("Same best label: {label}", { label: labels[0] })
      : t("Different best labels: {first} and {second}", { first: labels[0], second: labels[1] });
    if (this.#text.textContent !== text || this.#root.hidden) {
      this.#text.textContent = text;
      this.#announcer.say(text);
    }
    if (isSame !== this.#isSame) {
      this.#isSame = isSame;
      this.#root.classList.toggle("differs", !isSame);
      this.#icon.replaceChildren(icon(isSame ? "check" : "close"));
    }
    this.#root.hidden = false;
    if (performance.now() < this.#nextTally) return;
    this.#nextTally = performance.now() + tallyInterval;
    this.#tally.textContent = tn(
      this.#images, "The same for {same} of {n} image", "The same for {same} of {n} images",
      { same: this.#same }
    );
  }
}
