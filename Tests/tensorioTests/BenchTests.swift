// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `tensorio bench`.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct BenchTests {
  @Test(arguments: [["2"], [], ["--input", "x=2"], ["--threads", "2"], ["--workers", "3"]])
  func `bench prints a table of latencies`(arguments: [String]) async throws {
    let bundle = try TemporaryBundle("add", shape: [1])
    let result = try await CommandRunner.runWithoutTimes(
      ["bench", bundle.path, "--iterations", "20"] + arguments)
    let lines = result.output.split(separator: "\n")
    try #require(lines.count == 5)
    #expect(
      lines[0] == "ms                  min     median       mean        p90        p95        p99"
        + "        max")
    let number = " +[0-9]+[.][0-9]{3,5}"
    for (line, name) in zip(
      lines.dropFirst(), ["preprocess", "inference", "postprocess", "total"])
    {
      let expected = try Regex(name + "(\(number)){5} +too few\(number)")
      #expect(line.wholeMatch(of: expected) != nil, "\(line)")
    }
    let atOnce = arguments == ["--workers", "3"] ? ", 3 at once" : ""
    #expect(result.error.hasPrefix("20 runs\(atOnce), R per second\ncold start: "))
    #expect(result.status == 0)
  }

  @Test func `the JSON report has the documented keys, with latencies in milliseconds`()
    async throws
  {
    let bundle = try TemporaryBundle("add", shape: [1])
    let result = try await CommandRunner.run(
      ["bench", bundle.path, "--iterations", "7", "--json"])
    #expect(result.status == 0 && result.error == "")
    #expect(result.output.contains(#""iterations":7,"#))
    #expect(result.output.contains(#""p95":null,"p99":null"#))
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    for row in [report.inference, report.preprocess, report.total] {
      #expect(row.min <= row.median && row.median <= row.max)
      #expect(row.min <= row.mean && row.mean <= row.max && row.min >= 0 && row.max < 60_000)
    }
    #expect(report.total.min >= report.inference.min)
    #expect(report.memory > 1_000_000 && report.rate > 0)
    #expect(report.coldStart.load > 0 && report.coldStart.firstRun > 0)
  }

  @Test(arguments: ["--profile", "--profile-svg=x.svg", "--memory"])
  func `what measures the CPU isn't combined with an accelerator`(option: String) async throws {
    let result = try await CommandRunner.run(
      ["bench", "Demo/digits.tiobundle", "--accelerator", "gpu", option])
    #expect(result.status == 64)
    let name = option.prefix { $0 != "=" }
    #expect(
      result.error.contains(
        "\(name) measures the CPU, so it can't be combined with --accelerator gpu. Run bench once with "
          + "each."), "\(result.error)")
  }

  @Test func `the decoding of an image is measured separately`() async throws {
    let result = try await CommandRunner.run(
      ["bench", "Demo/digits.tiobundle", "Demo/images/digit-7-01.png", "--iterations", "100"])
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines[1].hasPrefix("decode"))
    #expect(!result.output.contains("too few"))
  }

  @Test func `an unreadable image is an error that names the file`() async throws {
    let result = try await CommandRunner.run(
      ["bench", "Demo/digits.tiobundle", "README.md", "--iterations", "3"])
    #expect(result.status == 65)
    #expect(result.error.contains("'README.md'"))
  }

  @Test(arguments: ["Demo/digits.tiobundle", "Demo/digits-int8.tiobundle"])
  func `an image model can be measured without an input value`(bundle: String) async throws {
    let result = try await CommandRunner.run(["bench", bundle, "--iterations", "2", "--json"])
    #expect(result.status == 0 && result.error == "")
  }

  @Test func `a measurement that exceeds --timeout is stopped with an error`() async throws {
    let bundle = try TemporaryBundle("slow", shape: [1], dtype: "int32")
    #expect(
      try await CommandRunner.run(["bench", bundle.path, "2000000000", "--timeout", "0.3"])
        == (
          65, "",
          "error: The run was stopped because the command took longer than --timeout 0.3 "
            + "seconds.\n"
        ))
  }

  @Test func `Ctrl-C ends the measurement and reports the runs that finished`() async throws {
    let bundle = try TemporaryBundle("add", shape: [1])
    let result = try await CommandRunner.run(
      ["bench", bundle.path, "--iterations", "5000000", "--json"], interruptedAfter: 2)
    #expect(result.status == 130)
    #expect(result.error.wholeMatch(of: /interrupted after \d+ of 5000000 runs\n/) != nil)
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    #expect(report.iterations > 0 && report.iterations < 5_000_000)
  }

  @Test func `a placeholder bundle can't be measured`() async throws {
    let bundle = try TemporaryBundle(nil, inputs: [], outputs: [])
    let manifest = URL(filePath: bundle.path + "/model.json")
    let text = try String(contentsOf: manifest, encoding: .utf8)
    try text.replacing(#""name": "Test""#, with: #""placeholder": true, "name": "Test""#)
      .write(to: manifest, atomically: true, encoding: .utf8)
    #expect(
      try await CommandRunner.run(["bench", bundle.path]) == (
        65, "",
        "error: '\(bundle.path)' is a placeholder without a model, so nothing can be measured.\n"
      ))
  }

  private struct Report: Decodable {
    struct Row: Decodable { let min, median, mean, max: Double }
    struct ColdStart: Decodable {
      let load, firstRun: Double

      private enum CodingKeys: String, CodingKey {
        case load
        case firstRun = "first_run"
      }
    }
    let iterations, memory: Int
    let rate: Double
    let coldStart: ColdStart
    let inference, preprocess, total: Row

    private enum CodingKeys: String, CodingKey {
      case iterations
      case memory = "peak_memory_bytes"
      case rate = "per_second"
      case coldStart = "cold_start_ms"
      case inference = "inference_ms"
      case preprocess = "preprocess_ms"
      case total = "total_ms"
    }
  }

  @Test(arguments: [false, true])
  func `the memory of 1, 2 and 4 sessions is measured`(sharesWeights: Bool) async throws {
    struct Report: Decodable {
      struct Memory: Decodable {
        struct Row: Decodable { let sessions, bytes: Int }
        let sessions: [Row]
        let isShared: Bool

        private enum CodingKeys: String, CodingKey {
          case sessions
          case isShared = "weights_shared"
        }
      }
      let memory: Memory
    }
    let folder = try TemporaryFolder()
    let result = try await CommandRunner.run(
      [
        "bench", "Demo/digits.tiobundle", "Demo/images/digit-7-01.png", "--iterations", "2",
        "--memory", "--json",
      ] + (sharesWeights ? ["--weight-cache", folder.path] : []))
    try #require(result.status == 0, "\(result.error)")
    let memory = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)).memory
    #expect(memory.sessions.map(\.sessions) == [1, 2, 4])
    // A session of the digits, with the libraries' own data, takes between 1 and 100 MB.
    #expect(memory.sessions.allSatisfy { (1 << 20..<100 << 20).contains($0.bytes) })
    #expect(memory.isShared == sharesWeights)
  }
}
