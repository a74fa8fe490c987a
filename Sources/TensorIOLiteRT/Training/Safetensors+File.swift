// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import TensorIO

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

extension Safetensors {
  /// Writes a file beside its place, and gives it its name when it is complete and on the disk.
  ///
  /// - Parameters:
  ///   - folder: A folder that exists.
  ///   - name: The file's name; a file of that name is replaced.
  /// - Throws: ``TensorIOError`` when it cannot be written. A file that was there is unchanged then.
  func write(to folder: String, as name: String) throws {
    let content = try serialized()
    let fresh = folder + "/.\(name)-\(UUID().uuidString)"
    do {
      try Self.write(content, to: fresh)
      guard rename(fresh, folder + "/" + name) == 0 else { throw Failure() }
    } catch let failure as Failure {
      unlink(fresh)
      throw TensorIOError(
        .unreadableFile, "'\(folder)/\(name)' cannot be written: \(failure.reason).")
    }
  }

  /// What the system said of its last refusal.
  private struct Failure: Error {
    let reason = String(cString: strerror(errno))
  }

  private static func write(_ content: Data, to path: String) throws(Failure) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw Failure() }
    defer { close(file) }
    var rest = content[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Failure() }
      rest = rest.dropFirst(count)
    }
    // After a power cut the name must not stand for an empty file.
    guard fsync(file) == 0 else { throw Failure() }
  }

  private static func systemWrite(
    _ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    #if canImport(Glibc)
    Glibc.write(file, bytes, count)
    #elseif canImport(Musl)
    Musl.write(file, bytes, count)
    #else
    Darwin.write(file, bytes, count)
    #endif
  }
}
