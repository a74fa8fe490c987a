// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto
import ModelRepositoryAPI

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A regular file of the cache, which is never opened through a symbolic link.
final class CacheFile: Sendable {
  /// The properties that tell whether a file is still the one that was hashed.
  struct Identity: Sendable, Hashable {
    var device: UInt64
    var number: UInt64
    var size: Int
    var seconds: Int
    var nanoseconds: Int
  }

  let path: String
  private let descriptor: CInt

  /// Opens a file for reading.
  ///
  /// - Throws: ``FileFailure``, also if the path isn't a regular file.
  convenience init(reading path: String) throws {
    // Opening a named pipe would block without `O_NONBLOCK`.
    try self.init(path, O_RDONLY | O_NONBLOCK)
  }

  /// Opens a file for writing, and creates it if it is missing.
  ///
  /// - Throws: ``FileFailure``, also if the path isn't a regular file.
  convenience init(writing path: String, truncating: Bool = false) throws {
    try self.init(path, O_RDWR | O_CREAT | O_NONBLOCK | (truncating ? O_TRUNC : 0))
  }

  private init(_ path: String, _ flags: CInt) throws {
    self.path = path
    descriptor = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFailure("opened", path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileFailure("examined", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      errno = EINVAL
      throw FileFailure("opened as a file", path)
    }
  }

  deinit { close(descriptor) }

  /// The file's current identity.
  var identity: Identity {
    get throws {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw FileFailure("examined", path) }
      #if canImport(Darwin)
      let time = status.st_mtimespec
      #else
      let time = status.st_mtim
      #endif
      return Identity(
        device: UInt64(truncatingIfNeeded: status.st_dev),
        number: UInt64(truncatingIfNeeded: status.st_ino), size: Int(status.st_size),
        seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
    }
  }

  /// Reads from the current position to the end, in parts.
  ///
  /// - Throws: ``FileFailure``, or the errors of the body.
  func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw FileFailure("read", path) }
      guard count > 0 else { return }
      try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  /// Writes bytes at the current position.
  ///
  /// - Throws: ``FileFailure``.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw FileFailure("written", path) }
      rest = rest.dropFirst(count)
    }
  }

  /// Empties the file and moves to its start.
  ///
  /// - Throws: ``FileFailure``.
  func truncate() throws {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw FileFailure("truncated", path)
    }
  }

  /// Makes the file read-only for all users.
  ///
  /// - Throws: ``FileFailure``.
  func makeReadOnly() throws {
    guard fchmod(descriptor, 0o444) == 0 else { throw FileFailure("made read-only", path) }
  }

  /// Flushes the content to the disk.
  ///
  /// - Throws: ``FileFailure``. The file must not be used after that.
  func flush() throws {
    guard fsync(descriptor) == 0 else { throw FileFailure("flushed", path) }
  }

  /// Returns the bytes of a small file.
  ///
  /// - Returns: The bytes, or nil if the file is missing, exceeds the limit, or permanently can't
  ///   be read.
  /// - Throws: ``FileFailure`` if reading may succeed later.
  static func contents(of path: String, upTo limit: Int) throws -> [UInt8]? {
    try unlessTransient {
      let file = try CacheFile(reading: path)
      guard try file.identity.size <= limit else { return nil }
      var bytes: [UInt8] = []
      try file.forEachPart { bytes.append(contentsOf: $0) }
      return bytes.count <= limit ? bytes : nil
    }
  }

  /// Runs an operation on a file, and returns nil if the file is missing or damaged.
  ///
  /// - Throws: ``FileFailure`` if the failure is transient. An intact file must not be discarded
  ///   because the process has too many files open.
  static func unlessTransient<Result>(_ work: () throws -> Result?) throws -> Result? {
    do {
      return try work()
    } catch let failure as FileFailure where !failure.isTransient {
      return nil
    }
  }

  /// Returns the SHA-256 of the whole file and its size.
  ///
  /// - Throws: ``FileFailure``.
  static func reference(of path: String) throws -> BlobReference {
    let file = try CacheFile(reading: path)
    var hash = SHA256()
    var size = 0
    try file.forEachPart { part in
      hash.update(bufferPointer: part)
      size += part.count
    }
    return BlobReference(digest: BlobDigest(hash.finalize()), size: size)
  }
}

private func systemRead(_ file: CInt, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
  read(file, bytes.baseAddress, bytes.count)
}

/// Calls the system's `write`, which the method of the same name hides.
private func systemWrite(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(file, bytes.baseAddress, bytes.count)
}
#endif
