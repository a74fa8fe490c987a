// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, icon, setIconButton } from "./dom.js";
import { ExampleButtons } from "./examples.js";
import { FrameLoop, pause } from "./frames.js";
import { t, tn } from "./messages.js";
import { Microphone, microphoneAdvice } from "./microphone.js";
import { drawWave, isSound, readableSound, wavFile, windowLength } from "./sounds.js";

/** The time between two runs on the microphone, in milliseconds. */
const interval = 100;

/** Runs a model on the microphone or on a recording. */
export class SoundPanel {
  #api;
  #inference;
  #display;
  #microphone = new Microphone();
  #loop = new FrameLoop((signal) => this.#runWindow(signal));
  #recording = null;
  #file = null;
  /** Counts the chosen sounds, so that a recording that was read for an earlier choice is dropped. */
  #choice = 0;
  #samples = new Float32Array(0);
  #wave = el("canvas", { class: "wave", role: "img", "aria-label": t("The sound") });
  #name = el("p", { class: "sound-name", role: "status" });
  #player = el("audio", { controls: true, hidden: true, "aria-label": t("The recording") });
  #listen = el("button", {
    type: "button", class: "button sound-listen", on: { click: () => this.toggle() }
  });
  #input = el("input", {
    type: "file", class: "sound-input", accept: "audio/*,.wav,.flac,.ogg", hidden: true,
    on: { change: () => this.#choose() }
  });
  #examples = new ExampleButtons((file, error) => this.#openExample(file, error));
  root = el("div", { class: "sound" }, this.#wave, this.#name, this.#player,
    el("div", { class: "actions" }, this.#listen, el(
      "button", {
        type: "button", class: "button dark", on: { click: () => this.#input.click() }
      }, icon("folder"), t("Choose a recording")
    ), this.#input), this.#examples.root);

  constructor(api, inference, display) {
    this.#api = api;
    this.#inference = inference;
    this.#display = display;
    this.#microphone.onend = () => this.pause();
    this.#showButton();
    new ResizeObserver(() => this.#draw()).observe(this.#wave);
  }

  /**
   * Shows the panel for a model. A recording that was chosen before stays. Otherwise, the panel can start
   * with the model's first example.
   */
  async open(model, { startsWithExample = false } = {}) {
    const { recording } = model;
    this.#recording = recording;
    this.#showButton();
    if (this.#file) this.run();
    else if (!this.#microphone.isOn) this.#tell(needed(recording));
    const choice = this.#choice;
    await this.#examples.show(this.#api, model);
    const isFree = choice === this.#choice && !this.#file && !this.#microphone.isOn;
    if (startsWithExample && isFree) this.#examples.openFirst();
  }

  /** Stops to listen. */
  pause() {
    this.#loop.stop();
    this.#microphone.stop();
    this.#showButton();
  }

  /** Starts or stops to listen. */
  async toggle() {
    if (this.#microphone.isOn) return this.pause();
    this.#forget();
    const choice = this.#choice;
    const { samples, sample_rate: rate } = this.#recording;
    try {
      if (!(await this.#microphone.start(Math.max(3, (2 * samples) / rate)))) return;
    } catch (error) {
      if (choice !== this.#choice) return;
      return this.#display.explain({
        text: microphoneAdvice(error), detail: error.message,
        action: [t("Try again"), () => this.toggle()],
      });
    }
    this.#display.begin("microphone", true);
    this.#tell(t("Listening"));
    this.#showButton();
    this.#loop.start(1);
  }

  /** Takes a recording from files. Returns whether there was one. */
  take(files) {
    const file = files.find(isSound);
    if (file) this.#open(file);
    return Boolean(file);
  }

  /** Runs the model again on the chosen recording. */
  async run() {
    if (this.#file) await this.#inference.run(this.#file, { iterations: 1 });
  }

  #choose() {
    const files = [...this.#input.files];
    this.#input.value = "";
    if (files.length > 0) this.take(files);
  }

  #openExample(file, error) {
    if (file) return this.#open(file);
    this.#display.explain({ text: t("The example can't be loaded."), detail: error.message });
  }

  async #open(file) {
    this.pause();
    this.#forget();
    this.#display.begin("recording", false);
    this.#tell(file.name);
    const choice = this.#choice;
    try {
      const { blob, samples } = await readableSound(file);
      if (choice !== this.#choice) return;
      this.#file = blob;
      this.#samples = samples;
    } catch {
      if (choice !== this.#choice) return;
      return this.#display.explain({
        text: t("This browser can't read {name} as a recording.", { name: file.name }),
        action: [t("Choose a recording"), () => this.#input.click()],
      });
    }
    this.#player.src = URL.createObjectURL(file);
    this.#player.hidden = false;
    this.#draw();
    await this.run();
  }

  /** Runs the model on the last samples that it takes. */
  async #runWindow(signal) {
    await pause(interval, signal);
    const rate = this.#microphone.sampleRate;
    const samples = rate ? this.#microphone.latest(windowLength(this.#recording, rate)) : null;
    if (!samples || signal.aborted) return;
    this.#samples = samples;
    this.#draw();
    const frame = { moment: performance.now() };
    const query = { source: this.#display.session };
    await this.#inference.run(wavFile(samples, rate), query, signal, frame);
  }

  #forget() {
    this.#choice += 1;
    this.#inference.renew();
    this.#file = null;
    this.#samples = new Float32Array(0);
    if (this.#player.src) URL.revokeObjectURL(this.#player.src);
    this.#player.removeAttribute("src");
    this.#player.hidden = true;
    this.#draw();
  }

  #draw() {
    if (this.#wave.clientWidth > 0) drawWave(this.#wave, this.#samples);
  }

  #tell(text) {
    this.#name.textContent = text;
  }

  #showButton() {
    const isOn = this.#microphone.isOn;
    setIconButton(this.#listen, isOn ? "pause" : "microphone", isOn ? t("Stop") : t("Listen"));
    if (!isOn && this.#name.textContent === t("Listening")) this.#tell(t("Stopped"));
  }
}

/** Says how much sound a model takes. */
function needed({ samples, sample_rate: rate }) {
  const seconds = Number((samples / rate).toFixed(2));
  return tn(
    seconds, "The model takes {n} second of sound.", "The model takes {n} seconds of sound."
  );
}
