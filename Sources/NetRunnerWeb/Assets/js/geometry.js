// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/**
 * Returns the largest size of the same proportions whose longer side is at most `longest`, without
 * enlarging.
 */
export function fitted(width, height, longest) {
  const scale = Math.min(1, longest / Math.max(width, height, 1));
  return {
    width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale))
  };
}

/**
 * Returns the position of an image in a frame that shows all of it, like CSS's `object-fit:
 * contain`.
 */
export function contained(frame, picture) {
  if (!(picture.width > 0 && picture.height > 0)) {
    return { left: 0, top: 0, width: frame.width, height: frame.height };
  }
  const scale = Math.min(frame.width / picture.width, frame.height / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  return { left: (frame.width - width) / 2, top: (frame.height - height) / 2, width, height };
}

/**
 * Returns the position on the screen of a box in fractions. A mirrored image swaps left and right.
 */
export function placed(box, mirrored) {
  const left = mirrored ? 1 - box.right : box.left;
  return { left, top: box.top, width: box.right - box.left, height: box.bottom - box.top };
}

/** Converts a point in what the model saw to a point in the whole image. */
export function withinRegion(point, region) {
  return {
    x: region.left + point.x * (region.right - region.left),
    y: region.top + point.y * (region.bottom - region.top),
  };
}

/** Whether the model saw the whole image. */
export function isWhole(region) {
  const near = (a, b) => Math.abs(a - b) < 0.004;
  return near(region.left, 0) && near(region.top, 0) && near(region.right, 1) && near(
    region.bottom, 1
  );
}

/**
 * Returns what a finger did between touching and leaving the screen: "tap", "left", "right" or
 * null.
 */
export function gesture(from, to) {
  const [x, y, time] = [to.x - from.x, to.y - from.y, to.time - from.time];
  if (Math.hypot(x, y) < 10) return time < 600 ? "tap" : null;
  if (Math.abs(x) < 48 || Math.abs(x) < 1.6 * Math.abs(y) || time > 1200) return null;
  return x < 0 ? "left" : "right";
}
