// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId, el, icon } from "./dom.js";
import { cameras } from "./camera.js";

/** The sheet in which the user chooses a source of images. */
export class Sources {
  actions;
  #dialog = byId("sources");
  #devices = byId("source-devices");

  /**
   * The actions by source are camera(deviceId), photo, files(files), video(file), samples and draw.
   */
  constructor(actions) {
    this.actions = actions;
    byId("source").addEventListener("click", () => this.open());
    for (const button of this.#dialog.querySelectorAll("[data-source]")) {
      button.addEventListener("click", () => this.#choose(button.dataset.source));
    }
    for (const name of ["files", "folder", "video", "photo"]) this.#followInput(name);
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
  }

  /** Opens the sheet. It offers drawing if the model sees small squares. */
  async open() {
    byId("source-draw").hidden = !this.actions.canDraw();
    this.#dialog.showModal();
    const devices = await cameras();
    const named = devices.filter(({ label }) => label);
    this.#devices.replaceChildren(
      ...(named.length > 1 ? named.map((each) => this.#device(each)) : [])
    );
  }

  /** Shows the current source on the button. */
  show(iconName, text) {
    byId("source").replaceChildren(
      icon(iconName), el("span", { class: "button-text", text }), icon("down")
    );
  }

  /** Lets the user choose files of a kind: "files", "folder", "video" or "photo". */
  ask(name) {
    byId(`${name}-input`).click();
  }

  #choose(name) {
    this.#dialog.close();
    if (["files", "folder", "video"].includes(name)) this.ask(name);
    else this.actions[name]();
  }

  #device({ deviceId, label }) {
    const choose = () => {
      this.#dialog.close();
      this.actions.camera({ deviceId });
    };
    return el(
      "button", { type: "button", class: "choice small", on: { click: choose } },
      el("span", { text: label })
    );
  }

  #followInput(name) {
    const input = byId(`${name}-input`);
    input.addEventListener("change", () => {
      const files = [...input.files];
      input.value = "";
      if (files.length === 0) return;
      if (name === "video") this.actions.video(files[0]);
      else this.actions.files(files);
    });
  }
}
