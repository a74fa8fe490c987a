// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Runs Python scripts on files that a test writes.
enum ReportPeer {
  /// Runs a script whose last arguments are the paths of files with the given contents.
  ///
  /// - Returns: The script's output.
  static func run(_ arguments: [String], on contents: [String]) async throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try contents.enumerated().map { index, content in
      let file = folder.appending(path: "\(index)")
      try Data(content.utf8).write(to: file)
      return file.path
    }
    return try await Python.run(arguments + files)
  }
}
