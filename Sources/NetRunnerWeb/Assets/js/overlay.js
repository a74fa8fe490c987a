// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el, svg } from "./dom.js";
import { score } from "./format.js";
import { placeLabels, placeNames } from "./found.js";
import { isWhole, placed, withinRegion } from "./geometry.js";
import { tinted } from "./segmentation.js";

const whole = { left: 0, top: 0, right: 1, bottom: 1 };

/** Whether a result can only be understood with the exact frame that it belongs to. */
export function isSpatial(result) {
  return Boolean(result.segmentation || result.detections || result.keypoints || result.image);
}

/** Draws what a model found over the image. */
export class Overlay {
  /** The size in pixels of the image on the screen. */
  area = { width: 0, height: 0 };
  #root;
  #canvas = el("canvas", { class: "classes" });
  #turn = 0;
  #objects = [];
  #names = [];
  #labelPlaces = [];
  /** What is drawn, or null if that has pictures. */
  #key = null;

  constructor(root) {
    this.#root = root;
  }

  clear() {
    this.#turn += 1;
    this.#key = null;
    this.#objects = [];
    this.#root.replaceChildren();
  }

  /**
   * Draws a result. `hidden` has the colors of classes that the user doesn't want to see, and `lit`
   * is the index of the object to emphasize, or null.
   */
  async show(result, { mirrored, hidden, lit }) {
    const region = result.region ?? whole;
    // What is drawn already stays, because a browser needs as long for a redrawn overlay as for a frame.
    const { detections, keypoints, skeleton, segmentation, masks } = result;
    const key = segmentation || masks ? null : JSON.stringify(
      [region, mirrored, detections, keypoints, skeleton, lit, isSpatial(result) && this.area]
    );
    if (key && key === this.#key) return;
    this.#key = key;
    this.#turn += 1;
    const turn = this.#turn;
    const drawn = [];
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
    this.#objects = (result.detections ?? []).map((each) => new FoundObject(
      each, result.skeleton ?? [], mirrored
    ));
    // Smaller objects are drawn over larger ones, and labels over all of them.
    const bySize = this.#objects.toSorted((a, b) => b.area - a.area);
    drawn.push(...bySize.flatMap(({ nodes }) => nodes), ...this.#labels());
    drawn.push(...(result.keypoints ?? []).map((each) => keypoint(each, region, mirrored)));
    this.#root.replaceChildren(...drawn);
    this.light(lit);
  }

  /** Emphasizes an object by its index, or none, and names the joints of this or the only pose. */
  light(index) {
    const isLit = index !== null && index < this.#objects.length;
    this.#root.classList.toggle("lit", isLit);
    this.#objects.forEach(({ nodes, label }, place) => {
      for (const node of [...nodes, label]) node.classList.toggle("on", place === index);
    });
    for (const name of this.#names) name.remove();
    const named = isLit ? this.#objects[index] : this.#objects.length === 1 && this.#objects[0];
    this.#names = named ? this.#jointNames(named.joints) : [];
    this.#root.append(...this.#names);
  }

  #jointNames(joints) {
    const { area } = this;
    const points = joints.map(({ x, y }) => ({ x: x * area.width, y: y * area.height }));
    const sizes = joints.map(({ name }) => ({ width: textWidth(name, 11), height: 16 }));
    return placeNames(points, sizes, this.#labelPlaces, area).map((where, index) => where && moved(
      el("span", { class: "joint", text: joints[index].name }), where, area
    )).filter(Boolean);
  }

  /** The labels of all objects, beside their boxes. */
  #labels() {
    const { area } = this;
    const boxes = this.#objects.map(({ where }) => ({
      left: where.left * area.width, top: where.top * area.height,
      width: where.width * area.width, height: where.height * area.height,
    }));
    const sizes = this.#objects.map(({ label }) => ({
      width: Math.min(area.width, textWidth(label.textContent, 13) + 16), height: 22,
    }));
    this.#labelPlaces = placeLabels(boxes, sizes, area);
    return this.#labelPlaces.map(
      (where, index) => moved(this.#objects[index].label, where, area)
    );
  }
}

/** The nodes of an object: its box, its keypoints with their lines, and its label. */
class FoundObject {
  where;
  nodes;
  label;
  /** The names of the keypoints, and where they are in fractions of the image. */
  joints;

  constructor({ label, score: value, box, angle, color, keypoints }, skeleton, mirrored) {
    this.where = placed(box, mirrored);
    const frame = place(el("div", { class: "box" }), this.where);
    if (angle) frame.style.transform = `rotate(${mirrored ? -angle : angle}rad)`;
    this.label = el("span", { class: "box-label", text: `${label} ${score(value)}` });
    this.nodes = [frame, ...(keypoints ? points(keypoints, skeleton, mirrored) : [])];
    // A number is an index, which says nothing to people.
    this.joints = (keypoints ?? []).filter((point) => point && !/^\d+$/.test(point.name)).map(
      ({ name, x, y }) => ({ name, x: mirrored ? 1 - x : x, y })
    );
    for (const node of [...this.nodes, this.label]) node.style.setProperty("--class", color);
  }

  get area() {
    return this.where.width * this.where.height;
  }
}

/** An object's keypoints, and the lines of its skeleton. */
function points(keypoints, skeleton, mirrored) {
  const across = (x) => 100 * (mirrored ? 1 - x : x);
  const lines = skeleton.filter(([start, end]) => keypoints[start] && keypoints[end])
    .map(([start, end]) => svg("line", {
      x1: across(keypoints[start].x), y1: 100 * keypoints[start].y,
      x2: across(keypoints[end].x), y2: 100 * keypoints[end].y,
    }));
  const drawing = svg("svg", {
    class: "skeleton", viewBox: "0 0 100 100", preserveAspectRatio: "none",
  }, ...lines);
  const dots = keypoints.filter(Boolean).map((each) => keypoint(each, whole, mirrored));
  return [drawing, ...dots];
}

function keypoint({ x, y, name, score: value }, region, mirrored) {
  const point = withinRegion({ x, y }, region);
  const title = value === null || value === undefined ? name : `${name} ${score(value)}`;
  const dot = el("div", { class: "keypoint", title });
  dot.style.left = `${100 * (mirrored ? 1 - point.x : point.x)}%`;
  dot.style.top = `${100 * point.y}%`;
  dot.style.setProperty("--score", String(Math.min(1, Math.max(0, value ?? 1))));
  return dot;
}

const measure = document.createElement("canvas").getContext("2d");

/** The width of a text in pixels, in the bold type of labels. */
function textWidth(text, size) {
  measure.font = `600 ${size}px system-ui, sans-serif`;
  return Math.ceil(measure.measureText(text).width);
}

/** Moves a node to a place in pixels, which follows changes of the image's size. */
function moved(node, { left, top }, area) {
  node.style.left = `${(100 * left) / Math.max(1, area.width)}%`;
  node.style.top = `${(100 * top) / Math.max(1, area.height)}%`;
  return node;
}

function place(node, { left, top, width, height }) {
  node.style.left = `${100 * left}%`;
  node.style.top = `${100 * top}%`;
  node.style.width = `${100 * width}%`;
  node.style.height = `${100 * height}%`;
  return node;
}
