// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Rows of a crop of a picture, whatever its format, for the kernels.
///
/// Every format but gray is a word of four bytes whose channels stand in the wanted order, or do
/// once the bytes are reversed; gray becomes three equal bytes first.
struct PixelSource {
  /// The size of a pixel in the rows given out: 3 or 4.
  let bytesPerPixel: Int
  /// Whether a pixel's four bytes must be reversed.
  let swaps: Bool
  /// How many bytes stand before the three channels then.
  let skip: Int

  private let bytes: UnsafeRawBufferPointer
  private let storedBytesPerPixel: Int
  private let bytesPerRow: Int
  private let crop: PixelCrop

  /// - Parameters:
  ///   - bytes: All of the picture's bytes; they must outlive the source.
  ///   - image: The picture.
  ///   - crop: The part to read, within the picture.
  ///   - order: The order of the channels that the kernels shall write.
  init(
    bytes: UnsafeRawBufferPointer, of image: PixelBuffer, crop: PixelCrop, order: ImageShape.Format
  ) {
    self.bytes = bytes
    self.crop = crop
    bytesPerRow = image.bytesPerRow
    storedBytesPerPixel = image.format.bytesPerPixel
    bytesPerPixel = max(storedBytesPerPixel, 3)
    let offsets = image.format.colorOffsets
    let first = order == .rgb ? offsets.red : offsets.blue
    let last = order == .rgb ? offsets.blue : offsets.red
    swaps = first > last
    skip = swaps ? 3 - first : first
  }

  /// Bytes that a scratch row takes: a row and what kernels read behind it.
  var scratchByteCount: Int { crop.width * bytesPerPixel + 8 }

  /// The row, with at least 4 readable bytes behind it: where it lies, or a copy in `scratch`.
  func row(_ row: Int, scratch: UnsafeMutablePointer<UInt8>) -> UnsafePointer<UInt8> {
    let start = (crop.y &+ row) &* bytesPerRow &+ crop.x &* storedBytesPerPixel
    let count = crop.width &* storedBytesPerPixel
    let source = UnsafeRawBufferPointer(rebasing: bytes[start...])
      .assumingMemoryBound(to: UInt8.self)
    guard let base = source.baseAddress else { return UnsafePointer(scratch) }
    if storedBytesPerPixel == 1 {
      for x in 0..<count {
        scratch[x &* 3] = base[x]
        scratch[x &* 3 &+ 1] = base[x]
        scratch[x &* 3 &+ 2] = base[x]
      }
      return UnsafePointer(scratch)
    }
    if source.count >= count &+ 4 { return base }
    scratch.update(from: base, count: count)
    return UnsafePointer(scratch)
  }

  /// Writes a row as bytes, three a pixel, in the wanted order.
  func pack(
    row: Int, scratch: UnsafeMutablePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>
  ) {
    let pixels = self.row(row, scratch: scratch)
    if bytesPerPixel == 3 && !swaps {
      target.update(from: pixels, count: crop.width &* 3)
      return
    }
    let first = swaps ? 3 &- skip : skip
    let step = swaps ? -1 : 1
    var pixel = pixels + first
    for x in 0..<crop.width {
      target[x &* 3] = pixel[0]
      target[x &* 3 &+ 1] = pixel[step]
      target[x &* 3 &+ 2] = pixel[2 &* step]
      pixel += bytesPerPixel
    }
  }
}

/// A rectangle within a picture.
struct PixelCrop: Equatable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int

  /// The largest part with the target's aspect, in the middle; at least one pixel each way.
  init(of size: (width: Int, height: Int), toAspectOf target: (width: Int, height: Int)) {
    width = size.width
    height = size.height
    if size.width * target.height > size.height * target.width {
      width = max(1, size.height * target.width / target.height)
    } else {
      height = max(1, size.width * target.height / target.width)
    }
    x = (size.width - width) / 2
    y = (size.height - height) / 2
  }
}
