// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { t } from "./messages.js";

// A shape is `{label, box: [x, y, width, height]}` or `{label, polygon: [x, y, x, y, ...]}`, in pixels of
// the upright image. All functions leave shapes inside of the image, and return new shapes.

/** The number of corners up to which the edges of a polygon have handles. */
const mostWithEdges = 60;

/** Returns the smallest box around a shape. */
export function bounds({ box, polygon }) {
  if (box) return { left: box[0], top: box[1], width: box[2], height: box[3] };
  const { xs, ys } = axes(polygon);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/** Returns the box between two points, at least a pixel wide and high. */
export function boxBetween(a, b, label, size) {
  const { width, height } = size;
  const left = clamped(Math.round(Math.min(a.x, b.x)), 0, width - 1);
  const top = clamped(Math.round(Math.min(a.y, b.y)), 0, height - 1);
  const right = clamped(Math.round(Math.max(a.x, b.x)), left + 1, width);
  const bottom = clamped(Math.round(Math.max(a.y, b.y)), top + 1, height);
  return { label, box: [left, top, right - left, bottom - top] };
}

/** Returns a shape moved by a distance, or as far as the image goes. */
export function moved(shape, x, y, { width, height }) {
  const all = bounds(shape);
  const right = clamped(x, -all.left, width - all.left - all.width);
  const down = clamped(y, -all.top, height - all.top - all.height);
  if (shape.box) {
    return { ...shape, box: [all.left + right, all.top + down, all.width, all.height] };
  }
  const polygon = shape.polygon.map((value, place) => value + (place % 2 === 0 ? right : down));
  return { ...shape, polygon };
}

/** Returns a shape with its right and bottom edges moved by a distance. */
export function grown(shape, x, y, size) {
  const { left, top, width, height } = bounds(shape);
  const wide = clamped(width + x, 1, size.width - left);
  const high = clamped(height + y, 1, size.height - top);
  if (shape.box) return { ...shape, box: [left, top, wide, high] };
  const polygon = shape.polygon.map((value, place) => (
    place % 2 === 0 ? left + ((value - left) * wide) / width : top + ((value - top) * high) / height
  ));
  return { ...shape, polygon: polygon.map(rounded) };
}

/** Returns the handles of a shape: each with a name and a position. */
export function handles({ box, polygon }) {
  if (box) {
    const [left, top, width, height] = box;
    const at = (name, x, y) => ({ name, x: left + x * width, y: top + y * height });
    return [
      at("nw", 0, 0), at("n", 0.5, 0), at("ne", 1, 0), at("e", 1, 0.5),
      at("se", 1, 1), at("s", 0.5, 1), at("sw", 0, 1), at("w", 0, 0.5),
    ];
  }
  const corners = points(polygon);
  const edges = corners.length > mostWithEdges ? [] : corners.map((corner, place) => {
    const next = corners[(place + 1) % corners.length];
    return { name: `edge ${place}`, x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 };
  });
  return [...edges, ...corners.map((corner, place) => ({ name: `corner ${place}`, ...corner }))];
}

/** Returns a shape with a handle at another position. An edge's handle adds a corner to a polygon. */
export function withHandle(shape, name, point, size) {
  const x = clamped(Math.round(point.x), 0, size.width);
  const y = clamped(Math.round(point.y), 0, size.height);
  if (shape.box) {
    const [left, top, width, height] = shape.box;
    const from = {
      x: name.includes("w") ? left + width : left, y: name.includes("n") ? top + height : top,
    };
    const to = {
      x: /[we]/.test(name) ? x : left + width, y: /[ns]/.test(name) ? y : top + height,
    };
    return boxBetween(from, to, shape.label, size);
  }
  const [kind, place] = name.split(" ");
  const polygon = [...shape.polygon];
  const index = 2 * Number(place);
  polygon.splice(kind === "edge" ? index + 2 : index, kind === "edge" ? 0 : 2, x, y);
  return { ...shape, polygon };
}

/** The name that an edge's handle has after it has added a corner. */
export function cornerOf(name) {
  const [kind, place] = name.split(" ");
  return kind === "edge" ? `corner ${Number(place) + 1}` : name;
}

/** Returns the area of a shape in square pixels. */
export function area({ box, polygon }) {
  if (box) return box[2] * box[3];
  const corners = points(polygon);
  return Math.abs(corners.reduce((sum, { x, y }, place) => {
    const next = corners[(place + 1) % corners.length];
    return sum + x * next.y - next.x * y;
  }, 0)) / 2;
}

/** Returns the index of the smallest shape around a point, or -1. */
export function shapeAt(shapes, point) {
  let [best, least] = [-1, Infinity];
  shapes.forEach((shape, index) => {
    const size = area(shape);
    if (size < least && contains(shape, point)) [best, least] = [index, size];
  });
  return best;
}

/** Whether a point is inside of a shape. */
export function contains({ box, polygon }, { x, y }) {
  if (box) {
    return x >= box[0] && y >= box[1] && x <= box[0] + box[2] && y <= box[1] + box[3];
  }
  // A ray from the point to the right crosses the edges an odd number of times.
  const corners = points(polygon);
  return corners.filter((corner, place) => {
    const next = corners[(place + 1) % corners.length];
    return (corner.y > y) !== (next.y > y)
      && x < corner.x + ((next.x - corner.x) * (y - corner.y)) / (next.y - corner.y);
  }).length % 2 === 1;
}

/** Converts an object that a model found to a shape, or to null if it is outside of the image. */
export function shapeOfObject({ label, box, angle }, { width, height }) {
  const [left, right] = [box.left, box.right].map((x) => rounded(clamped(x * width, 0, width)));
  const [top, bottom] = [box.top, box.bottom].map((y) => rounded(clamped(y * height, 0, height)));
  if (!angle) {
    if (right - left < 0.1 || bottom - top < 0.1) return null;
    return { label, box: [left, top, rounded(right - left), rounded(bottom - top)] };
  }
  const [x, y] = [((box.left + box.right) * width) / 2, ((box.top + box.bottom) * height) / 2];
  const [wide, high] = [((box.right - box.left) * width) / 2, ((box.bottom - box.top) * height) / 2];
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const polygon = [[-wide, -high], [wide, -high], [wide, high], [-wide, high]].flatMap(([a, b]) => [
    rounded(clamped(x + a * cosine - b * sine, 0, width)),
    rounded(clamped(y + a * sine + b * cosine, 0, height)),
  ]);
  return area({ polygon }) < 0.1 ? null : { label, polygon };
}

/** Whether two shapes have the same label and nearly the same place. */
export function areAlike(a, b) {
  const [first, second] = [bounds(a), bounds(b)];
  return a.label === b.label
    && Object.keys(first).every((key) => Math.abs(first[key] - second[key]) < 1);
}

/** Describes a shape's size and place. */
export function placeText(shape) {
  const { left, top, width, height } = bounds(shape);
  const [x, y, w, h] = [left, top, width, height].map(Math.round);
  const values = { x, y, w, h, n: shape.polygon ? shape.polygon.length / 2 : 0 };
  return shape.box
    ? t("{w} × {h} pixels at {x}, {y}", values)
    : t("{n} corners, {w} × {h} pixels at {x}, {y}", values);
}

/** Returns the corners of a polygon as points. */
export function points(polygon) {
  const { xs, ys } = axes(polygon);
  return xs.map((x, place) => ({ x, y: ys[place] }));
}

export function clamped(value, least, most) {
  return Math.min(Math.max(value, least), Math.max(least, most));
}

function axes(polygon) {
  return {
    xs: polygon.filter((_, place) => place % 2 === 0),
    ys: polygon.filter((_, place) => place % 2 === 1),
  };
}

function rounded(value) {
  return Math.round(value * 10) / 10;
}
