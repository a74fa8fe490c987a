// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { fitted } from "./geometry.js";

/** Makes JPEGs of what a video shows. */
export class FrameCapture {
  /** The frame that was taken last. */
  canvas = document.createElement("canvas");
  #context = this.canvas.getContext("2d", { alpha: false, willReadFrequently: true });

  /** The frame that a video shows now, its longer side at most `longest`; null before the first. */
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

/** Repeats work on a frame after another: the next begins when the last is done. */
export class FrameLoop {
  #work;
  #stopper = null;

  /** Work takes a signal, which is aborted when its result is no longer wanted. */
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

/** Resolves when a video shows its next frame, or when the signal is aborted. */
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

/** Resolves after a time, or when the signal is aborted. */
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
