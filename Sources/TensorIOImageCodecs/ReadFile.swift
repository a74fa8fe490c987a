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

/// The bytes of a file, in pooled memory that `buffer` holds.
struct FileContents {
  var buffer: PooledBuffer
  var count: Int

  /// The bytes.
  ///
  /// Keep `buffer` alive while you use them.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])
  }
}

/// Reads a file of at most `limit` bytes.
///
/// The file is read rather than mapped, because another process could truncate a mapped file while
/// it is decoded.
func readFile(_ path: String, limit: Int, pool: BufferPool) throws -> FileContents {
  let file = try FileSystem.openForReading(path)
  defer { close(file) }
  var status = stat()
  guard fstat(file, &status) == 0 else { throw readError(path, errno) }
  let size = Int(status.st_size)
  guard size <= limit else { throw fileTooLarge("'\(path)'", bytes: size, limit: limit) }

  // A pipe has no size, and a file can grow while it is read, so read until the end.
  var contents = FileContents(buffer: pool.buffer(byteCount: size + 1), count: 0)
  while true {
    let bytes = contents.buffer.bytes
    let count = read(
      file, bytes.baseAddress.map { $0 + contents.count }, bytes.count - contents.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw readError(path, errno) }
    if count == 0 { return contents }
    contents.count += count
    guard contents.count <= limit else { throw fileTooLarge("'\(path)'", bytes: nil, limit: limit) }
    if contents.count == bytes.count {
      let larger = pool.buffer(byteCount: contents.count * 2)
      larger.bytes.copyMemory(from: contents.bytes)
      contents.buffer = larger
    }
  }
}

/// Writes a file, replacing an existing one.
func writeFile(_ bytes: [UInt8], to path: String) throws {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  guard file >= 0 else { throw writeError(path, errno) }
  var written = 0
  while written < bytes.count {
    let count = bytes.withUnsafeBytes { bytes in
      write(file, bytes.baseAddress.map { $0 + written }, bytes.count - written)
    }
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else {
      let code = errno
      close(file)
      throw writeError(path, code)
    }
    written += count
  }
  guard close(file) == 0 else { throw writeError(path, errno) }
}

private func readError(_ path: String, _ code: CInt) -> TensorIOError {
  TensorIOError(.unreadableFile, "'\(path)' cannot be read: \(reason(code)).")
}

private func writeError(_ path: String, _ code: CInt) -> TensorIOError {
  TensorIOError(.unwritableFile, "'\(path)' cannot be written: \(reason(code)).")
}

private func reason(_ code: CInt) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
