// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** The largest size of the same proportions whose longer side is at most `longest`. */
export function fitted(width, height, longest) {
  const scale = Math.min(1, longest / Math.max(width, height, 1));
  return {
    width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale))
  };
}

/** Where a picture lies in a frame that shows all of it, as CSS's `object-fit: contain` does. */
export function contained(frame, picture) {
  if (!(picture.width > 0 && picture.height > 0)) {
    return { left: 0, top: 0, width: frame.width, height: frame.height };
  }
  const scale = Math.min(frame.width / picture.width, frame.height / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  return { left: (frame.width - width) / 2, top: (frame.height - height) / 2, width, height };
}

/** A box of shares as it lies on the screen; a mirrored picture has left and right exchanged. */
export function placed(box, mirrored) {
  const left = mirrored ? 1 - box.right : box.left;
  return { left, top: box.top, width: box.right - box.left, height: box.bottom - box.top };
}

/** A point of what the model saw as a point of the whole picture. */
export function withinRegion(point, region) {
  return {
    x: region.left + point.x * (region.right - region.left),
    y: region.top + point.y * (region.bottom - region.top),
  };
}

/** Whether the model saw all of the picture. */
export function isWhole(region) {
  const near = (a, b) => Math.abs(a - b) < 0.004;
  return near(region.left, 0) && near(region.top, 0) && near(region.right, 1) && near(
    region.bottom, 1
  );
}

/** What a finger did from its going down to its going up: "tap", "left", "right" or null. */
export function gesture(from, to) {
  const [x, y, time] = [to.x - from.x, to.y - from.y, to.time - from.time];
  if (Math.hypot(x, y) < 10) return time < 600 ? "tap" : null;
  if (Math.abs(x) < 48 || Math.abs(x) < 1.6 * Math.abs(y) || time > 1200) return null;
  return x < 0 ? "left" : "right";
}
