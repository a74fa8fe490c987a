// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/* Runs on the thread of the browser's audio, and passes on what the microphone records. */

const length = 1024;

class Recorder extends AudioWorkletProcessor {
  #samples = new Float32Array(length);
  #count = 0;

  /** Takes the mean of the channels of 128 samples. */
  process([channels]) {
    const size = channels[0]?.length ?? 0;
    for (let place = 0; place < size; place += 1) {
      let sum = 0;
      for (const channel of channels) sum += channel[place];
      this.#samples[this.#count] = sum / channels.length;
      this.#count += 1;
      if (this.#count === length) this.#send();
    }
    return true;
  }

  #send() {
    this.port.postMessage(this.#samples, [this.#samples.buffer]);
    this.#samples = new Float32Array(length);
    this.#count = 0;
  }
}

registerProcessor("recorder", Recorder);
