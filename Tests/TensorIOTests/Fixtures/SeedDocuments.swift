// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Finds the complete examples of model.json in the documents that the library is based on.
enum SeedDocuments {
  /// Every text from a line that begins an object to its closing bracket, if it has both inputs and
  /// a model, and no ellipsis for omitted parts.
  static func manifests() throws -> [(text: String, file: String)] {
    var found: [(text: String, file: String)] = []
    let files = try FileManager.default.contentsOfDirectory(
      at: Fixtures.seeds, includingPropertiesForKeys: nil)
    for file in files where file.pathExtension == "txt" {
      let lines = try String(contentsOf: file, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      var start = 0
      while start < lines.count {
        guard lines[start].trimmingCharacters(in: .whitespaces) == "{",
          let end = lastLine(of: lines, from: start)
        else {
          start += 1
          continue
        }
        let text = lines[start...end].joined(separator: "\n")
        if text.contains("\"model\": {"), text.contains("\"inputs\": ["), !text.contains("...") {
          found.append((text, file.lastPathComponent))
        }
        start = end + 1
      }
    }
    return found
  }

  private static func lastLine(of lines: [Substring], from start: Int) -> Int? {
    var depth = 0
    for index in start..<lines.count {
      for character in withoutStrings(lines[index]) {
        if character == "{" || character == "[" { depth += 1 }
        if character == "}" || character == "]" { depth -= 1 }
      }
      if depth <= 0 { return index }
    }
    return nil
  }

  private static func withoutStrings(_ line: Substring) -> Substring {
    line.replacing(#/"(?:[^"\\]|\\.)*"/#, with: "")
  }
}
