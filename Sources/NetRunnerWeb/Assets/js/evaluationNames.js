// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { number, percent } from "./format.js";

const shares = [
  /^(top\d+|topk|mean_iou|(classification|balanced|pixel)_accuracy)$/,
  /^((macro|micro|weighted)_)?(precision|recall|f1)$/,
  /^a[pr]\d*(_(small|medium|large))?$/,
];

/** What states of evaluations are called. */
export function stateName({ state, queued }) {
  if (queued) return "Waiting";
  return {
    running: "Running", done: "Done", failed: "Failed", cancelled: "Cancelled"
  }[state] ?? state;
}

/** The most threads that a server lets an evaluation have. */
export function mostThreads({ threads, processors }) {
  return Math.max(1, threads, processors ?? 0);
}

/** What layouts of folders are called. */
export function layoutName(layout) {
  const names = {
    folders: "a folder for each class", test_bundle: "test bundle", pictures: "pictures without labels",
    table: "table of labels", coco: "COCO annotations",
    class_maps: "a mask for each picture",
  };
  return names[layout] ?? layout;
}

/** Whether a metric is a share from 0 to 1, which people read in percent. */
export function isShare(name) {
  return shares.some((pattern) => pattern.test(name));
}

/** A metric's value as people read it. */
export function metricText(name, value) {
  if (typeof value !== "number") return "undefined";
  return isShare(name) ? percent(value) : number(Number(value.toPrecision(4)));
}

/** All values of a model's metrics in a report, the most important first, each name once. */
export function metricValues(result) {
  const all = Object.values(result.metrics ?? {}).flatMap(({ values }) => values);
  return all.filter((each, place) => all.findIndex(({ name }) => name === each.name) === place);
}

/** A report in which models of the same name are told apart by their identifiers. */
export function withDistinctNames(report) {
  const names = report.models.map(({ model }) => model.name);
  const models = report.models.map((result) => {
    const { name, id } = result.model;
    const isShared = names.filter((each) => each === name).length > 1;
    return { ...result, model: { ...result.model, name: isShared ? `${name} (${id})` : name } };
  });
  return { ...report, models };
}
