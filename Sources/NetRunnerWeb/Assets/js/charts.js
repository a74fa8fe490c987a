// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { svg } from "./dom.js";
import { whole } from "./format.js";
import { t } from "./messages.js";
import { histogram, ticks } from "./statistics.js";

/** Makes a chart's drawing, with a description for people who can't see it. */
export function chart(width, height, description, ...children) {
  return svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description },
    children
  );
}

/**
 * Draws a histogram of values with marks such as `{name: "p50", value: 2.1}`. Returns null if there
 * are no values.
 */
export function histogramChart(values, marks, format) {
  const bins = histogram(values);
  if (!bins) return null;
  const [left, right, top, bottom] = [4, 396, 46, 160];
  const end = bins.start + bins.width * bins.counts.length;
  const most = Math.max(...bins.counts);
  const x = (value) => left + (
    (Math.min(value, end) - bins.start) / (end - bins.start)
  ) * (right - left);
  const bars = bins.counts.map((each, place) => {
    if (each === 0) return null;
    const height = Math.max(1.5, (each / most) * (bottom - top));
    const from = x(bins.start + place * bins.width);
    const to = x(bins.start + (place + 1) * bins.width);
    const edges = [place, place + 1].map((edge) => format(bins.start + edge * bins.width));
    const title = t("{from} to {to}: {n}", { from: edges[0], to: edges[1], n: whole(each) });
    return svg("rect", {
      x: from + 0.5, y: bottom - height, width: Math.max(0.8, to - from - 1), height, class: "bin"
    },
      svg("title", { text: title }));
  });
  const axis = ticks(bins.start, end, 4).map((value) =>
    svg(
      "text",
      {
        x: x(value), y: bottom + 18, "text-anchor": anchor(x(value), left, right),
        text: format(value)
      }
    ));
  const told = marks.map(({ name, value }) => `${name} ${format(value)}`).join(", ");
  const beyond = bins.beyond > 0 ? t("{n} beyond", { n: whole(bins.beyond) }) : null;
  const description = beyond
    ? t("Histogram of latencies: {marks}. Beyond the axis: {n}.", { marks: told, n: whole(bins.beyond) })
    : t("Histogram of latencies: {marks}.", { marks: told });
  return chart(400, 184, description,
    svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    bars.filter(Boolean), axis, markLines(marks, x, { left, right, top, bottom, format }),
    beyond ? svg("text", { x: right, y: top + 10, "text-anchor": "end", text: beyond }) : []);
}

/** Draws bars from 0 to `most`, each with a name, a value and, if it is known, an interval. */
export function barChart(items, { most = 1, format, description }) {
  const [left, right, row] = [164, 322, 28];
  const x = (value) => left + (Math.min(Math.max(value, 0), most) / most) * (right - left);
  const rows = items.map(({ name, value, lower, upper }, place) => {
    const middle = 16 + place * row;
    const hasInterval = Number.isFinite(lower) && Number.isFinite(upper);
    return svg("g", {},
      svg(
        "text",
        {
          class: "name", x: left - 10, y: middle + 4, "text-anchor": "end",
          text: shortened(name, 20)
        },
        svg("title", { text: name })
      ),
      svg(
        "rect", { class: "track", x: left, y: middle - 8, width: right - left, height: 16, rx: 3 }
      ),
      Number.isFinite(value) ? svg(
        "rect",
        {
          class: "bin", x: left, y: middle - 8, width: Math.max(1, x(value) - left), height: 16,
          rx: 3
        }
      ) : [],
      hasInterval ? whisker(x(lower), x(upper), middle) : [],
      svg("text", { class: "value", x: right + 8, y: middle + 4, text: format(value) }));
  });
  return chart(400, items.length * row + 4, description, rows);
}

/**
 * Shortens a text to a maximum length. It is cut in the middle, because both ends tell names apart.
 */
export function shortened(text, most) {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) * 0.6);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

function whisker(from, to, y) {
  return svg(
    "path",
    { class: "whisker", d: `M${from} ${y - 5}V${y + 5}M${to} ${y - 5}V${y + 5}M${from} ${y}H${to}` }
  );
}

/**
 * Returns the positions of texts of one width: near the given sorted positions, without overlaps,
 * and between both ends.
 */
function sideBySide(places, width, left, right) {
  const result = [];
  for (const place of places) {
    const least = result.length > 0 ? result[result.length - 1] + width : left + width / 2;
    result.push(Math.max(place, least));
  }
  for (
    let each = result.length - 1, most = right - width / 2; each >= 0; each -= 1, most -= width
  ) {
    result[each] = Math.min(result[each], most);
  }
  return result;
}

/** Draws lines at marks, with their names at the top. */
function markLines(marks, x, { left, right, top, bottom, format }) {
  const labels = sideBySide(marks.map(({ value }) => x(value)), 72, left, right);
  return marks.map(({ name, value }, place) => {
    const at = x(value);
    const label = labels[place];
    return svg("g", { class: "mark" },
      svg("path", { d: `M${label} 32V36L${at} ${top - 2}V${bottom}` }),
      svg("text", { class: "name", x: label, y: 12, "text-anchor": "middle", text: name }),
      svg("text", { x: label, y: 27, "text-anchor": "middle", text: format(value) }));
  });
}

function anchor(x, left, right) {
  if (x < left + 14) return "start";
  return x > right - 14 ? "end" : "middle";
}
