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
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d", { alpha: false, willReadFrequently: true })
    .drawImage(frame, 0, 0, width, height);
  frame.close();
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality });
  const image = keepsImage ? canvas.transferToImageBitmap() : null;
  self.postMessage({ number, blob, image }, image ? [image] : []);
};
