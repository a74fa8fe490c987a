// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/**
 * Encodes frames as JPEG in a worker, because the page encodes only while it is idle. A message has
 * a frame, the size, the quality and a number. The answer has the number, the JPEG and, on request,
 * the image.
 */
self.onmessage = async ({ data: { frame, width, height, quality, number, keepsImage } }) => {
  const canvas = canvasOf(width, height);
  canvas.context.drawImage(frame, 0, 0, width, height);
  frame.close();
  const blob = await canvas.element.convertToBlob({ type: "image/jpeg", quality });
  const image = keepsImage ? canvas.element.transferToImageBitmap() : null;
  free.push(canvas);
  self.postMessage({ number, blob, image }, image ? [image] : []);
};

/** The canvases that no frame uses. A new one for each frame would cost a fifth of the time. */
const free = [];

/** Returns a canvas of a size. Frames that are encoded at once have different ones. */
function canvasOf(width, height) {
  const canvas = free.pop();
  if (canvas?.element.width === width && canvas.element.height === height) return canvas;
  const element = new OffscreenCanvas(width, height);
  return { element, context: element.getContext("2d", { alpha: false, willReadFrequently: true }) };
}
