// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Documentation/TrainedModels.md: its programs are saved and its commands run in order.
@Suite(
  .enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."),
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."),
  .enabled(if: hasTensorFlow, "TensorFlow's library is missing; run 'make tensorflow'."))
struct TrainedModelGuideTests {
  /// A code block of the page: a program or commands.
  private enum Block {
    case program(name: String, text: String)
    case commands(String)
  }

  @Test func `every command of the guide works, and every bundle gives Python's numbers`()
    async throws
  {
    let folder = try TemporaryFolder()
    let bin = folder.path + "/.bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: bin + "/tensorio", withDestinationPath: CommandRunner.binary.path)
    let python = try #require(Python.path)
    try FileManager.default.createSymbolicLink(
      atPath: bin + "/python3", withDestinationPath: python)
    var ran = 0
    var output = ""
    for block in try blocks() {
      switch block {
      case .program(let name, let text):
        try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
      case .commands(let text):
        let script =
          "set -e\nPATH='\(bin)':$PATH\n" + text.replacing("python3 ", with: "'\(python)' ")
        let process = try ChildProcess(
          "/bin/bash", ["-c", script],
          environment: ProcessInfo.processInfo.environment
            .merging(["TF_CPP_MIN_LOG_LEVEL": "3", "NO_COLOR": "1"]) { $1 }, in: folder.path)
        let result = await process.finish(input: Data())
        try #require(result.status == 0, "\(text)\n\(result.output)\n\(result.error)")
        output += result.output
        ran += text.split(separator: "\n").count
      }
    }
    #expect(ran >= 20)
    #expect(output.components(separatedBy: "equal: the largest difference is").count == 5)
    #expect(output.components(separatedBy: ".tiobundle: valid\n").count == 5)
    // The image is green, and every bundle has that as its top label.
    #expect(output.contains("the image shows green"))
    let first = output.matches(of: /(?m)^(?:output_0|Identity)\n +\S+  (\w+)$/).map { $0.1 }
    #expect(first == ["green", "green", "green", "green"], "\(output)")
  }

  private func blocks() throws -> [Block] {
    let page = CommandRunner.packageFolder.appending(path: "Documentation/TrainedModels.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    return try text.components(separatedBy: "\n```").enumerated().compactMap { index, part in
      guard index % 2 == 1 else { return nil }
      let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
      let body = lines.dropFirst().joined(separator: "\n")
      switch lines.first {
      case "sh": return .commands(body)
      case "python":
        let name = try #require(body.firstMatch(of: /^# (\w+\.py)\n/)?.1)
        return .program(name: String(name), text: body)
      default: return nil
      }
    }
  }
}
