// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Models that end the process that runs them, by the commands that open models.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct CrashingModelCommandTests {
  @Test func `a crash is a sentence and an exit code, and leaves no trace`() async throws {
    let folder = try TemporaryFolder()
    let model = modelsFolder + "/crash_on_run.tflite"
    let bundle = folder.path + "/crash.tiobundle"
    let made = try await CommandRunner.run(["init", model, "--output", bundle])
    #expect(made.status == 0, "\(made.error)")
    let zeros = "[" + Array(repeating: "0", count: 16).joined(separator: ",") + "]"
    for run in [["bench", bundle], ["run", bundle, zeros]] {
      let result = try await CommandRunner.run(run)
      let text = result.output + result.error
      #expect(result.status == 65, "\(run) \(text)")
      #expect(text.contains("ended the process that ran it"), "\(run) \(text)")
      #expect(!text.contains("Program crashed"), "\(run) \(text)")
    }
  }
}
