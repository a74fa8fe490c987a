// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { classMapPictures } from "./classMapPictures.js";
import { el, svg } from "./dom.js";
import { score } from "./format.js";
import { t } from "./messages.js";

/** The choices of the switch between the truth and the prediction. */
const choices = () => [["both", t("Both")], ["truth", t("Truth")], ["predicted", t("Prediction")]];

/** Whether an answer has a truth to draw. */
export function hasTrueShapes({ shapes }) {
  return Boolean(shapes?.truth.length || shapes?.truth_picture);
}

/**
 * Makes the switch between the truth, the prediction and both. It sets `data-shows` of the element in
 * which the drawings are.
 */
export function drawingSwitch(root, name) {
  const labels = choices().map(([value, text]) => {
    const input = el("input", {
      type: "radio", name, value, on: { change: () => { root.dataset.shows = value; } },
    });
    input.checked = (root.dataset.shows ?? "both") === value;
    return el("label", {}, input, el("span", { text }));
  });
  return el(
    "div", { class: "segments", role: "radiogroup", "aria-label": t("Shapes to draw") }, labels
  );
}

/** Returns what became of an object or a detection, in words. */
function stateText({ state }, isTruth) {
  return {
    matched: isTruth ? t("found") : t("right"), confused: t("wrong class"), missed: t("missed"),
    false: t("false"), ignored: t("doesn't count"),
  }[state] ?? "";
}

/** Makes the list that explains the lines of a drawing. */
export function drawingKeys({ shapes }) {
  if (shapes?.truth_picture) {
    const known = [
      ["matched", t("Found")], ["missed", t("Missed")], ["false", t("False")],
      ["confused", t("Wrong class")],
    ];
    return el("ul", { class: "state-keys" }, known.map(([state, text]) => el("li", {},
      svg("svg", { class: "compared", viewBox: "0 0 28 10", "aria-hidden": "true" },
        svg("g", { class: state }, svg("rect", { class: "area", width: 28, height: 10 }))),
      text)));
  }
  const known = [
    ["truth", "matched", t("Truth, found")], ["truth", "missed", t("Truth, missed")],
    ["predicted", "matched", t("Prediction, right")], ["predicted", "false", t("Prediction, false")],
    ["predicted", "confused", t("Prediction, wrong class")],
  ].filter(([side, state]) => shapes?.[side].some((each) => each.state === state));
  return el("ul", { class: "state-keys" }, known.map(([side, state, text]) => el("li", {},
    svg("svg", { class: "compared", viewBox: "0 0 28 10", "aria-hidden": "true" },
      svg("g", { class: `${side} ${state}` },
        svg("path", { class: "stroke", d: "M2 5H26" }))),
    text)));
}

/** Lists the objects and detections of an answer with what became of them, for people who can't see. */
export function drawingList({ shapes }) {
  if (!shapes || shapes.truth.length + shapes.predicted.length === 0) return null;
  const row = (each, side, isTruth) => el("tr", { class: each.state },
    el("td", { text: side }), el("td", { text: each.label }),
    el("td", { class: "n", text: isTruth ? "" : score(each.score) }),
    el("td", { text: stateText(each, isTruth) }));
  const heads = [t("Side"), t("Class"), t("Score"), t("Result")];
  return el("details", { class: "object-list" },
    el("summary", { text: t("List of objects") }),
    el("table", {},
      el("thead", {}, el("tr", {}, heads.map((text) => el("th", { scope: "col", text })))),
      el("tbody", {},
        shapes.truth.map((each) => row(each, t("Truth"), true)),
        shapes.predicted.map((each) => row(each, t("Prediction"), false)))));
}

/**
 * Draws the truth and the prediction of an answer. The drawing has the proportions of the image, and
 * `fit` is "meet" to show all of it, or "slice" to fill its frame as the image does.
 */
export function drawing(answer, { fit, skeleton = [], withLabels = true }) {
  const { shapes, picture } = answer;
  if (!shapes) return null;
  const { width, height } = shapes;
  // The lines are equally thick in all images.
  const unit = Math.max(width, height) / (withLabels ? 640 : 240);
  const draw = (side) => [...shapes[side]].reverse().map(
    (each) => shapeOf(each, side, { unit, skeleton, withLabels, width, height })
  );
  return svg("svg", {
    class: "compared", viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: `xMidYMid ${fit}`, "aria-hidden": "true",
  }, picture && shapes.truth_picture ? mapsOf(picture, shapes) : [], draw("predicted"), draw("truth"));
}

