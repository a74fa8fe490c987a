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

extension Safetensors {
  /// Writes a file beside its place, and gives it its name when it is complete and on the disk.
  ///
  /// - Parameters:
  ///   - folder: A folder that exists.
  ///   - name: The file's name; a file of that name is replaced.
  /// - Throws: ``TensorIOError`` when it cannot be written. A file that was there is unchanged then.
  func write(to folder: String, as name: String) throws {
    let content = try serialized()
    let path = folder + "/" + name
    let fresh = folder + "/.\(name)-\(UUID().uuidString)"
    do {
      try content.write(to: URL(filePath: fresh))
      try FileSystem.flush(fresh)
      try FileSystem.rename(fresh, to: path)
    } catch {
      // What went wrong first says more.
      try? FileSystem.remove(fresh)
      if let error = error as? TensorIOError { throw error }
      throw TensorIOError(
        .unwritableFile, "'\(path)' cannot be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }
}
