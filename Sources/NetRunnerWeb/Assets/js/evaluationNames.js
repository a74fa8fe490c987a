// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { count, number, percent } from "./format.js";

const shares = [
  /^(top\d+|topk|mean_iou|(classification|balanced|pixel)_accuracy)$/,
  /^((macro|micro|weighted)_)?(precision|recall|f1)$/,
  /^a[pr]\d*(_(small|medium|large))?$/,
];

/** Returns what a dataset consists of, as a noun: "image", "recording" or "sample". */
export function sampleWord(dataset) {
  return { images: "image", recordings: "recording" }[dataset?.content] ?? "sample";
}

/** Counts a dataset's samples, such as "12 recordings". */
export function samplesText(dataset) {
  return count(dataset.pictures, sampleWord(dataset));
}

/** Returns the name of an evaluation's state. */
export function stateName({ state, queued }) {
  if (queued) return "Waiting";
  return {
    running: "Running", done: "Done", failed: "Failed", cancelled: "Cancelled"
  }[state] ?? state;
}

/** Returns the maximum number of threads that the server allows for an evaluation. */
export function mostThreads({ threads, processors }) {
  return Math.max(1, threads, processors ?? 0);
}

/** Returns the name of a folder's layout. */
export function layoutName(layout) {
  const names = {
    folders: "a folder for each class", test_bundle: "test bundle", pictures: "without labels",
    table: "table of labels", coco: "COCO annotations",
    class_maps: "a mask for each image",
    rows: "a table of values",
    arrays: "NumPy arrays",
    mlperf_tiny: "MLPerf Tiny's sample files",
  };
  return names[layout] ?? layout;
}

/** Whether a metric is a fraction from 0 to 1, which is shown as a percentage. */
export function isShare(name) {
  return shares.some((pattern) => pattern.test(name));
}

/** Formats a metric's value for people. */
export function metricText(name, value) {
  if (typeof value !== "number") return "undefined";
  return isShare(name) ? percent(value) : number(Number(value.toPrecision(4)));
}

/** Returns the values of a model's metrics in a report, most important first and each name once. */
export function metricValues(result) {
  const all = Object.values(result.metrics ?? {}).flatMap(({ values }) => values);
  return all.filter((each, place) => all.findIndex(({ name }) => name === each.name) === place);
}

/** Returns a report in which identifiers distinguish models with the same name. */
export function withDistinctNames(report) {
  const names = report.models.map(({ model }) => model.name);
  const models = report.models.map((result) => {
    const { name, id } = result.model;
    const isShared = names.filter((each) => each === name).length > 1;
    return { ...result, model: { ...result.model, name: isShared ? `${name} (${id})` : name } };
  });
  return { ...report, models };
}
