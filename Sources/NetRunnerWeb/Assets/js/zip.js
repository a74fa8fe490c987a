// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/**
 * Makes an uncompressed zip of files, given as `{path, file}`. Its size matters little, because it
 * usually goes to this machine.
 */
export async function zipped(files, name) {
  const parts = [];
  const directory = [];
  let place = 0;
  for (const { path, file } of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const encodedName = new TextEncoder().encode(path);
    const checksum = crc32(bytes);
    const common = [
      [2, 20], [2, 0x0800], [2, 0], [2, 0], [2, 0x21], [4, checksum], [4, bytes.length],
      [4, bytes.length], [2, encodedName.length], [2, 0],
    ];
    const head = fields([[4, 0x04034b50], ...common]);
    directory.push(
      fields(
        [[4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, place]]
      ), encodedName);
    parts.push(head, encodedName, bytes);
    place += head.length + encodedName.length + bytes.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = files.length;
  const end = fields(
    [[4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, place], [2, 0]]
  );
  return new File([...parts, ...directory, end], name, { type: "application/zip" });
}

/** Returns numbers in little-endian order, each given as `[width, number]`. */
function fields(list) {
  const bytes = new Uint8Array(list.reduce((sum, [width]) => sum + width, 0));
  let place = 0;
  for (const [width, number] of list) {
    for (let byte = 0; byte < width; byte += 1) bytes[place + byte] = (number >>> (8 * byte)) & 255;
    place += width;
  }
  return bytes;
}

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = table[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
