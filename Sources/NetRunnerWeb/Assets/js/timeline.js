// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId } from "./dom.js";

/** The slider under a video file. */
export class Timeline {
  /** Called when the video shows the chosen position. */
  onseek = () => {};
  #slider = byId("timeline");
  #video;

  constructor(video) {
    this.#video = video;
    this.#slider.addEventListener("input", () => {
      if (
        Number.isFinite(video.duration)
      ) video.currentTime = (this.#slider.value / 1000) * video.duration;
    });
    video.addEventListener("seeked", () => {
      if (!this.#slider.hidden) this.onseek();
    });
    video.addEventListener("timeupdate", () => {
      if (this.#slider.hidden || !Number.isFinite(video.duration)) return;
      this.#slider.value = Math.round((1000 * video.currentTime) / video.duration);
    });
  }

  /** Plays a video file from its beginning. Rejects if the browser can't play it. */
  async open(file) {
    this.close();
    this.#video.src = URL.createObjectURL(file);
    this.#video.loop = true;
    this.#slider.hidden = false;
    this.#slider.value = 0;
    await this.#video.play();
  }

  close() {
    this.#slider.hidden = true;
    if (!this.#video.src) return;
    this.#video.pause();
    URL.revokeObjectURL(this.#video.src);
    this.#video.removeAttribute("src");
    this.#video.load();
  }
}
