// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

/// `--accelerator`, with faults that are planted into the trial.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct AcceleratorTests {
  private static let photo = "Demo/images/digit-7-01.png"
  private static let variable = "TENSORIO_ACCELERATOR_FAULT"

  private struct Report: Decodable {
    let classification: [String: Double]?
    let accelerator: String
    let reason: String?

    private enum CodingKeys: String, CodingKey {
      case accelerator, outputs
      case reason = "accelerator_reason"
    }
    private struct Outputs: Decodable { let classification: [String: Double]? }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      accelerator = try values.decode(String.self, forKey: .accelerator)
      reason = try values.decodeIfPresent(String.self, forKey: .reason)
      classification = try values.decodeIfPresent(Outputs.self, forKey: .outputs)?.classification
    }
  }

  private static func run(
    _ bundle: String, on accelerator: String, fault: String? = nil,
    environment: [String: String?] = [:]
  ) async throws -> CommandRunner.Result {
    try await CommandRunner.run(
      ["run", bundle, photo, "--accelerator", accelerator, "--json"],
      environment: environment.merging([variable: fault]) { _, new in new })
  }

  private static func report(_ result: CommandRunner.Result) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  /// The results in a row, whose `run` depends on the accelerator.
  private static func evaluation(in row: JSONValue?) throws -> JSONValue {
    guard case .object(let members)? = row else { return .null }
    return try #require(members["evaluation"])
  }

  @Test(
    arguments: ["Demo/digits.tiobundle", "Demo/digits-int8.tiobundle"],
    [
      ("crash-at-load", "its trial crashed: it aborted."),
      ("crash", "its trial crashed: a segmentation fault."),
      ("wrong", "its trial computed other values: "),
    ])
  func `a fault in the trial falls back to the CPU, and says why`(
    bundle: String, fault: (name: String, reason: String)
  ) async throws {
    let cpu = try await Self.run(bundle, on: "cpu")
    let result = try await Self.run(bundle, on: "auto", fault: fault.name)
    try #require(result.status == 0 && cpu.status == 0, "\(result.error)")
    #expect(cpu.error == "")
    let (found, expected) = (try Self.report(result), try Self.report(cpu))
    #expect(found.classification == expected.classification)
    #expect(found.accelerator == "cpu" && expected.accelerator == "cpu")
    #expect(found.reason?.contains(fault.reason) == true, "\(found.reason ?? "")")
    #expect(expected.reason == nil)
    #expect(result.error.hasPrefix("warning: '\(bundle)/model.tflite' runs on the CPU instead"))
    #expect(result.error.contains(fault.reason))
  }

  @Test func `a trial that hangs ends after its time`() async throws {
    let result = try await Self.run("Demo/digits.tiobundle", on: "auto", fault: "hang")
    #expect(result.status == 0)
    #expect(result.error.contains("didn't respond within 20 seconds"))
    #expect(try Self.report(result).accelerator == "cpu")
  }

  @Test(arguments: ["crash-at-load", "crash", "wrong"])
  func `a GPU that is required and can't be trusted is an error`(fault: String) async throws {
    let result = try await Self.run("Demo/digits.tiobundle", on: "gpu", fault: fault)
    #expect(result.status == 65 && result.output == "")
    #expect(result.error.hasPrefix("error: "))
    #expect(result.error.contains("can't run on the accelerator 'gpu': its trial "))
  }

  @Test func `a missing accelerator is named with its path`() async throws {
    let result = try await Self.run(
      "Demo/digits.tiobundle", on: "auto",
      environment: ["TENSORIO_WEBGPU_LIBRARY": "/missing/accelerator.so"])
    #expect(result.status == 0)
    let report = try Self.report(result)
    #expect(report.accelerator == "cpu")
    #expect(report.reason?.contains("'/missing/accelerator.so'") == true, "\(report.reason ?? "")")
  }

  @Test func `without a trial, a planted fault has no effect`() async throws {
    let plain = try await CommandRunner.run(
      ["run", "Demo/digits.tiobundle", Self.photo], environment: [Self.variable: "crash"])
    #expect(plain.status == 0 && !plain.error.contains("accelerator"))
    let chosen = try await Self.run("Demo/digits.tiobundle", on: "cpu", fault: "crash")
    #expect(chosen.status == 0 && chosen.error == "")
  }

  @Test func `a bulk run isn't continued on another accelerator`() async throws {
    let folder = try TemporaryFolder()
    func run(_ arguments: [String]) async throws -> (status: Int32, error: String) {
      let result = try await CommandRunner.run(
        ["bulk", Self.photo, "--model", "Demo/digits.tiobundle", "-o", folder.path + "/rows.jsonl"]
          + arguments, environment: [Self.variable: "wrong"])
      return (result.status, result.error)
    }
    try #expect(await run(["--accelerator", "cpu"]).status == 0)
    let other = try await run(["--resume", "--accelerator", "auto"])
    #expect(other.status == 64 && other.error.contains("or the accelerator have"), "\(other)")
    try #expect(await run(["--resume"]).status == 0)
  }

  @Test func `all reports say what ran`() async throws {
    let folder = try TemporaryFolder()
    let environment: [String: String?] = [Self.variable: "wrong"]
    let bench = try await CommandRunner.run(
      [
        "bench", "Demo/digits.tiobundle", Self.photo, "--iterations", "3", "--accelerator", "auto",
        "--json",
      ], environment: environment)
    #expect(bench.status == 0 && bench.output.contains(#""accelerator":"cpu""#))
    #expect(bench.output.contains(#""accelerator_reason":"its trial computed other values: "#))
    let bulk = try await CommandRunner.run(
      [
        "bulk", Self.photo, "--model", "Demo/digits.tiobundle", "-o", folder.path + "/rows.jsonl",
        "--accelerator", "auto", "--json",
      ], environment: environment)
    #expect(bulk.status == 0 && bulk.output.contains(#""accelerator":"cpu (its trial computed"#))
    let path = folder.path + "/report.json"
    let evaluation = try await CommandRunner.run(
      [
        "evaluate", "Demo/digits.testbundle", "--model", "Demo/digits.tiobundle", "--limit", "3",
        "--accelerator", "auto", "--report", path,
      ], environment: environment)
    #expect(evaluation.status == 0, "\(evaluation.error)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let pattern = #/"accelerators": ?\{\s*"[a-z-]+": ?"cpu \(its trial computed other values: /#
    #expect(text.contains(pattern))
    #expect(evaluation.error.contains("runs on the CPU instead of the GPU: its trial computed"))
  }

  @Test func `a bulk run without the GPU that it requires is an error`() async throws {
    let folder = try TemporaryFolder()
    let result = try await CommandRunner.run(
      [
        "bulk", Self.photo, "--model", "Demo/digits.tiobundle", "-o", folder.path + "/rows.jsonl",
        "--accelerator", "gpu",
      ], environment: [Self.variable: "wrong"])
    #expect(result.status == 65)
    #expect(result.output.contains("none (its trial computed other values"))
    #expect(result.error.contains("can't run on the GPU: its trial computed other values"))
  }

  @Test(arguments: [[], ["--supervise", "1"]])
  func `a worker falls back to the CPU, and its parent sees why`(options: [String]) async throws {
    let client = try WorkerClient(
      ["Demo/digits.tiobundle", "--accelerator", "auto", "--threads", "1"] + options,
      environment: [Self.variable: "wrong"])
    client.sendItem(1, #""path":"\#(Self.photo)""#)
    let (messages, status) = try await client.finish()
    let expected = try await WorkerCommandTests.bulkRows(
      [Self.photo], model: "Demo/digits.tiobundle")
    let found = try Self.evaluation(in: messages.dropFirst().first?.timelessRow)
    #expect(try status == 0 && found == Self.evaluation(in: expected[Self.photo]))
    #expect(client.errorText.contains("runs on the CPU instead of the GPU: its trial computed"))
    let members = try #require(messages.dropFirst().first).members
    #expect(members["accelerator"] == .string("cpu"))
    guard case .string(let reason)? = members["accelerator_reason"] else {
      Issue.record("The answer has no reason: \(members.keys.sorted())")
      return
    }
    #expect(reason.contains("its trial computed other values"))
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["VK_DRIVER_FILES"] != nil,
      "VK_DRIVER_FILES names no Vulkan driver."),
    arguments: ["Demo/digits.tiobundle", "Demo/digits-int8.tiobundle"])
  func `a GPU that gives the CPU's values runs the model`(bundle: String) async throws {
    let result = try await Self.run(bundle, on: "gpu")
    try #require(result.status == 0, "\(result.error)")
    let cpu = try await Self.run(bundle, on: "cpu")
    let (found, expected) = (try Self.report(result), try Self.report(cpu))
    #expect(found.accelerator == "gpu" && found.reason == nil)
    let values = try #require(found.classification)
    for (label, value) in try #require(expected.classification) {
      #expect(abs((values[label] ?? .nan) - value) <= 0.004)
    }
    let client = try WorkerClient([bundle, "--accelerator", "gpu", "--threads", "1"])
    for id in 0..<2 { client.sendItem(id, #""path":"\#(Self.photo)""#) }
    let rows = try await client.finish().messages.dropFirst().prefix(2).map {
      try Self.evaluation(in: $0.timelessRow)
    }
    #expect(rows.count == 2 && rows.first == rows.last, "The first run is the GPU's, too.")
  }
}
