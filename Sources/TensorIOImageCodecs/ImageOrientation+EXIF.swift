// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension ImageOrientation {
  /// Makes the orientation that a file's EXIF data states.
  ///
  /// Missing or malformed EXIF data isn't an error; the orientation is then `.up`.
  init(exifOf bytes: RawSpan, _ format: FileFormat) {
    let tiff =
      switch format {
      case .jpeg: exifRangeOfJPEG(bytes)
      case .png: exifRangeOfChunks(bytes, isPNG: true)
      case .webp: exifRangeOfChunks(bytes, isPNG: false)
      default: nil as Range<Int>?
      }
    guard var tiff else {
      self = .up
      return
    }
    // Some writers put JPEG's prefix before the EXIF data of PNG and WebP files.
    if bytes.hasText("Exif\0\0", at: tiff.lowerBound), tiff.count >= 6 {
      tiff = tiff.lowerBound + 6..<tiff.upperBound
    }
    self.init(tiff: bytes.extracting(tiff))
  }

  /// Makes the orientation from the tag 0x0112 in the first directory of TIFF data.
  private init(tiff: RawSpan) {
    self = .up
    let bigEndian: Bool
    if tiff.hasText("II*\0", at: 0) {
      bigEndian = false
    } else if tiff.hasText("MM\0*", at: 0) {
      bigEndian = true
    } else {
      return
    }
    guard
      let start = tiff.integer(UInt32.self, at: 4, bigEndian: bigEndian),
      let count = tiff.integer(UInt16.self, at: Int(start), bigEndian: bigEndian)
    else { return }
    for index in 0..<Int(count) {
      let entry = Int(start) + 2 + index * 12
      guard let tag = tiff.integer(UInt16.self, at: entry, bigEndian: bigEndian) else { return }
      guard tag == 0x0112 else { continue }
      guard tiff.integer(UInt32.self, at: entry + 4, bigEndian: bigEndian) == 1 else { return }
      // EXIF requires a short (3). Like Pillow, this also accepts a long (4).
      let value: Int? =
        switch tiff.integer(UInt16.self, at: entry + 2, bigEndian: bigEndian) {
        case 3: tiff.integer(UInt16.self, at: entry + 8, bigEndian: bigEndian).map { Int($0) }
        case 4: tiff.integer(UInt32.self, at: entry + 8, bigEndian: bigEndian).map { Int($0) }
        default: nil
        }
      guard let value, let orientation = ImageOrientation(rawValue: value) else { return }
      self = orientation
      return
    }
  }
}

/// Returns the range of the first APP1 segment with EXIF data before the scans.
private func exifRangeOfJPEG(_ bytes: RawSpan) -> Range<Int>? {
  var offset = 2
  while let marker = bytes.integer(UInt16.self, at: offset, bigEndian: true) {
    switch marker {
    case 0xffff:
      // Markers may be preceded by 0xff as padding.
      offset += 1
      continue
    case 0xff01, 0xffd0...0xffd7:
      offset += 2
      continue
    case 0xffda, 0xffd9, 0..<0xff00:
      return nil
    default: break
    }
    guard let length = bytes.integer(UInt16.self, at: offset + 2, bigEndian: true), length >= 2
    else { return nil }
    let end = offset + 2 + Int(length)
    guard end <= bytes.byteCount else { return nil }
    if marker == 0xffe1, length >= 8, bytes.hasText("Exif\0\0", at: offset + 4) {
      return offset + 10..<end
    }
    offset = end
  }
  return nil
}

/// Returns the range of the data of the first chunk with EXIF data in a PNG or WebP file.
private func exifRangeOfChunks(_ bytes: RawSpan, isPNG: Bool) -> Range<Int>? {
  var offset = isPNG ? 8 : 12
  while let length = bytes.integer(
    UInt32.self, at: isPNG ? offset : offset + 4, bigEndian: isPNG)
  {
    let end = offset + 8 + Int(length)
    guard end <= bytes.byteCount else { return nil }
    let isEXIF = isPNG ? bytes.hasText("eXIf", at: offset + 4) : bytes.hasText("EXIF", at: offset)
    if isEXIF { return offset + 8..<end }
    // After the data, PNG has a checksum, and WebP a byte of padding if the length is odd.
    offset = end + (isPNG ? 4 : Int(length % 2))
  }
  return nil
}
