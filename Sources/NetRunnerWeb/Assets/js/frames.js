// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { fitted } from "./geometry.js";

/** Makes JPEGs of a video's frames. */
export class FrameCapture {
  /** The last captured frame. */
  canvas = document.createElement("canvas");
  #context = this.canvas.getContext("2d", { alpha: false, willReadFrequently: true });

  /**
   * Captures the video's current frame, whose longer side is at most `longest`. Resolves to null
   * before the first frame.
   */
  async take(video, longest = 640, quality = 0.9) {
    if (!(video.videoWidth > 0)) return null;
    const { width, height } = fitted(video.videoWidth, video.videoHeight, longest);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.#context.drawImage(video, 0, 0, width, height);
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/jpeg", quality));
  }
}

/** Repeats work on one frame after another. The next work starts when the previous one is done. */
export class FrameLoop {
  #work;
  #stopper = null;

  /**
   * Makes a loop. The work receives a signal, which is aborted when its result is no longer needed.
   */
  constructor(work) {
    this.#work = work;
  }

  start() {
    if (this.#stopper) return;
    this.#stopper = new AbortController();
    this.#run(this.#stopper.signal);
  }

  stop() {
    this.#stopper?.abort();
    this.#stopper = null;
  }

  async #run(signal) {
    while (!signal.aborted) await this.#work(signal);
  }
}

/** Resolves when a video shows its next frame or the signal is aborted. */
export function nextFrame(video, signal) {
  return new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
    const done = () => {
      signal.removeEventListener("abort", resolve);
      resolve();
    };
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(done);
    else requestAnimationFrame(done);
  });
}

/** Resolves after a time or when the signal is aborted. */
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
