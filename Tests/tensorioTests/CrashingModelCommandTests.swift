// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Models that crash the process that runs them, opened by the commands that run models.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct CrashingModelCommandTests {
  @Test func `a crash is reported by one message and exit code, without a backtrace`() async throws
  {
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

  @Test(arguments: [
    (SIGSEGV, "a segmentation fault"), (SIGABRT, "it aborted"), (SIGFPE, "an arithmetic fault"),
    (SIGILL, "an illegal instruction"),
  ])
  func `a fatal signal during a run is reported by name and exit code`(
    _ signal: Int32, _ name: String
  ) async throws {
    let process = try ChildProcess(
      CommandRunner.binary.path,
      [
        "bench", "Demo/digits.tiobundle", "Demo/images/digit-7-01.png", "--iterations",
        "1000000000",
      ])
    // Once the runtime is mapped, the command's start-up is over.
    let maps = "/proc/\(process.identifier)/maps"
    while try !String(contentsOfFile: maps, encoding: .utf8).contains("LiteRt") {
      try await Task.sleep(for: .milliseconds(2))
    }
    kill(process.identifier, signal)
    let result = await process.finish()
    // 65 before the model's first output, 70 afterwards.
    #expect([65, 70].contains(result.status), "\(result)")
    #expect(result.error.contains(name), "\(result.error)")
    #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
  }

  @Test func `a stack overflow is reported by a message and an exit code`() async throws {
    let result = try await CommandRunner.run(
      [
        "-c", #"ulimit -s 40; exec "$0" "$@""#, CommandRunner.binary.path, "inspect", "--json",
        "Demo/digits.tiobundle",
      ], executable: URL(filePath: "/bin/bash"))
    #expect(result.status == 70, "\(result)")
    #expect(result.error.contains("a segmentation fault"), "\(result.error)")
  }
}
