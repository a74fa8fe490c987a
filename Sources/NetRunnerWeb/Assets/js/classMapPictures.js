// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

const longest = 240;
/** The color of class 255, which doesn't count in masks. */
const ignored = 0xe0e0c0;
/** The colors of states, as for objects. */
const colors = {
  matched: [76, 201, 240], missed: [255, 107, 87], false: [255, 201, 60], confused: [229, 140, 255],
};

/**
 * Resolves to pictures of a true and a predicted class map without their background, and to one of what
 * is found, missed, false or of a wrong class. The background is class 0, which is black.
 */
export async function classMapPictures(truth, predicted, { width, height }) {
  const scale = longest / Math.max(width, height);
  const size = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
  const [mine, theirs] = await Promise.all(
    [truth, predicted].map(({ address }) => pixelsOf(address, size))
  );
  const both = new ImageData(...size);
  for (let place = 0; place < both.data.length; place += 4) {
    const [own, said] = [mine, theirs].map(({ data }) => (
      (data[place] << 16) | (data[place + 1] << 8) | data[place + 2]
    ));
    const state = own === said ? "matched" : said === 0 ? "missed" : own === 0 ? "false" : "confused";
    const counts = own !== ignored && (own !== 0 || said !== 0);
    if (counts) both.data.set([...colors[state], 255], place);
    if (own === 0 || own === ignored) mine.data[place + 3] = 0;
    if (said === 0) theirs.data[place + 3] = 0;
  }
  return { truth: addressOf(mine), predicted: addressOf(theirs), both: addressOf(both) };
}

async function pixelsOf(address, [width, height]) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const context = contextOf(width, height);
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}

function addressOf(pixels) {
  const context = contextOf(pixels.width, pixels.height);
  context.putImageData(pixels, 0, 0);
  return context.canvas.toDataURL();
}

function contextOf(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas.getContext("2d", { willReadFrequently: true });
}
