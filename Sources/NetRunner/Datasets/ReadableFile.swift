// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is read in chunks.
final class ReadableFile {
  private let descriptor: CInt

  /// Opens a file.
  ///
  /// - Throws: `TensorIOError` if the file is missing, isn't a regular file or can't be read.
  init(_ path: String) throws {
    descriptor = try FileSystem.openForReading(path)
  }

  deinit { close(descriptor) }

  /// Reads the next bytes.
  ///
  /// Returns an empty array at the end of the file, and nil if reading fails.
  func read(atMost count: Int) -> [UInt8]? {
    var result = -1
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      repeat {
        result = Self.systemRead(descriptor, buffer.baseAddress, count)
      } while result < 0 && errno == EINTR
      initialized = max(result, 0)
    }
    return result < 0 ? nil : bytes
  }

  private static func systemRead(
    _ descriptor: CInt, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int
  ) -> Int {
    #if canImport(Glibc)
    Glibc.read(descriptor, buffer, count)
    #elseif canImport(Musl)
    Musl.read(descriptor, buffer, count)
    #else
    Darwin.read(descriptor, buffer, count)
    #endif
  }
}
