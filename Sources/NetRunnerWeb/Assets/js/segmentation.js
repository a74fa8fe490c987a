// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { t } from "./messages.js";

/** Whether a class is the background: the first one, unless it has another name. */
export function isBackground({ index, label }) {
  return index === 0 && (label ?? "background") === "background";
}

/** Returns the name of a class. */
export function className({ index, label }) {
  return label ?? (index === 0 ? t("background") : t("class {index}", { index }));
}

/**
 * Returns the colors of the classes that are hidden by default. The background is, because it would
 * cover the rest.
 */
export function hiddenAtFirst(classes) {
  return classes.filter(isBackground).map((each) => each.color);
}

/** Makes all pixels partly transparent, and those with hidden colors fully transparent. */
function makeSeeThrough(pixels, hidden, opacity = 165) {
  const colors = new Set(hidden.map((color) => parseInt(color.slice(1), 16)));
  for (let place = 0; place < pixels.length; place += 4) {
    const color = (pixels[place] << 16) | (pixels[place + 1] << 8) | pixels[place + 2];
    pixels[place + 3] = colors.has(color) ? 0 : opacity;
  }
}

/** Draws a class map onto a canvas that lies over the image. */
export async function tinted(canvas, { width, height, picture }, hidden) {
  const image = new Image();
  image.src = picture;
  await image.decode();
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0, width, height);
  const data = context.getImageData(0, 0, width, height);
  makeSeeThrough(data.data, hidden);
  context.putImageData(data, 0, 0);
}
