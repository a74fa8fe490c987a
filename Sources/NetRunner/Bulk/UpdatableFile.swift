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

/// A file that is appended to.
///
/// Every error is a `TensorIOError` that names the file.
final class UpdatableFile {
  private let path: String
  private let descriptor: CInt

  /// Opens a file, or creates it if it is missing.
  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure() }
  }

  deinit { close(descriptor) }

  /// Appends bytes, with a single system call unless the system accepts only some of them.
  func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw failure() }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// The size of the file in bytes.
  func size() throws -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure() }
    return Int(status.st_size)
  }

  /// Reads a range of bytes.
  ///
  /// Returns fewer if the file ends earlier.
  func read(_ range: Range<Int>) throws -> [UInt8] {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      while count < range.count {
        let got = pread(
          descriptor, buffer.baseAddress.map { $0 + count }, range.count - count,
          off_t(range.lowerBound + count))
        if got < 0 && errno == EINTR { continue }
        failed = got < 0
        guard got > 0 else { return }
        count += got
      }
    }
    if failed { throw failure() }
    return bytes
  }

  /// Shortens the file to a size in bytes.
  func truncate(to size: Int) throws {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure() }
  }

  /// Flushes the content to the disk.
  func flush() throws {
    guard fsync(descriptor) == 0 else { throw failure() }
  }

  private func failure() -> TensorIOError {
    TensorIOError(
      .unwritableFile, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
  }
}

private func systemWrite(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(file, bytes.baseAddress, bytes.count)
}
