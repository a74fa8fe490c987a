// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Runs Python scripts on files that a test wrote.
struct ReportPeer {
  static let python = ProcessInfo.processInfo.environment["TENSORIO_PYTHON"]

  /// The package's folder.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Runs a script whose last arguments are paths of files with these contents.
  ///
  /// - Returns: What the script printed.
  static func run(_ arguments: [String], on contents: [String]) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try contents.enumerated().map { index, content in
      let file = folder.appending(path: "\(index)")
      try Data(content.utf8).write(to: file)
      return file.path
    }
    let process = Process()
    process.executableURL = URL(filePath: try #require(python))
    process.arguments = arguments + files
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }
}
