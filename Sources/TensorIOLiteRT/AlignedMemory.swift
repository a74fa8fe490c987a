// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// Zero-initialized memory with the alignment that LiteRT requires.
///
/// It has room for reads past its end.
final class AlignedMemory {
  /// The alignment in bytes.
  ///
  /// LiteRT rejects host memory with a smaller one.
  static let alignment = 64

  let start: UnsafeMutableRawPointer
  let byteCount: Int

  init(byteCount: Int) {
    self.byteCount = byteCount
    // XNNPACK's kernels may read up to a vector past the end.
    let capacity = byteCount + 2 * Self.alignment
    start = .allocate(byteCount: capacity, alignment: Self.alignment)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
  }

  /// Reads a whole file.
  ///
  /// The file is copied rather than mapped. If another process shortened a mapped file, reading it
  /// would crash this process.
  convenience init(contentsOf path: String) throws {
    let file = try FileSystem.open(path)
    let size: Int
    do {
      size = try file.status.size
    } catch {
      throw TensorIOError(reading: error)
    }
    // The offsets of a flatbuffer have 32 bits.
    guard size < 1 << 31 else {
      throw TensorIOError(
        .invalidModel,
        "'\(path)' is larger than 2 GB, the limit for .tflite files. Check that it is the right "
          + "file.")
    }
    self.init(byteCount: size)
    var count = 0
    while count < byteCount {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
      do throws(FileError) {
        let got = try file.read(into: rest)
        guard got > 0 else { throw FileError.endedEarly(path) }
        count += got
      } catch {
        throw TensorIOError(
          .unreadableFile, "'\(path)' could not be read completely: \(error.reason).")
      }
    }
  }

  deinit { start.deallocate() }

  /// The memory, without the room past its end.
  var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }
}
