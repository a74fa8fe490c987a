// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// An open file or folder, which closes with the object.
package final class OpenFile: Sendable {
  package let path: String
  package let descriptor: CInt

  private init(_ path: String, _ flags: CInt, _ permissions: UInt32 = 0) throws(FileError) {
    self.path = path
    descriptor = open_file(path, flags | O_CLOEXEC, mode_t(permissions))
    // All properties are set, so `deinit` runs if this throws.
    guard descriptor >= 0 else { throw FileError(opening: path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  // MARK: - Opening

  /// Opens a regular file for reading.
  ///
  /// Opening never blocks. A named pipe would block the program until another process writes to it,
  /// and a device may never end, so both are rejected. The only pipes that are read are those that
  /// the program was started with: `/dev/stdin`, or `/dev/fd/63` from the shell's `<(command)`.
  package convenience init(reading path: String, followsLinks: Bool = true) throws(FileError) {
    let isInherited = followsLinks && Self.isInheritedStream(path)
    try self.init(
      path, O_RDONLY | (isInherited ? 0 : O_NONBLOCK) | (followsLinks ? 0 : O_NOFOLLOW))
    try requireFile(allowsPipe: isInherited)
  }

  /// Opens a regular file for reading and writing, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - truncates: Whether the file is emptied.
  ///   - permissions: The permissions of a new file, which the process's mask can restrict.
  /// - Throws: ``FileError``, also if the path isn't a regular file.
  package convenience init(
    writing path: String, truncates: Bool = false, permissions: UInt32
  ) throws(FileError) {
    try self.init(
      path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | (truncates ? O_TRUNC : 0), permissions)
    try requireFile(allowsPipe: false)
  }

  /// Opens a file to which bytes are appended, and creates it if it is missing.
  package convenience init(appending path: String) throws(FileError) {
    try self.init(path, O_RDWR | O_CREAT | O_APPEND, 0o666)
  }

  /// Creates a file, or empties the existing one.
  package convenience init(replacing path: String) throws(FileError) {
    try self.init(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
  }

  /// Creates a file; an existing file or link is an error.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: The permissions, which the process's mask can restrict.
  /// - Throws: ``FileError``.
  package convenience init(creating path: String, permissions: UInt32 = 0o644) throws(FileError) {
    try self.init(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions)
  }

  /// Opens a file or a folder to lock or flush it.
  package convenience init(examining path: String) throws(FileError) {
    try self.init(path, O_RDONLY)
  }

  /// Opens a file to lock it, and creates it if it is missing.
  convenience init(lockFile path: String, permissions: UInt32) throws(FileError) {
    try self.init(path, O_RDWR | O_CREAT | O_NOFOLLOW, permissions)
  }

  /// Whether a path names an open file of this process, which was chosen when the process was
  /// started.
  private static func isInheritedStream(_ path: String) -> Bool {
    path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
  }

  private func requireFile(allowsPipe: Bool) throws(FileError) {
    let kind = try status.kind
    guard kind == .file || (kind == .pipe && allowsPipe) else {
      throw FileError(.opened, path, number: kind == .folder ? EISDIR : EINVAL, kind: kind)
    }
  }

  // MARK: - Reading

  package var status: FileStatus {
    get throws(FileError) { try FileStatus(self) }
  }

  /// Reads the next bytes into memory, and returns their number; 0 at the end of the file.
  package func read(into bytes: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    while true {
      let count = CSystemCalls.read(descriptor, bytes.baseAddress, bytes.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw FileError(.read, path) }
    }
  }

  /// Reads the next bytes; an empty array at the end of the file.
  package func read(atMost count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = try read(into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Reads a range of the file, or fewer bytes if the file ends earlier.
  package func bytes(in range: Range<Int>) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
      while filled < range.count {
        let count = pread(
          descriptor, buffer.baseAddress.map { $0 + filled }, range.count - filled,
          off_t(range.lowerBound + filled))
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw FileError(.read, path) }
        if count == 0 { return }
        filled += count
      }
    }
  }

  /// Reads from the current position to the end, in parts.
  package func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
      guard count > 0 else { return }
      try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  /// Returns whether the byte at an offset can be read without waiting for the disk.
  package func isInMemory(_ offset: Int) -> Bool {
    is_byte_in_memory(descriptor, Int64(offset))
  }

  // MARK: - Writing

  /// Writes bytes, with a single system call unless the system accepts only some of them.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = CSystemCalls.write(descriptor, part.baseAddress, part.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw FileError(.written, path) }
      rest = rest.dropFirst(count)
    }
  }

  package func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

  /// Reports a write that the system accepted and that failed later, as on network file systems.
  ///
  /// Closing a file returns such an error, and so does closing a copy of the descriptor.
  package func checkWritten() throws(FileError) {
    let copy = dup(descriptor)
    guard copy >= 0, close(copy) == 0 else { throw FileError(.written, path) }
  }

  /// Shortens the file to a size in bytes.
  package func truncate(to size: Int) throws(FileError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw FileError(.truncated, path) }
  }

  /// Empties the file and moves to its start.
  package func empty() throws(FileError) {
    try truncate(to: 0)
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError(.truncated, path) }
  }

  /// Makes the file read-only for all users.
  package func makeReadOnly() throws(FileError) {
    guard fchmod(descriptor, 0o444) == 0 else { throw FileError(.madeReadOnly, path) }
  }

  /// Flushes the content to the disk, so that a power cut doesn't leave an empty file.
  ///
  /// Don't use the file after a failure.
  package func flush() throws(FileError) {
    guard fsync(descriptor) == 0 else { throw FileError(.flushed, path) }
  }
}
