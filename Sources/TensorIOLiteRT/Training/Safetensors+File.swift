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
  /// Writes the file atomically.
  ///
  /// The content goes to a temporary file in the same folder first. Once it is complete and on the
  /// disk, it is renamed.
  ///
  /// - Parameters:
  ///   - folder: A folder that exists.
  ///   - name: The file's name. An existing file of that name is replaced.
  /// - Throws: ``TensorIOError`` when the file cannot be written. An existing file is then
  ///   unchanged.
  func write(to folder: String, as name: String) throws {
    let content = try serialized()
    let path = folder + "/" + name
    let fresh = folder + "/.\(name)-\(UUID().uuidString)"
    do {
      try content.write(to: URL(filePath: fresh))
      try FileSystem.flush(fresh)
      try FileSystem.rename(fresh, to: path)
    } catch {
      // The first error is the more helpful one, so an error here is ignored.
      try? FileSystem.remove(fresh)
      if let error = error as? TensorIOError { throw error }
      throw TensorIOError(
        .unwritableFile, "'\(path)' cannot be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }
}
