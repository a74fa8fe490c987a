// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NIOCore
import TensorIO

/// A file that is being received; it has no name among the upload's files until it is whole.
///
/// All of it blocks.
final class PartialFile: Sendable {
  private let path: String
  private let handle: FileHandle

  /// Begins a file.
  ///
  /// - Throws: ``WebError`` when the disk refuses it.
  init(_ path: String) throws {
    self.path = path
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw WebError.notStored("it cannot be made")
    }
    do {
      handle = try FileHandle(forWritingTo: URL(filePath: path))
    } catch {
      throw WebError.notStored(FileSystem.reason(for: error))
    }
  }

  /// Adds bytes.
  func write(_ bytes: ByteBuffer) throws {
    do {
      try handle.write(contentsOf: Data(bytes.readableBytesView))
    } catch {
      throw WebError.notStored(FileSystem.reason(for: error))
    }
  }

  /// Gives the file its place; the folders that it lies in are made.
  func move(to destination: String) throws {
    do {
      try handle.close()
      try FileManager.default.createDirectory(
        atPath: FileSystem.folder(of: destination), withIntermediateDirectories: true)
      try FileSystem.rename(path, to: destination)
    } catch {
      throw WebError.notStored(FileSystem.reason(for: error))
    }
  }

  /// Takes the file away again.
  func discard() {
    try? handle.close()
    try? FileSystem.remove(path)
  }
}
#endif
