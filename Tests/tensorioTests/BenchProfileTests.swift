// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `tensorio bench --profile`.
///
/// Times differ from run to run, so only what holds on every machine is compared.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct BenchProfileTests {
  private struct Report: Decodable {
    struct Profile: Decodable {
      let runs: Int
      let run, profiledRun, operatorsTime: Double
      let operators: [Operator]
      let steps: [Step]

      private enum CodingKeys: String, CodingKey {
        case runs, operators, steps
        case run = "run_ms"
        case profiledRun = "profiled_run_ms"
        case operatorsTime = "operators_ms"
      }
    }
    struct Operator: Decodable {
      let name: String
      let delegate: String?
      let steps: Int
      let calls, ms, share: Double
    }
    struct Step: Decodable {
      let name: String
      let delegate: String?
      let graph: Int
      let `operator`, part: Int?
      let calls, ms, share: Double
    }
    let profile: Profile
  }

  private static func profile(_ arguments: [String]) async throws -> Report.Profile {
    let result = try await CommandRunner.run(
      ["bench"] + arguments + ["--iterations", "40", "--profile", "--json"])
    try #require(result.status == 0, "\(result.error)")
    return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)).profile
  }

  @Test(arguments: [
    ["Demo/digits.tiobundle", "Demo/images/digit-7-01.png"],
    ["Demo/digits-int8.tiobundle", "Demo/images/digit-7-01.png", "--threads", "2"],
    ["Demo/digits-int8.tiobundle"],
  ])
  func `the operators add up to most of a run with the profiler`(arguments: [String]) async throws {
    let profile = try await Self.profile(arguments)
    #expect(profile.runs == 40)
    #expect(abs(profile.operators.reduce(0) { $0 + $1.share } - 1) < 1e-3)
    #expect(abs(profile.steps.reduce(0) { $0 + $1.share } - 1) < 1e-3)
    let sum = profile.operators.reduce(0) { $0 + $1.ms }
    #expect(abs(sum - profile.operatorsTime) < 1e-3 + 1e-3 * sum)
    #expect(profile.operatorsTime > 0 && profile.operatorsTime < profile.profiledRun)
    #expect(profile.operators.map(\.steps).reduce(0, +) == profile.steps.count)
    #expect(profile.operators.map(\.ms) == profile.operators.map(\.ms).sorted(by: >))
    #expect(profile.steps.allSatisfy { ($0.delegate == nil) == ($0.operator != nil) })
    #expect(profile.steps.allSatisfy { ($0.part == nil) == ($0.delegate == nil) && $0.calls == 1 })
    #expect(profile.operators.contains { $0.delegate == "XNNPACK" })
  }

  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."),
    arguments: ["Demo/digits.tiobundle", "Demo/digits-int8.tiobundle"])
  func `operators that no delegate took are those of Python's interpreter`(bundle: String)
    async throws
  {
    let names = try await Python.run([
      "-c",
      """
      import json, sys
      from ai_edge_litert.interpreter import Interpreter, OpResolverType
      kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
      interpreter = Interpreter(sys.argv[1], experimental_op_resolver_type=kernels)
      interpreter.allocate_tensors()
      print(json.dumps([step["op_name"] for step in interpreter._get_ops_details()]))
      """, "\(bundle)/model.tflite",
    ])
    let operators = try JSONDecoder().decode([String].self, from: Data(names.utf8))
    for step in try await Self.profile([bundle]).steps {
      if let index = step.operator { #expect(operators[index] == step.name) }
    }
    let result = try await CommandRunner.run(["inspect", bundle, "--times", "--json"])
    let times = try JSONDecoder().decode(
      [String: InspectedTimes].self, from: Data(result.output.utf8))
    #expect(times["built_in"]?.steps.map(\.name) == operators)
  }

  private struct InspectedTimes: Decodable {
    struct Step: Decodable { let name: String }
    let steps: [Step]
  }

  @Test func `an operator of a loop's body counts each of its calls`() async throws {
    let bundle = try TemporaryBundle("slow", shape: [1], dtype: "int32")
    let profile = try await Self.profile([bundle.path, "5"])
    let body = profile.steps.filter { $0.graph > 0 && $0.name == "ADD" }
    #expect(body.map(\.calls) == [5])
    #expect(profile.operators.allSatisfy { $0.calls == 1 })
  }

  @Test func `the table names the kernels, and the drawing has the operators`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/profile.svg"
    let result = try await CommandRunner.run(
      ["bench", "Demo/digits-int8.tiobundle", "--iterations", "20", "--profile-svg", path])
    try #require(result.status == 0, "\(result.error)")
    #expect(result.output.contains("Operator "))
    #expect(result.output.contains(" XNNPACK "))
    #expect(result.output.contains("The operators took "))
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(LossPlotTests.XMLChecker(text).isWellFormed)
    #expect(text.contains("<title>digits-int8.tiobundle: one run of "))
    #expect(text.contains("<title>XNNPACK: "))
  }

  @Test func `the drawing must be an SVG file in a folder`() async throws {
    let png = try await CommandRunner.run(
      ["bench", "Demo/digits.tiobundle", "--profile-svg", "drawing.png"])
    #expect(png.status == 64)
    #expect(png.error.contains("--profile-svg takes the name of an .svg file, got 'drawing.png'."))
    let missing = try await CommandRunner.run(
      ["bench", "Demo/digits.tiobundle", "--profile-svg", "/missing/folder/drawing.svg"])
    #expect(missing.status != 0)
    #expect(missing.error.contains("/missing/folder"))
  }
}
