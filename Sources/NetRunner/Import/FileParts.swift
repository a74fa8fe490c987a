// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is read in parts.
final class FileParts {
  /// The file's length in bytes.
  let count: Int
  private let descriptor: CInt

  /// Opens a file.
  ///
  /// - Throws: `POSIXError`.
  init(_ path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError.last }
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0 else {
      let error = POSIXError.last
      close(descriptor)
      throw error
    }
    count = Int(end)
  }

  deinit { close(descriptor) }

  /// Reads a range of the file.
  ///
  /// Returns fewer bytes if the file has been truncated since it was opened.
  ///
  /// - Throws: `POSIXError`.
  func bytes(_ range: Range<Int>) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
      let memory = UnsafeMutableRawBufferPointer(buffer)
      while filled < range.count, let start = memory.baseAddress {
        let read = pread(
          descriptor, start + filled, range.count - filled, off_t(range.lowerBound + filled))
        if read < 0 && errno == EINTR { continue }
        guard read >= 0 else { throw POSIXError.last }
        if read == 0 { return }
        filled += read
      }
    }
  }
}
