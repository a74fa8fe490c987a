// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What all subcommands share: help, exit codes, the two output streams and styles.
@Suite struct CommandTests {
  @Test func `--version prints only the version`() async throws {
    #expect(try await CommandRunner.run(["--version"]) == (0, "0.1.0\n", ""))
  }

  @Test func `help lists the subcommands and the exit codes`() async throws {
    let help = try await CommandRunner.run(["--help"])
    #expect(help.status == 0 && help.error == "")
    for word in ["run", "inspect", "validate", "init", "metadata", "generate", "bench"] {
      #expect(help.output.contains("\n  \(word)  "))
      let own = try await CommandRunner.run([word, "--help"])
      #expect(own.status == 0 && own.error == "")
      #expect(own.output.contains("USAGE: tensorio \(word) "))
    }
    for code in ["0 success", "64", "65", "66", "69", "70"] { #expect(help.output.contains(code)) }
    // Without a subcommand, the same help is printed.
    #expect(try await CommandRunner.run([]) == help)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `a completion script is generated for each shell`(shell: String) async throws {
    let result = try await CommandRunner.run(["--generate-completion-script", shell])
    #expect(result.status == 0 && result.error == "")
    #expect(result.output.contains("tensorio") && result.output.contains("output-image"))
  }

  @Test(arguments: [
    (["run"], "Error: Missing expected argument '<bundle>'"),
    (["run", "x", "1", "--top", "0"], "Error: --top takes a positive number, got 0."),
    (
      ["run", "x", "1", "--threshold", "nan"],
      "Error: --threshold takes a number, such as 0.5, got nan."
    ),
    (
      ["worker", "x", "--timeout", "nan"],
      "Error: --timeout takes a positive number of seconds, such as 2.5, got nan."
    ),
    (
      ["worker", "x", "--heartbeat", "1e-19"],
      "Error: --heartbeat takes a number of seconds from 0.001 to 1000000, or 0 for no heartbeats."
    ),
    (["run", "x", "1", "--top", "many"], "Error: The value 'many' is invalid for '--top <top>'"),
    (
      ["run", "x", "1", "--threads", "0"], "Error: --threads takes a number from 1 to 1024, got 0."
    ),
    (
      ["run", "x", "1", "--iterations", "0"],
      "Error: --iterations takes a positive number, got 0."
    ),
    (
      ["run", "x", "1", "--timeout", "0"],
      "Error: --timeout takes a positive number of seconds, such as 2.5, got 0.0."
    ),
    (
      ["run", "x", "--input", "y"], "Error: The value 'y' is invalid for '--input <name=value>'"
    ),
    (
      ["run", "x", "1", "--input", "y=1"],
      "Error: Pass either VALUE or --input NAME=VALUE, not both."
    ),
    (["run", "x", "1", "--frob"], "Error: Unknown option '--frob'"),
    (["validate"], "Error: Missing expected argument '<bundles> ...'"),
    (
      ["bench", "x", "--iterations", "0"],
      "Error: --iterations takes a positive number, --warmup a number from 0 to 1000000."
    ),
  ])
  func `wrong usage exits with 64 and is reported on standard error`(
    arguments: [String], message: String
  ) async throws {
    let result = try await CommandRunner.run(arguments)
    #expect(result.status == 64)
    #expect(result.output == "")
    let line = result.error.split(separator: "\n").first.map(String.init)
    #expect(line?.hasPrefix(message) == true, "\(result.error)")
    #expect(result.error.contains("Usage: tensorio"))
  }

  @Test(arguments: ["run", "bench", "inspect"])
  func `a missing bundle exits with 66 and is named`(word: String) async throws {
    let result = try await CommandRunner.run([word, "/nowhere.tiobundle"])
    #expect(result.status == 66)
    #expect(result.output == "")
    #expect(result.error.hasPrefix("error: "))
    #expect(result.error.contains("/nowhere.tiobundle"))
  }

  @Test(arguments: [["run", "Demo/images/digit-0-01.png"], ["bench"], ["bench", "--json"]])
  func `a missing library exits with 69 and names the variable and the path`(
    arguments: [String]
  ) async throws {
    let all = [arguments[0], "Demo/digits.tiobundle"] + arguments.dropFirst()
    let result = try await CommandRunner.run(
      all, environment: ["TENSORIO_LITERT_LIBRARY": "/nope"])
    #expect(
      result == (
        69, "",
        "error: TensorFlow Lite's library libLiteRt cannot be opened: TENSORIO_LITERT_LIBRARY names "
          + "'/nope' (no such file). Correct the variable, or unset it to search the usual paths.\n"
      ))
  }

  @Test func `a missing library is reported with the folders that were searched`() async throws {
    let result = try await CommandRunner.run(
      ["bench", "Demo/digits.tiobundle"],
      environment: [
        "TENSORIO_LITERT_LIBRARY": "", "HOME": "/nowhere", "XDG_DATA_HOME": "/nowhere/data",
      ])
    // A library beside the package or in a system folder is still found.
    if result.status != 0 {
      #expect(result.status == 69 && result.error.contains("\n  /nowhere"), "\(result.error)")
      let sentence = result.error.split(separator: "\n")[0]
      #expect(sentence.contains("pip install ai-edge-litert") && !sentence.contains("/nowhere"))
      #expect(result.error.contains("TENSORIO_LITERT_LIBRARY"))
    }
  }

  @Test(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
  func `warnings go to standard error, and data goes to standard output`() async throws {
    let folder = try TemporaryFolder()
    let bundle = folder.path + "/digits.tfbundle"
    let source = CommandRunner.packageFolder.appending(path: "Demo/digits.tiobundle").path
    try FileManager.default.copyItem(atPath: source, toPath: bundle)
    let result = try await CommandRunner.runWithoutTimes(
      ["run", bundle, "Demo/images/digit-7-01.png", "--top", "1"])
    #expect(result.status == 0)
    #expect(result.output.wholeMatch(of: /classification\n  0\.99\d\d  seven\n/) != nil)
    #expect(
      result.error
        == "warning: digits.tfbundle: expected the extension .tiobundle, found .tfbundle "
        + "[deprecated-extension]. Rename the folder; support for .tfbundle will be removed.\n"
        + Latencies.line)
  }

  @Test(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
  func `terminal output is styled unless NO_COLOR is set`() async throws {
    let bundle = try TemporaryBundle("add", shape: [1])
    let plain = try await runOnTerminal(["run", bundle.path, "2"], environment: ["NO_COLOR": "1"])
    #expect(plain == "y  25.0\n" + Latencies.line)
    let styled = try await runOnTerminal(["run", bundle.path, "2"], environment: [:])
    #expect(styled == "\u{1B}[1my\u{1B}[0m  25.0\n" + Latencies.line)
  }

  /// Runs the binary on a terminal that `script` provides, and returns what it wrote there.
  private func runOnTerminal(
    _ arguments: [String], environment: [String: String]
  ) async throws -> String {
    let words = [CommandRunner.binary.path] + arguments
    #if os(Linux)
    let script = ["-qec", words.joined(separator: " "), "/dev/null"]
    #else
    let script = ["-q", "/dev/null"] + words
    #endif
    let result = try await CommandRunner.run(
      script, executable: URL(filePath: "/usr/bin/script"),
      environment: environment.isEmpty ? ["NO_COLOR": nil] : environment)
    #expect(result.status == 0)
    return Latencies.removed(from: result.output.replacing("\r\n", with: "\n"))
  }
}