/** Draws class maps, which appear when they are decoded. */
function mapsOf(picture, shapes) {
  const { width, height, truth_picture: truth } = shapes;
  const maps = ["both", "predicted", "truth"].map((side) => svg("image", {
    class: `map ${side}`, width, height, preserveAspectRatio: "none",
  }));
  // Without the maps, the image is still there.
  classMapPictures(truth, picture, shapes).then((pictures) => {
    for (const map of maps) map.setAttribute("href", pictures[map.classList[1]]);
  }).catch(() => {});
  return maps;
}

function shapeOf(each, side, { unit, skeleton, withLabels, width, height }) {
  const { box, angle, mask, outline, state } = each;
  const center = [box.x + box.width / 2, box.y + box.height / 2];
  const isTruth = side === "truth";
  const frame = (kind, thickness) => svg("rect", {
    class: kind, x: box.x, y: box.y, width: box.width, height: box.height,
    "stroke-width": thickness * unit,
    "stroke-dasharray": isTruth && kind === "stroke" ? `${8 * unit} ${5 * unit}` : null,
  });
  const turn = angle ? `rotate(${(angle * 180) / Math.PI} ${center[0]} ${center[1]})` : null;
  return svg("g", { class: `${side} ${state}` },
    mask ? svg("path", { class: "mask", d: maskPath(mask) }) : null,
    outline ? svg("path", {
      class: "stroke", "stroke-width": 2.6 * unit, "stroke-dasharray": `${4 * unit} ${3 * unit}`,
      d: outlinePath(outline),
    }) : null,
    svg("g", { transform: turn }, frame("casing", 5), frame("stroke", 2.6),
      withLabels ? labelOf(each, isTruth, unit, { width, height }) : null),
    pointsOf(each, skeleton, unit, isTruth));
}

/** The truth's label is in the lower edge of its box and the prediction's above it, so both are seen. */
function labelOf(each, isTruth, unit, { width, height }) {
  const { box, label } = each;
  const words = [label, isTruth ? null : score(each.score)];
  if (["missed", "false", "confused"].includes(each.state)) words.push(`· ${stateText(each, isTruth)}`);
  const above = box.y > 18 * unit ? box.y - 5 * unit : box.y + 15 * unit;
  const y = isTruth ? Math.min(box.y + box.height - 6 * unit, height - 4 * unit) : above;
  const text = words.filter(Boolean).join(" ");
  // About the text's width. It must end inside the image.
  const most = width - 8.6 * unit * text.length;
  return svg("text", {
    x: Math.max(2 * unit, Math.min(box.x + 3 * unit, most)), y, "font-size": 14 * unit,
    "stroke-width": 3.4 * unit, text,
  });
}

function pointsOf({ keypoints }, skeleton, unit, isTruth) {
  if (!keypoints) return [];
  const lines = skeleton.filter(([start, end]) => keypoints[start] && keypoints[end])
    .map(([start, end]) => svg("path", {
      class: "stroke", "stroke-width": 2 * unit,
      "stroke-dasharray": isTruth ? `${6 * unit} ${4 * unit}` : null,
      d: `M${keypoints[start].x} ${keypoints[start].y}L${keypoints[end].x} ${keypoints[end].y}`,
    }));
  const dots = keypoints.filter(Boolean).map(({ x, y }) => svg("circle", {
    class: isTruth ? "dot hollow" : "dot", cx: x, cy: y, r: 4 * unit, "stroke-width": 2 * unit,
  }));
  return [...lines, ...dots];
}

/** The path of polygons, each with the x and y of its corners in turn. */
function outlinePath(polygons) {
  return polygons.map((numbers) => {
    const corners = [];
    for (let place = 0; place + 1 < numbers.length; place += 2) {
      corners.push(`${numbers[place]} ${numbers[place + 1]}`);
    }
    return `M${corners.join("L")}z`;
  }).join("");
}

/** The path of a mask's runs of pixels, row after row. */
function maskPath({ x, y, width, runs }) {
  let [path, pixel] = ["", 0];
  runs.forEach((length, place) => {
    if (place % 2 === 1) {
      for (let [start, rest] = [pixel, length]; rest > 0;) {
        const part = Math.min(rest, width - (start % width));
        path += `M${x + (start % width)} ${y + Math.floor(start / width)}h${part}v1h-${part}z`;
        start += part;
        rest -= part;
      }
    }
    pixel += length;
  });
  return path;
}
