// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension FileSystem {
  /// Reads a file's bytes.
  ///
  /// - Throws: ``TensorIOError`` that distinguishes a missing file from an unreadable one.
  package static func read(_ path: String) throws -> Data {
    let file = try openForReading(path)
    defer { close(file) }
    var data = Data()
    var status = stat()
    let size = fstat(file, &status) == 0 ? Int(status.st_size) : 0
    // One byte more than the size, so that the last read detects the end of the file.
    var room = size + 1
    while true {
      let count = data.count
      data.count = count + room
      let got = data.withUnsafeMutableBytes { bytes in
        systemRead(file, bytes.baseAddress.map { $0 + count }, room)
      }
      let failure = errno
      data.count = count + max(got, 0)
      if got == 0 { return data }
      guard got > 0 || failure == EINTR else { throw unreadable(path, failure) }
      room = max(size + 1 - data.count, 65536)
    }
  }

  /// Opens a file for reading; the caller closes the descriptor.
  ///
  /// Opening never blocks. A named pipe would block the program until another process writes to it,
  /// and a device may never end, so both are rejected. The only pipes that are read are those that
  /// the program was started with: `/dev/stdin`, or `/dev/fd/63` from the shell's `<(command)`.
  ///
  /// - Throws: ``TensorIOError`` that distinguishes a missing file from an unreadable one.
  package static func openForReading(_ path: String) throws -> CInt {
    let isInherited = isInheritedStream(path)
    let file = open(path, O_RDONLY | O_CLOEXEC | (isInherited ? 0 : O_NONBLOCK))
    guard file >= 0 else { throw unreadable(path, errno) }
    do {
      try checkIsFile(path, file, allowsPipe: isInherited)
      return file
    } catch {
      close(file)
      throw error
    }
  }

  /// Checks that a file can be opened.
  ///
  /// Call it before a library opens the file and would wait for a pipe's writer.
  ///
  /// - Throws: ``TensorIOError`` when the path is missing, is not a regular file or cannot be read.
  package static func requireFile(_ path: String) throws { close(try openForReading(path)) }

  /// Rejects folders, pipes, sockets and devices.
  ///
  /// - Throws: ``TensorIOError`` that names the kind of file.
  private static func checkIsFile(_ path: String, _ file: CInt, allowsPipe: Bool) throws {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw unreadable(path, errno) }
    let kind: String
    switch status.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFIFO where allowsPipe: return
    case S_IFDIR:
      throw TensorIOError(.unreadableFile, "'\(path)' is a folder, but a file was expected.")
    case S_IFIFO: kind = "pipe"
    case S_IFSOCK: kind = "socket"
    default: kind = "device"
    }
    throw TensorIOError(
      .unreadableFile,
      "'\(path)' is a \(kind), but a file was expected. Write its contents to a file first.")
  }

  /// Whether a path names an open file of this process, which was chosen when the process was
  /// started.
  private static func isInheritedStream(_ path: String) -> Bool {
    path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
  }

  private static func unreadable(_ path: String, _ code: CInt) -> TensorIOError {
    switch code {
    case ENOENT: TensorIOError(.fileNotFound, "There is no file '\(path)'.")
    // Opening a socket fails with this error code.
    case ENXIO: TensorIOError(.unreadableFile, "'\(path)' is a socket, but a file was expected.")
    default:
      TensorIOError(
        .unreadableFile, "'\(path)' cannot be read: \(String(cString: strerror(code))).")
    }
  }
}

private func systemRead(_ file: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, bytes, count)
}
