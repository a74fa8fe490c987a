// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The example of a program that adds an output format and a metric to the command.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct OwnFormatsTests {
  private static let program = CommandRunner.binary.deletingLastPathComponent()
    .appending(path: "own-formats")

  @Test func `a metric that a program adds can be chosen by name`() async throws {
    let arguments = [
      "evaluate", "Demo/digits.testbundle", "--model", "Demo/digits.tiobundle", "--metric", "sure",
    ]
    let own = try await CommandRunner.run(arguments, executable: Self.program)
    #expect(own.status == 0, "\(own.error)")
    #expect(own.output.contains("sure    1.0000"), "\(own.output)")
    let without = try await CommandRunner.run(arguments)
    #expect(without.status == 64)
    #expect(without.error.contains("There is no metric 'sure'."))
  }

  @Test func `an output format that a program adds is validated and used by the server`()
    async throws
  {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/own.tiobundle"
    try FileManager.default.copyItem(
      atPath: CommandRunner.packageFolder.appending(path: "Demo/digits.tiobundle").path,
      toPath: bundle)
    let file = URL(filePath: bundle + "/model.json")
    var document = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    document["id"] = "own"
    document["options"] = ["output_format": "best-label"]
    try JSONSerialization.data(withJSONObject: document).write(to: file)

    let own = try await CommandRunner.run(["validate", bundle], executable: Self.program)
    #expect(own.output == "\(bundle): valid\n")
    let without = try await CommandRunner.run(["validate", bundle])
    #expect(without.output.contains("best-label"))

    let server = try RunningServer(["--models", folder.path], executable: Self.program)
    let answer = try await CommandRunner.run(
      [
        "-s", "--data-binary", "@Demo/images/digit-7-01.png",
        server.address + "api/v1/models/own/infer",
      ], executable: URL(filePath: "/usr/bin/curl"))
    #expect(answer.output.contains(#""text":"SEVEN""#), "\(answer)")
  }
}
