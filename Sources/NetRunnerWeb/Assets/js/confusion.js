// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, svg } from "./dom.js";
import { chart, shortened } from "./charts.js";
import { whole } from "./format.js";
import { t, tn } from "./messages.js";
import { scrollArea } from "./scrollArea.js";

/** The last class of a matrix that counts objects. */
const background = "background";

/** Whether a matrix counts objects and not samples. */
function isOfObjects({ labels }) {
  return labels[labels.length - 1] === background;
}

/** Returns the name of a class for people. */
function nameOf(label, place, { labels }) {
  return isOfObjects({ labels }) && place === labels.length - 1 ? t("background") : label;
}

/**
 * Returns the readable part of a confusion matrix as `{labels, counts, totals, left}`. It has all
 * classes that occur or, if there are too many, those with the most mistakes. `totals` are those of the
 * whole rows with the samples that failed, and `left` is the number of classes that are left out.
 */
function readablePart({ labels, counts, failed }, most = 30) {
  const total = (place) => counts[place].reduce((sum, each) => sum + each, 0)
    + counts.reduce((sum, row) => sum + row[place], 0);
  const occurring = labels.map((_, place) => place).filter((place) => total(place) > 0);
  const mistakes = (place) => total(place) - 2 * counts[place][place];
  const kept = occurring.length <= most
    ? occurring
    : [...occurring].sort((a, b) => mistakes(b) - mistakes(a)).slice(0, most).sort((a, b) => a - b);
  return {
    labels: kept.map((place) => labels[place]),
    counts: kept.map((row) => kept.map((column) => counts[row][column])),
    totals: kept.map((row) => counts[row].reduce((sum, each) => sum + each, failed?.[row] ?? 0)),
    left: occurring.length - kept.length,
  };
}

/** Draws a confusion matrix, with a row for each true class and a column for each predicted one. */
export function confusionChart(confusion) {
  const named = { ...confusion, labels: confusion.labels.map(
    (label, place) => nameOf(label, place, confusion)
  ) };
  const { labels, counts, totals, left } = readablePart(named);
  if (labels.length === 0) return null;
  const objects = isOfObjects(confusion);
  const cell = labels.length <= 12 ? 34 : labels.length <= 20 ? 24 : 17;
  const margin = 14 + 6.6 * Math.min(16, Math.max(...labels.map((label) => label.length), 4));
  const side = margin + cell * labels.length + 2;
  const parts = [];
  labels.forEach((label, place) => {
    const at = margin + (place + 0.5) * cell;
    const name = shortened(label, 16);
    parts.push(
      svg(
        "text", { x: margin - 7, y: at + 4, "text-anchor": "end", text: name },
        svg("title", { text: label })
      )
    );
    parts.push(
      svg(
        "text", { transform: `translate(${at + 4} ${margin - 7}) rotate(-90)`, text: name },
        svg("title", { text: label })
      )
    );
  });
  counts.forEach((row, true_) => {
    const all = totals[true_];
    row.forEach((each, predicted) => parts.push(...cellParts({
      each, all, cell, x: margin + predicted * cell, y: margin + true_ * cell,
      isRight: true_ === predicted, title: t("{truth} taken for {predicted}: {n} of {all}", {
        truth: labels[true_], predicted: labels[predicted], n: whole(each), all: whole(all),
      }),
    })));
  });
  const description = tn(
    labels.length, "Confusion matrix of {n} class.", "Confusion matrix of {n} classes."
  );
  const drawing = chart(side, side, description, parts);
  drawing.classList.add("confusion");
  drawing.style.maxWidth = `${Math.round(side * 1.15)}px`;
  // Small screens scroll, because smaller numbers couldn't be read.
  drawing.style.minWidth = `${Math.round(side * 0.85)}px`;
  const notes = [
    t("Rows are true, columns predicted."),
    objects ? t("Row “background”: detections without an object. Column “background”: objects that weren't found. A detection needs a score of 0.25, and an overlap of one half.") : null,
    left > 0 ? tn(
      left, "{n} class with fewer mistakes is left out.",
      "{n} classes with fewer mistakes are left out."
    ) : null,
  ].filter(Boolean);
  return el("figure", { class: "large" }, el("h3", { text: t("Confusion matrix") }),
    el("figcaption", { text: notes.join(" ") }), scrollArea(t("Confusion matrix"), drawing));
}

function cellParts({ each, all, cell, x, y, isRight, title }) {
  const share = all > 0 ? each / all : 0;
  const isStrong = share > 0.85;
  const square = svg(
    "rect",
    { x: x + 0.5, y: y + 0.5, width: cell - 1, height: cell - 1, rx: 2, class: "cell empty" }
  );
  if (each === 0) return [square];
  const filled = svg("rect", {
    x: x + 0.5, y: y + 0.5, width: cell - 1, height: cell - 1, rx: 2, class: isRight ? "cell right" : "cell wrong",
    "fill-opacity": isStrong ? 0.95 : (0.1 + 0.4 * share).toFixed(3),
  }, svg("title", { text: title }));
  if (cell < 24) return [square, filled];
  const text = svg("text", {
    x: x + cell / 2, y: y + cell / 2 + 4, "text-anchor": "middle", class: isStrong ? "on" : "off", text: each,
  });
  return [square, filled, text];
}
