// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** The last seconds of a sound, from -1 to 1. */
export class SampleRing {
  #samples;
  #written = 0;

  constructor(capacity) {
    this.#samples = new Float32Array(capacity);
  }

  /** Adds samples, and forgets the oldest ones. */
  add(samples) {
    const all = this.#samples;
    for (const sample of samples) {
      all[this.#written % all.length] = sample;
      this.#written += 1;
    }
  }

  /** Returns the last samples, or null while there are fewer. */
  latest(count) {
    const all = this.#samples;
    if (count > Math.min(this.#written, all.length)) return null;
    const first = this.#written - count;
    return Float32Array.from({ length: count }, (_, place) => all[(first + place) % all.length]);
  }
}

/** Makes a WAV file of samples from -1 to 1, with 16 bits for each. */
export function wavFile(samples, sampleRate) {
  const view = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const text = (place, characters) => [...characters].forEach(
    (each, index) => view.setUint8(place + index, each.charCodeAt(0))
  );
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * samples.length, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, 2 * sampleRate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, place) => {
    const value = Math.round(32768 * sample);
    view.setInt16(44 + 2 * place, Math.min(32767, Math.max(-32768, value)), true);
  });
  return new Blob([view.buffer], { type: "audio/wav" });
}

/**
 * Returns how many samples at a rate become the samples that a model takes, at its own rate.
 * Resampling rounds up.
 */
export function windowLength({ samples, sample_rate: modelRate }, rate) {
  const exact = (samples * rate) / modelRate;
  return Math.max(1, rate > modelRate ? Math.floor(exact) : Math.ceil(exact));
}

/** Draws a sound as vertical lines from its lowest to its highest sample. */
export function drawWave(canvas, samples) {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, width, height);
  context.fillStyle = getComputedStyle(canvas).color;
  const columns = Math.floor(width / ratio);
  for (let column = 0; column < columns; column += 1) {
    const first = Math.floor((column * samples.length) / columns);
    const last = Math.max(first + 1, Math.floor(((column + 1) * samples.length) / columns));
    let [low, high] = [0, 0];
    for (let place = first; place < last; place += 1) {
      low = Math.min(low, samples[place] ?? 0);
      high = Math.max(high, samples[place] ?? 0);
    }
    const top = (height / 2) * (1 - high);
    context.fillRect(column * ratio, top, ratio, Math.max(ratio, (height / 2) * (high - low)));
  }
}

/** Whether a file is a recording, by its type or its name. */
export function isSound(file) {
  return file.type.startsWith("audio/") || /\.(wav|flac|ogg|oga|opus|mp3|m4a|aac)$/i.test(file.name);
}

/**
 * Resolves to a recording in a format that the server reads, and to its samples for a drawing. Other
 * formats are converted by the browser.
 */
export async function readableSound(file) {
  const context = new OfflineAudioContext(1, 1, 48_000);
  const isReadable = /\.(wav|flac|ogg|oga|opus)$/i.test(file.name);
  try {
    const sound = await context.decodeAudioData(await file.arrayBuffer());
    const samples = meanOfChannels(sound);
    return { blob: isReadable ? file : wavFile(samples, sound.sampleRate), samples };
  } catch (error) {
    // The server reads some files that browsers don't. It says what is wrong with the others.
    if (isReadable) return { blob: file, samples: new Float32Array(0) };
    throw error;
  }
}

function meanOfChannels(sound) {
  const channels = Array.from(
    { length: sound.numberOfChannels }, (_, index) => sound.getChannelData(index)
  );
  return channels[0].map(
    (_, place) => channels.reduce((sum, each) => sum + each[place], 0) / channels.length
  );
}
