// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

/// The graphs that `tensorio inspect --graph` shows, for which LiteRT isn't needed, and the times of `--times`,
/// for which it is.
@Suite struct InspectGraphTests {
  @Test func `a bundle shows the operators of its model and their totals`() async throws {
    let result = try await CommandRunner.run([
      "inspect", "--graph", "Demo/digits-int8.tiobundle",
    ])
    #expect(result.status == 0)
    #expect(result.error == "")
    #expect(
      result.output == """
        Main graph (serving_default)
          #  Operator         Reads                Writes               \
        Quantization                        Constants
          0  CONV_2D          int8 [1, 32, 32, 3]  int8 [1, 16, 16, 8]  \
        scale 0.021096133, zero point -128  248 bytes
          1  CONV_2D          int8 [1, 16, 16, 8]  int8 [1, 8, 8, 16]   \
        scale 0.02438326, zero point -128   1.2 KiB
          2  CONV_2D          int8 [1, 8, 8, 16]   int8 [1, 4, 4, 32]   \
        scale 0.04308185, zero point -128   4.6 KiB
          3  RESHAPE          int8 [1, 4, 4, 32]   int8 [1, 512]        \
        scale 0.04308185, zero point -128   8 bytes
          4  FULLY_CONNECTED  int8 [1, 512]        int8 [1, 10]         \
        scale 0.17021275, zero point 27     5 KiB
          5  SOFTMAX          int8 [1, 10]         int8 [1, 10]         \
        scale 0.00390625, zero point -128

        Totals
          Operator         Count  Constants
          CONV_2D          3      6.1 KiB
          FULLY_CONNECTED  1      5 KiB
          RESHAPE          1      8 bytes
          SOFTMAX          1

        """)
  }

  @Test func `JSON has the documented keys`() async throws {
    let result = try await CommandRunner.run([
      "inspect", "--graph", "--json", "\(modelsFolder)/add.tflite",
    ])
    let document = try JSONValue(parsing: Data(result.output.utf8))
    guard case .object(let members) = document else { return }
    #expect(members.keys.sorted() == ["bytes", "constant_bytes", "graphs", "totals"])
  }

  @Test(arguments: ["Demo/images/digit-3-01.png", "Tests/Fixtures/SavedModels/tf2"])
  func `something without a graph is an error`(path: String) async throws {
    let result = try await CommandRunner.run(["inspect", "--graph", path])
    #expect(result.status == 65)
    #expect(result.error.hasPrefix("error: "), "\(result.error)")
    #expect(result.output == "")
  }

  @Test func `times are in the table of a graph, and the slowest are listed`() async throws {
    let whole = try await CommandRunner.run([
      "inspect", "--graph", "--times", "Demo/digits-int8.tiobundle",
    ])
    #expect(whole.status == 0)
    #expect(whole.error == "")
    let lines = whole.output.split(separator: "\n")
    #expect(lines[1].contains("Time") && lines[1].hasSuffix("Share"), "\(lines[1])")
    #expect(lines[2].hasSuffix("%"), "\(lines[2])")
    let short = try await CommandRunner.run(["inspect", "--times", "Demo/digits-int8.tiobundle"])
    #expect(short.error == "")
    #expect(
      short.output.hasPrefix("Operators with built-in kernels (the faster half of 50 runs, "),
      "\(short.output)")
    for text in ["Totals with built-in kernels", "Steps with XNNPACK (the faster half of"] {
      #expect(short.output.contains("\n\(text)"), "\(short.output)")
      #expect(whole.output.contains("\n\(text)"), "\(whole.output)")
    }
    #expect(!short.output.contains("Main graph"))
  }

  @Test(arguments: [[], ["--graph"]])
  func `times as JSON have the documented keys`(options: [String]) async throws {
    let result = try await CommandRunner.run(
      ["inspect", "--times", "--json", "\(modelsFolder)/add.tflite"] + options)
    let document = try JSONValue(parsing: Data(result.output.utf8))
    let times = try options.isEmpty ? document : Self.member("times", of: document)
    for kernels in ["built_in", "xnnpack"] {
      let measured = try Self.member(kernels, of: times)
      guard case .object(let members) = measured,
        case .array(let steps) = try Self.member("steps", of: measured),
        case .object(let step)? = steps.first
      else {
        Issue.record("\(result.output)")
        return
      }
      #expect(members.keys.sorted() == ["run_microseconds", "runs", "steps"])
      #expect(step.keys.sorted() == ["graph", "microseconds", "name", "operator", "share"])
    }
  }

  private static func member(_ name: String, of value: JSONValue) throws -> JSONValue {
    guard case .object(let members) = value else { return .null }
    return try #require(members[name])
  }

  @Test func `a model that crashes is an error with one sentence`() async throws {
    let result = try await CommandRunner.run([
      "inspect", "--times", "\(modelsFolder)/crash_on_run.tflite",
    ])
    #expect(result.status == 65)
    #expect(result.output == "")
    #expect(result.error.contains("ended the process that ran it"), "\(result.error)")
  }
}
