// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { metricName, number, percent, score, whole } from "./format.js";
import { t, tn } from "./messages.js";

const shares = [
  /^(top\d+|topk|mean_iou|(classification|balanced|pixel)_accuracy)$/,
  /^((macro|micro|weighted)_)?(precision|recall|f1)$/,
  /^(oks_)?a[pr]\d*(_(small|medium|large))?$/,
  /^pck\d+$/,
];

/** Counts samples of a dataset's kind, such as "12 recordings". */
export function samplesText(n, dataset) {
  switch (dataset?.content) {
    case "images": return tn(n, "{n} image", "{n} images");
    case "recordings": return tn(n, "{n} recording", "{n} recordings");
    default: return tn(n, "{n} sample", "{n} samples");
  }
}

/** Says how many samples of a dataset are done, such as "3 of 12 recordings". */
export function progressText(done, n, dataset) {
  const values = { done: whole(done) };
  switch (dataset?.content) {
    case "images": return tn(n, "{done} of {n} image", "{done} of {n} images", values);
    case "recordings": return tn(n, "{done} of {n} recording", "{done} of {n} recordings", values);
    default: return tn(n, "{done} of {n} sample", "{done} of {n} samples", values);
  }
}

/** Returns the texts about samples of a dataset's kind. */
export function sampleTexts(dataset) {
  switch (dataset?.content) {
    case "images": return {
      one: t("Image"), many: t("Images"), which: t("Which images"), none: t("There are no images."),
      noneWrong: t("No image has a mistake."), noneFailed: t("No image failed."),
      noneDisputed: t("The models agree about every image."), perSecond: t("Images a second"),
      speed: (rate) => t("{rate} images a second", { rate }),
    };
    case "recordings": return {
      one: t("Recording"), many: t("Recordings"), which: t("Which recordings"),
      none: t("There are no recordings."), noneWrong: t("No recording has a mistake."),
      noneFailed: t("No recording failed."),
      noneDisputed: t("The models agree about every recording."),
      perSecond: t("Recordings a second"),
      speed: (rate) => t("{rate} recordings a second", { rate }),
    };
    default: return {
      one: t("Sample"), many: t("Samples"), which: t("Which samples"),
      none: t("There are no samples."), noneWrong: t("No sample has a mistake."),
      noneFailed: t("No sample failed."), noneDisputed: t("The models agree about every sample."),
      perSecond: t("Samples a second"),
      speed: (rate) => t("{rate} samples a second", { rate }),
    };
  }
}

/** Returns the name of an evaluation's state. */
export function stateName({ state, queued }) {
  if (queued) return t("Waiting");
  return {
    running: t("Running"), done: t("Done"), failed: t("Failed"), cancelled: t("Cancelled"),
  }[state] ?? state;
}

/** Returns the maximum number of threads that the server allows for an evaluation. */
export function mostThreads({ threads, processors }) {
  return Math.max(1, threads, processors ?? 0);
}

/** Returns the name of a folder's layout. */
export function layoutName(layout) {
  const names = {
    folders: t("a folder for each class"), test_bundle: t("test bundle"),
    pictures: t("without labels"), table: t("table of labels"), coco: t("COCO annotations"),
    class_maps: t("a mask for each image"), rows: t("a table of values"),
    arrays: t("NumPy arrays"), mlperf_tiny: t("MLPerf Tiny's sample files"),
  };
  return names[layout] ?? layout;
}

/** Whether a metric is a fraction from 0 to 1, which is shown as a percentage. */
export function isShare(name) {
  return shares.some((pattern) => pattern.test(name));
}

/** Returns a metric's name, in which the objects that it is limited to come first. */
export function metricTitle(name) {
  const [, base, size] = /^(.*)_(small|medium|large)$/.exec(name) ?? [];
  if (!base) return plainTitle(name);
  const metric = plainTitle(base);
  return {
    small: t("Small objects: {metric}", { metric }),
    medium: t("Medium objects: {metric}", { metric }),
    large: t("Large objects: {metric}", { metric }),
  }[size];
}

function plainTitle(name) {
  const [, kind, limit] = /^((?:oks_)?a[pr]|pck)(\d*)$/.exec(name) ?? [];
  if (!kind) return metricName(name);
  const metric = kind.replace("_", " ").toUpperCase();
  if (limit === "") return metric;
  if (kind === "ar") {
    return tn(Number(limit), "AR, {n} detection", "AR, {n} detections");
  }
  return kind === "ap"
    ? metricName(name) : t("{metric} at {limit}", { metric, limit: `0.${limit}` });
}

/** Formats a metric's value for people. */
export function metricText(name, value) {
  if (typeof value !== "number") return t("undefined");
  return isShare(name) ? percent(value) : number(Number(value.toPrecision(4)));
}

/** Returns the values of a model's metrics in a report, most important first and each name once. */
export function metricValues(result) {
  const all = Object.values(result.metrics ?? {}).flatMap(({ values }) => values);
  return all.filter((each, place) => all.findIndex(({ name }) => name === each.name) === place);
}

/** Returns why a metric is undefined, in the server's words, or null. */
export function undefinedReason(result, name) {
  const notes = Object.values(result.metrics ?? {}).flatMap((each) => each.notes ?? []);
  return notes.find((note) => /^(\w+) is not defined/.exec(note)?.[1] === name) ?? null;
}

/** Describes how an answer differs from the truth, or returns null if nothing is known. */
export function comparisonText(comparison) {
  if (!comparison) return null;
  const { found, confused, missed, false: extra, iou, oks, error } = comparison;
  const parts = [];
  if (Number.isFinite(found)) {
    parts.push(tn(found, "{n} found", "{n} found"));
    if (missed > 0) parts.push(tn(missed, "{n} missed", "{n} missed"));
    if (extra > 0) parts.push(tn(extra, "{n} false", "{n} false"));
    if (confused > 0) parts.push(tn(confused, "{n} with a wrong class", "{n} with a wrong class"));
  }
  if (Number.isFinite(iou)) parts.push(t("IoU {value}", { value: score(iou) }));
  if (Number.isFinite(oks)) parts.push(t("OKS {value}", { value: score(oks) }));
  if (Number.isFinite(error)) {
    parts.push(t("Error {value}", { value: number(Number(error.toPrecision(3))) }));
  }
  return parts.length > 0 ? parts.join(", ") : null;
}

/** Whether an answer has a wrong class, or objects that are missing, wrong or superfluous. */
export function isWrong({ correct, error, comparison }) {
  if (error) return false;
  const { missed = 0, confused = 0, false: extra = 0 } = comparison ?? {};
  return correct === false || missed + confused + extra > 0;
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
