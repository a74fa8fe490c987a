// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { score } from "./format.js";
import { isWhole, placed, withinRegion } from "./geometry.js";
import { tinted } from "./segmentation.js";

/** Whether a result can only be understood with the exact frame that it belongs to. */
export function isSpatial(result) {
  return Boolean(result.segmentation || result.detections || result.keypoints || result.image);
}

/** Draws what a model found over the image. */
export class Overlay {
  #root;
  #canvas = el("canvas", { class: "classes" });
  #turn = 0;

  constructor(root) {
    this.#root = root;
  }

  clear() {
    this.#turn += 1;
    this.#root.replaceChildren();
  }

  /** Draws a result. `hidden` has the colors of classes that the user doesn't want to see. */
  async show(result, { mirrored, hidden }) {
    this.#turn += 1;
    const turn = this.#turn;
    const drawn = [];
    const region = result.region ?? { left: 0, top: 0, right: 1, bottom: 1 };
    if (result.segmentation) {
      await tinted(this.#canvas, result.segmentation, hidden);
      if (turn !== this.#turn) return;
      this.#canvas.classList.toggle("mirrored", mirrored);
      drawn.push(place(this.#canvas, placed(region, mirrored)));
    }
    if (!isWhole(region)) drawn.push(
      place(el("div", { class: "region" }), placed(region, mirrored))
    );
    if (result.masks) {
      const masks = el("img", { class: "masks", src: result.masks, alt: "" });
      masks.classList.toggle("mirrored", mirrored);
      drawn.push(place(masks, { left: 0, top: 0, width: 1, height: 1 }));
    }
    for (const each of result.detections ?? []) {
      drawn.push(detection(each, mirrored));
      if (each.keypoints) drawn.push(...points(each.keypoints, result.skeleton ?? [], mirrored));
    }
    drawn.push(...(result.keypoints ?? []).map((each) => keypoint(each, region, mirrored)));
    this.#root.replaceChildren(...drawn);
  }
}

function detection({ label, score: value, box, angle }, mirrored) {
  const where = placed(box, mirrored);
  const name = el("span", { class: "box-label", text: `${label} ${score(value)}` });
  name.classList.toggle("inside", where.top < 0.06);
  name.classList.toggle("end", where.left + where.width / 2 > 0.5);
  const node = place(el("div", { class: "box" }, name), where);
  if (angle) node.style.transform = `rotate(${mirrored ? -angle : angle}rad)`;
  return node;
}

/** An object's keypoints, and the lines of its skeleton. */
function points(keypoints, skeleton, mirrored) {
  const whole = { left: 0, top: 0, right: 1, bottom: 1 };
  const across = (x) => 100 * (mirrored ? 1 - x : x);
  const lines = skeleton.filter(([start, end]) => keypoints[start] && keypoints[end])
    .map(([start, end]) => svg("line", {
      x1: across(keypoints[start].x), y1: 100 * keypoints[start].y,
      x2: across(keypoints[end].x), y2: 100 * keypoints[end].y,
    }));
  const drawing = svg("svg", {
    class: "skeleton", viewBox: "0 0 100 100", preserveAspectRatio: "none",
  }, ...lines);
  return [drawing, ...keypoints.map((each) => keypoint(each, whole, mirrored))];
}

function svg(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function keypoint({ x, y, name, score: value }, region, mirrored) {
  const point = withinRegion({ x, y }, region);
  const title = value === null || value === undefined ? name : `${name} ${score(value)}`;
  const dot = el("div", { class: "keypoint", title });
  dot.style.left = `${100 * (mirrored ? 1 - point.x : point.x)}%`;
  dot.style.top = `${100 * point.y}%`;
  dot.style.opacity = String(0.35 + 0.65 * Math.min(1, Math.max(0, value ?? 1)));
  return dot;
}

function place(node, { left, top, width, height }) {
  node.style.left = `${100 * left}%`;
  node.style.top = `${100 * top}%`;
  node.style.width = `${100 * width}%`;
  node.style.height = `${100 * height}%`;
  return node;
}
