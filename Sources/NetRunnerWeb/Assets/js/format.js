// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { language, numbers, t } from "./messages.js";

/** The sign between whole numbers and fractions in the page's language. */
const decimalSign = (1.5).toLocaleString(language).charAt(1);

/** Formats a time in milliseconds with about three digits, such as "2.13 ms" or "204.9 ms". */
export function milliseconds(value) {
  return Number.isFinite(value) ? `${millisecondsNumber(value)} ms` : "–";
}

/** Formats a time without its unit, for columns that name the unit. */
export function millisecondsNumber(value) {
  if (!Number.isFinite(value)) return "–";
  if (value < 0.1) return fixed(value, 3);
  if (value < 10) return fixed(value, 2);
  return value < 1000 ? fixed(value, 1) : whole(Math.round(value));
}

/** Formats a time in microseconds, such as "0.42 µs" or "2.13 ms". */
export function microseconds(value) {
  return Number.isFinite(value) && value < 100
    ? `${fixed(value, value < 10 ? 2 : 1)} µs` : milliseconds(value / 1000);
}

/** Formats a size, such as "1.3 MB". 1 kB is 1000 bytes. */
export function bytes(value) {
  if (!Number.isFinite(value)) return "–";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let place = 0;
  while (value >= 999.5 && place < units.length - 1) {
    value /= 1000;
    place += 1;
  }
  return `${place > 0 && value < 100 ? fixed(value, 1) : Math.round(value)} ${units[place]}`;
}

/** Formats a fraction from 0 to 1 as a percentage, such as "98.3%". */
export function percent(value, digits = 1) {
  return Number.isFinite(value)
    ? t("{value}%", { value: fixed(100 * value, digits) }) : "–";
}

/** Formats a model's value for a label in the way that Net Runner always did, such as "0.98". */
export function score(value) {
  return Number.isFinite(value) ? fixed(value, 2) : "–";
}

/** Formats a number of an output, with at most six significant digits. */
export function number(value) {
  if (!Number.isFinite(value)) return String(value);
  return localized(String(Number(value.toPrecision(6))));
}

/** Formats a whole number, such as "1,200". */
export function whole(value) {
  return numbers.format(value);
}

/** Formats a duration: "less than a second", "12 s", "3 min 20 s", "2 h 5 min". */
export function duration(seconds) {
  if (!Number.isFinite(seconds) || seconds < 0) return "–";
  if (seconds < 1) return t("less than a second");
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Formats a rate of images or frames: "0.42", "12.3", "1,234". */
export function rate(value) {
  if (!Number.isFinite(value)) return "–";
  if (value < 1) return fixed(value, 2);
  return value < 100 ? fixed(value, 1) : whole(Math.round(value));
}

/** Formats a time from the server in the page's language and the browser's time zone. */
export function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? text
    : date.toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
}

/** Formats a tensor's shape, such as "1 × 224 × 224 × 3". */
export function shape(lengths) {
  return lengths.length === 0 ? t("one value") : lengths.join(" × ");
}

/** The names of metrics for people. */
const metricNames = {
  top1: t("Top-1 accuracy"),
  top5: t("Top-5 accuracy"),
  classification_accuracy: t("Top-5 accuracy (Net Runner)"),
  balanced_accuracy: t("Balanced accuracy"),
  macro_precision: t("Macro precision"),
  macro_recall: t("Macro recall"),
  macro_f1: t("Macro F1"),
  micro_precision: t("Micro precision"),
  micro_recall: t("Micro recall"),
  micro_f1: t("Micro F1"),
  weighted_precision: t("Weighted precision"),
  weighted_recall: t("Weighted recall"),
  weighted_f1: t("Weighted F1"),
  log_loss: t("Log loss"),
  ece: t("Calibration error"),
  roc_auc: "ROC AUC",
  average_precision: t("Average precision"),
  r2: "R²",
  mae: t("Mean absolute error"),
  mape: t("Mean absolute percentage error"),
  rmse: t("Root mean square error"),
  median_absolute_error: t("Median absolute error"),
  max_error: t("Max error"),
  explained_variance: t("Explained variance"),
  mean_iou: t("Mean IoU"),
  pixel_accuracy: t("Pixel accuracy"),
  exact_match: t("Exact match"),
  ap: "AP",
  ap50: t("AP at IoU 0.50"),
  ap75: t("AP at IoU 0.75"),
  ap_small: t("AP, small objects"),
  ap_medium: t("AP, medium objects"),
  ap_large: t("AP, large objects"),
};

/** Returns a metric's name for people. */
export function metricName(name) {
  if (metricNames[name]) return metricNames[name];
  const words = name.replaceAll("_", " ").replace(/\bf1\b/, "F1");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Formats a number with a fixed number of digits after the decimal sign. */
function fixed(value, digits) {
  return localized(value.toFixed(digits));
}

/** Replaces the decimal point of a number's text. */
function localized(text) {
  return text.replace(".", decimalSign);
}
