// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** A mean that is updated with each value. */
class RunningMean {
  count = 0;
  mean = 0;

  /** Adds a value that is itself the mean of a number of values. */
  add(value, weight = 1) {
    this.count += weight;
    this.mean += ((value - this.mean) * weight) / this.count;
  }
}

/** The recent number of events per second. */
class Rate {
  #moments = [];
  #span;

  /** Makes a rate over a number of milliseconds. */
  constructor(span = 2000) {
    this.#span = span;
  }

  /** Counts an event and returns the rate, which is NaN until there are two events. */
  add(moment) {
    this.#moments.push(moment);
    while (this.#moments.length > 2 && this.#moments[0] < moment - this.#span) {
      this.#moments.shift();
    }
    const passed = moment - this.#moments[0];
    return passed > 0 ? (1000 * (this.#moments.length - 1)) / passed : NaN;
  }
}

/** The live measurements since the source or the model last changed. */
export class Meter {
  static stages = ["wait", "decode", "preprocess", "inference", "postprocess", "roundTrip", "age"];
  means = Object.fromEntries(Meter.stages.map((stage) => [stage, new RunningMean()]));
  recent = [];
  framesPerSecond = NaN;
  /** The number of counted images. */
  count = 0;
  #rate = new Rate();

  /** Whether a stage is repeated in each of an image's runs. The others happen once in each request. */
  static isPerRun(stage) {
    return ["decode", "preprocess", "inference", "postprocess"].includes(stage);
  }

  /**
   * Counts an image, with its times in milliseconds, the number of runs that they are the means of, and
   * the moment when it was done.
   */
  add(times, moment) {
    this.count += 1;
    for (const stage of Meter.stages) {
      const weight = Meter.isPerRun(stage) ? times.runs ?? 1 : 1;
      if (Number.isFinite(times[stage])) this.means[stage].add(times[stage], weight);
    }
    this.recent.push(times.inference);
    if (this.recent.length > 60) this.recent.shift();
    this.framesPerSecond = this.#rate.add(moment);
  }
}

/** Returns the next larger step of 1, 2, 2.5 or 5 times a power of ten. */
function roundStep(step) {
  if (!(step > 0) || !Number.isFinite(step)) return 0;
  const power = 10 ** Math.floor(Math.log10(step) + 1e-9);
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= step * (1 - 1e-9));
  return (factor ?? 10) * power;
}

/** Returns about the given number of round values in a range. */
export function ticks(lower, upper, about = 4) {
  const step = roundStep((upper - lower) / about);
  if (!step) return [lower];
  const values = [];
  for (let n = Math.ceil(lower / step - 1e-9); n * step <= upper + step * 1e-9; n += 1) {
    values.push(Number((n * step).toPrecision(12)));
  }
  return values;
}

/**
 * Counts values in bins of a round width. Returns `{start, width, counts, beyond}`, or null if
 * there are no values. With 20 values or more, values that are more than twice as far above the
 * median as the 95th percentile are only counted in `beyond`.
 */
export function histogram(values) {
  const sorted = Float64Array.from(values.filter(Number.isFinite)).sort();
  if (sorted.length === 0) return null;
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  const middle = sorted[Math.floor(sorted.length / 2)];
  const far = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))];
  const limit = sorted.length < 20 ? most : Math.min(most, middle + 2 * (far - middle));
  const bins = Math.min(30, Math.max(8, Math.floor(2 * Math.sqrt(sorted.length))));
  const range = Math.max(limit - least, Math.max(Math.abs(limit), 1e-3) * 0.01);
  const width = Math.max(roundStep(range / bins), 1e-9);
  const start = Math.floor(least / width) * width;
  const length = Math.min(60, Math.max(1, Math.floor((limit - start) / width) + 1));
  const counts = new Array(length).fill(0);
  let beyond = 0;
  for (const value of sorted) {
    const bin = Math.floor((value - start) / width);
    if (bin < length) counts[Math.max(0, bin)] += 1;
    else beyond += 1;
  }
  return { start, width, counts, beyond };
}
