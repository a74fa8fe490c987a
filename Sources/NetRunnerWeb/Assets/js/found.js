// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/**
 * Returns a result without the objects, labels and keypoints whose score is below a threshold.
 * Keypoints of objects stay in their places as null, because lines connect them by their indices.
 */
export function above(result, threshold) {
  const isHigh = (value) => !Number.isFinite(value) || value >= threshold;
  return {
    ...result,
    classes: result.classes?.filter(({ value }) => isHigh(value)),
    keypoints: result.keypoints?.filter(({ score }) => isHigh(score)),
    detections: result.detections?.filter(({ score }) => isHigh(score)).map((object) => ({
      ...object,
      keypoints: object.keypoints?.map((point) => (isHigh(point.score) ? point : null)),
    })),
  };
}

/** Whether a result has scores, which a threshold can cut. */
export function hasScores({ classes, detections, keypoints }) {
  const points = keypoints?.some(({ score }) => Number.isFinite(score));
  return Boolean(classes || detections || points);
}

/** Returns the index of the smallest object around a point in fractions of the image, or null. */
export function objectAt(point, detections) {
  let [best, least] = [null, Infinity];
  detections.forEach(({ box }, index) => {
    const area = (box.right - box.left) * (box.bottom - box.top);
    const isInside = point.x >= box.left && point.x <= box.right
      && point.y >= box.top && point.y <= box.bottom;
    if (isInside && area < least) [best, least] = [index, area];
  });
  return best;
}

/**
 * Returns the places of labels, which are placed beside their boxes so that they don't
 * cover each other if there is room. All lengths are pixels. The boxes have `left`, `top`, `width`
 * and `height`, the labels `width` and `height`.
 */
export function placeLabels(boxes, labels, area) {
  const taken = [];
  return boxes.map((box, index) => {
    const { width, height } = labels[index];
    const clamped = ([left, top]) => ({
      left: Math.min(Math.max(left, 0), Math.max(0, area.width - width)),
      top: Math.min(Math.max(top, 0), Math.max(0, area.height - height)),
      width, height,
    });
    const right = box.left + box.width - width;
    const bottom = box.top + box.height;
    const below = Array.from(
      { length: Math.min(8, Math.ceil(box.height / height)) }, (_, row) => [
        box.left, box.top + row * height,
      ]
    );
    const places = [
      [box.left, box.top - height], [right, box.top - height], ...below, [right, box.top],
      [box.left, bottom], [right, bottom],
    ].map(clamped);
    const isFree = (place) => taken.every((other) => !overlap(place, other));
    const chosen = places.find(isFree) ?? places[0];
    taken.push(chosen);
    return chosen;
  });
}

/**
 * Returns the left and top edges of the names of points, beside the points, or null for a name that
 * has no room there beside the others and the labels. All lengths are pixels.
 */
export function placeNames(points, names, labels, area) {
  const dots = points.map(({ x, y }) => ({ left: x - 6, top: y - 6, width: 12, height: 12 }));
  const taken = [...labels, ...dots];
  return points.map(({ x, y }, index) => {
    const { width, height } = names[index];
    const chosen = [
      [x + 9, y - height / 2], [x - 9 - width, y - height / 2], [x - width / 2, y - 9 - height],
      [x - width / 2, y + 9],
    ].map(([left, top]) => ({ left, top, width, height })).find(
      (place) => isWithin(place, area) && taken.every((other) => !overlap(place, other))
    );
    if (chosen) taken.push(chosen);
    return chosen ?? null;
  });
}

function isWithin({ left, top, width, height }, area) {
  return left >= 0 && top >= 0 && left + width <= area.width && top + height <= area.height;
}

function overlap(a, b) {
  return a.left < b.left + b.width && b.left < a.left + a.width
    && a.top < b.top + b.height && b.top < a.top + a.height;
}
