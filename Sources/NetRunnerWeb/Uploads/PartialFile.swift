// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NIOCore
import TensorIO

/// A file that is being received, and isn't among the upload's files until it is complete.
///
/// All members block the calling thread.
final class PartialFile: Sendable {
  private let path: String
  private let handle: FileHandle

  /// Creates the file.
  ///
  /// - Throws: ``WebError`` if the file can't be created.
  init(_ path: String) throws {
    self.path = path
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw WebError.notStored("it can't be created")
    }
    do {
      handle = try FileHandle(forWritingTo: URL(filePath: path))
    } catch {
      throw WebError.notStored(FileSystem.reason(for: error))
    }
  }

  /// Appends bytes.
  func write(_ bytes: ByteBuffer) throws {
    do {
      try handle.write(contentsOf: Data(bytes.readableBytesView))
    } catch {
      throw WebError.notStored(FileSystem.reason(for: error))
    }
  }

  /// Moves the complete file to its destination, creating the folders that contain it.
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

  /// Deletes the file.
  func discard() {
    try? handle.close()
    try? FileSystem.remove(path)
  }
}
#endif
