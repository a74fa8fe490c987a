// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { fitted } from "./geometry.js";

/** Makes JPEGs of a video's frames. */
export class FrameCapture {
  #worker = null;
  #waiting = new Map();
  #count = 0;

  /**
   * Captures the video's current frame, whose longer side is at most `longest`. Resolves to the JPEG
   * and, if `keepsImage`, the image, which the caller closes. Resolves to null before the first
   * frame.
   */
  async take(video, { longest = 640, quality = 0.9, keepsImage = false } = {}) {
    if (!(video.videoWidth > 0)) return null;
    const frame = await current(video);
    if (!frame) return null;
    const { width, height } = fitted(video.videoWidth, video.videoHeight, longest);
    this.#worker ??= this.#start();
    this.#count += 1;
    const number = this.#count;
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      this.#worker.postMessage({ frame, width, height, quality, number, keepsImage }, [frame]);
    });
  }

  #start() {
    const worker = new Worker(new URL("frameEncoder.js", import.meta.url));
    worker.onmessage = ({ data: { number, blob, image } }) => {
      this.#waiting.get(number)?.({ blob, image });
      this.#waiting.delete(number);
    };
    // The frame is lost. The next one may be encoded.
    worker.onerror = worker.onmessageerror = () => {
      for (const resolve of this.#waiting.values()) resolve(null);
      this.#waiting.clear();
    };
    return worker;
  }
}

/** Resolves to the frame that a video shows, or to null if it has none yet. */
async function current(video) {
  try {
    return window.VideoFrame ? new VideoFrame(video) : await createImageBitmap(video);
  } catch {
    return null;
  }
}

/**
 * Repeats work on one frame after another, with up to three frames in progress.
 *
 * The work resolves to how long the frame waited in the server's queue and how long it took there
 * apart from that, or to null. If frames wait, other requests keep the server busy, and fewer frames
 * are sent at once. Because a frame is taken only when there is room for it, frames never queue here.
 */
export class FrameLoop {
  #work;
  #stopper = null;
  #pace;
  #captures = new Turns();
  #sendings = new Turns();

  /**
   * Makes a loop. The work receives a signal, which is aborted when its result is no longer needed.
   */
  constructor(work) {
    this.#work = work;
  }

  /** Starts with a number of frames that may be in progress at once. */
  start(most = 3) {
    if (this.#stopper) return;
    this.#stopper = new AbortController();
    this.#pace = new Pace(most);
    for (let place = 0; place < this.#pace.most; place += 1) this.#run(place, this.#stopper.signal);
  }

  stop() {
    this.#stopper?.abort();
    this.#stopper = null;
  }

  async #run(place, signal) {
    while (!signal.aborted) {
      if (document.hidden || place >= this.#pace.limit) await pause(idle, signal);
      else {
        await this.#captures.next(refresh, signal);
        if (signal.aborted) return;
        const start = performance.now();
        const times = await this.#work(signal);
        this.#pace.learn(times, performance.now() - start);
      }
    }
  }

  /**
   * Waits until the frame before was sent some time ago. Of two frames that are sent at once, the newer one
   * is often done first, and the work on the older one is then lost.
   */
  sending(signal) {
    return this.#sendings.next(this.#pace.spacing, signal);
  }
}

/** Moments that are at least some time apart. */
class Turns {
  #next = 0;

  /** Waits for the next moment. The one after it is an interval in milliseconds later. */
  next(interval, signal) {
    const now = performance.now();
    const start = Math.max(now, this.#next);
    this.#next = start + interval;
    return start > now ? pause(start - now, signal) : undefined;
  }
}

/** The time between two refreshes of usual screens, in milliseconds. Frames are taken at least so far apart. */
const refresh = 1000 / 60;

/** How often a place that isn't used looks whether it is, in milliseconds. */
const idle = 50;

/** Decides how many frames are in progress at once, by how long they wait for the server. */
class Pace {
  most;
  limit;
  #share;
  #count;
  /** The recent mean of the milliseconds from taking a frame to its result. */
  #duration = 0;

  constructor(most) {
    this.most = most;
    this.limit = Math.min(2, most);
    this.#forget();
  }

  /** Half of the time between two frames if they are sent evenly, in milliseconds, but at most 50. */
  get spacing() {
    return Math.min(50, this.#duration / this.limit / 2);
  }

  /** Takes account of a frame's times, and of how long it took in all. */
  learn(times, duration) {
    if (!times) return;
    this.#duration += (duration - this.#duration) / 8;
    this.#count += 1;
    // A wait of a few milliseconds says nothing about how busy the server is.
    const share = times.wait / Math.max(times.work, 5);
    this.#share += (share - this.#share) / Math.min(this.#count, 8);
    if (this.#count >= 8 && this.#share > 0.75 && this.limit > 1) {
      this.limit -= 1;
      this.#forget();
    } else if (this.#count >= 24 && this.#share < 0.25 && this.limit < this.most) {
      this.limit += 1;
      this.#forget();
    }
  }

  #forget() {
    this.#share = 0;
    this.#count = 0;
  }
}

/** Resolves after a time or when the signal is aborted. */
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // A signal lives as long as its loop, which pauses many times a second.
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}
