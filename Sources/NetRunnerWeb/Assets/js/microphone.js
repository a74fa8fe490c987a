// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { t } from "./messages.js";
import { SampleRing } from "./sounds.js";

/** Returns what the user can do about an error of the microphone. */
export function microphoneAdvice(error) {
  const advice = {
    NotAllowedError: t("The microphone is not allowed. Allow it in the browser's settings for this page, then try again."),
    NotFoundError: t("No microphone was found. Connect one and try again, or choose a recording."),
    NotReadableError: t("Another program uses the microphone. Close that program, then try again."),
    insecure: t("Browsers only let https pages and localhost use the microphone. Choose a recording instead."),
  };
  return advice[error.name] ?? t("The microphone did not start. Choose a recording instead.");
}

/** The device's microphone, of which the last seconds are kept. */
export class Microphone {
  onend = () => {};
  #context = null;
  #stream = null;
  #ring = null;
  #turn = 0;

  get isOn() {
    return this.#stream !== null;
  }

  /** The number of samples in a second. */
  get sampleRate() {
    return this.#context?.sampleRate ?? 0;
  }

  /**
   * Starts to record, and keeps a number of seconds. Resolves to false if another start or a stop
   * happened in the meantime. Fails with a browser's error.
   */
  async start(seconds) {
    this.stop();
    if (!navigator.mediaDevices) throw Object.assign(new Error(), { name: "insecure" });
    const turn = this.#turn;
    // What browsers do to voices would change the numbers that the model gets.
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
    });
    const context = new AudioContext();
    try {
      await context.audioWorklet.addModule("js/recorder.js");
      await context.resume();
    } catch (error) {
      release(stream, context);
      throw error;
    }
    if (turn !== this.#turn) {
      release(stream, context);
      return false;
    }
    this.#stream = stream;
    this.#context = context;
    const ring = new SampleRing(Math.ceil(seconds * context.sampleRate));
    this.#ring = ring;
    const recorder = new AudioWorkletNode(context, "recorder", { numberOfOutputs: 0 });
    recorder.port.onmessage = ({ data }) => ring.add(data);
    context.createMediaStreamSource(stream).connect(recorder);
    for (const track of stream.getTracks()) {
      track.addEventListener("ended", () => {
        if (stream !== this.#stream) return;
        this.stop();
        this.onend();
      });
    }
    return true;
  }

  /** Returns the last samples, or null while there are fewer. */
  latest(count) {
    return this.#ring?.latest(count) ?? null;
  }

  stop() {
    this.#turn += 1;
    if (this.#stream) release(this.#stream, this.#context);
    this.#stream = this.#context = null;
  }
}

function release(stream, context) {
  for (const track of stream.getTracks()) track.stop();
  context.close();
}
