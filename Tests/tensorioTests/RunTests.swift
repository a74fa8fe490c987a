// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOImageCodecs
import Testing

/// `tensorio run`: every form of input and output.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct RunTests {
  private func json(_ arguments: String...) async throws -> CommandRunner.Result {
    try await CommandRunner.runWithoutTimes(["run", "--json"] + arguments)
  }

  // MARK: - Values

  @Test(arguments: ["2", "2.0", "[2]", "[[2]]", #"{"x": 2}"#, #"{"x": [2]}"#, #"{"x": [[2]],}"#])
  func `a number can be passed in every JSON form`(value: String) async throws {
    let bundle = try TemporaryBundle("add", shape: [1])
    let result = try await CommandRunner.runWithoutTimes(["run", bundle.path, value])
    #expect(result == (0, "y  25.0\n", Latencies.line))
    #expect(try await json(bundle.path, value) == (0, Latencies.json(around: #"{"y":25}"#), ""))
  }

  @Test(arguments: [["-2"], ["-2.0"], ["--json", "-2"], ["--input", "x=-2"], ["--", "-2"]])
  func `a negative number is a value, not an option`(arguments: [String]) async throws {
    let bundle = try TemporaryBundle("add", shape: [1])
    let result = try await CommandRunner.runWithoutTimes(["run", bundle.path] + arguments)
    #expect(result.status == 0)
    #expect(["y  -15.0\n", Latencies.json(around: #"{"y":-15}"#)].contains(result.output))
    let bench = try await CommandRunner.run(
      ["bench", bundle.path, "--iterations", "1"] + arguments)
    #expect(bench.status == 0, "\(bench.error)")
  }

  @Test(arguments: [
    "[[1, 2, 3], [4, 5, 6]]", "[1, 2, 3, 4, 5, 6]", #"{"x": [[1, 2], [3, 4], [5, 6]]}"#,
  ])
  func `arrays may be nested or flat`(value: String) async throws {
    let bundle = try TemporaryBundle("reverse_int32", shape: [2, 3], dtype: "int32")
    let text = try await CommandRunner.runWithoutTimes(["run", bundle.path, value])
    #expect(text == (0, "y  [3, 2, 1, 6, 5, 4]\n", Latencies.line))
    #expect(
      try await json(bundle.path, value) == (0, Latencies.json(around: #"{"y":[3,2,1,6,5,4]}"#), "")
    )
  }

  @Test(arguments: [
    ("int64", "[9007199254740993, -9223372036854775808, 3, 4, 5, 9223372036854775807]"),
    ("uint32", "[4294967295, 0, 3, 4, 5, 6]"), ("int16", "[-32768, 32767, 3, 4, 5, 6]"),
    ("uint16", "[0, 65535, 3, 4, 5, 6]"), ("int8", "[-128, 127, 3, 4, 5, 6]"),
    ("uint8", "[0, 255, 3, 4, 5, 6]"), ("bool", "[true, false, false, true, true, false]"),
    ("float16", "[0.5, 65504, -3.25, 4, 5, 6]"), ("float64", "[0.1, 1e300, -3, 4, 5, 6]"),
    ("float32", "[0.1, 16777216, -3, 4, 5, 6.5]"),
  ])
  func `values of every numeric data type pass through exactly`(dtype: String, value: String)
    async throws
  {
    let bundle = try TemporaryBundle("reverse_" + dtype, shape: [2, 3], dtype: dtype)
    let words = value.dropFirst().dropLast().split(separator: ", ")
      .map { $0.replacing("1e300", with: "1e+300") }
    let reversed = [2, 1, 0, 5, 4, 3].map { words[$0] }.joined(separator: ",")
    #expect(
      try await json(bundle.path, value)
        == (0, Latencies.json(around: #"{"y":[\#(reversed)]}"#), ""))
  }

  @Test(arguments: [
    ["[[1, 2, 3, 4], [10, 20, 30, 40]]"],
    [#"{"input2": [10, 20, 30, 40], "input1": [1, 2, 3, 4]}"#],
    ["--input", "input2=[10, 20, 30, 40]", "--input", "input1=[[1, 2, 3, 4]]"],
    ["--input", "input1=[1, 2, 3, 4]", "--input=input2=[10, 20, 30, 40]"],
  ])
  func `several inputs can be passed as a list, as an object, or one by one`(
    arguments: [String]
  ) async throws {
    func vector(_ name: String, _ count: Int) -> String {
      #"{"name": "\#(name)", "type": "array", "shape": [1, \#(count)]}"#
    }
    let bundle = try TemporaryBundle(
      "matmul", inputs: [vector("input1", 4), vector("input2", 4)],
      outputs: [vector("output1", 1), vector("output2", 1)])
    let text = try await CommandRunner.runWithoutTimes(["run", bundle.path] + arguments)
    #expect(text == (0, "output1  300.0\noutput2  130.0\n", Latencies.line))
    let json = try await CommandRunner.runWithoutTimes(
      ["run", bundle.path, "--json"] + arguments)
    #expect(json == (0, Latencies.json(around: #"{"output1":300,"output2":130}"#), ""))
  }

  @Test func `strings pass through a model unchanged`() async throws {
    let layer = #""type": "string", "dtype": "string", "shape": [3]}"#
    let bundle = try TemporaryBundle(
      "string", inputs: [#"{"name": "x", \#(layer)"#], outputs: [#"{"name": "y", \#(layer)"#])
    let words = #"["one", "", "drei 😀"]"#
    #expect(
      try await json(bundle.path, words)
        == (0, Latencies.json(around: #"{"y":["drei 😀","","one"]}"#), ""))
    let text = try await CommandRunner.runWithoutTimes([
      "run", bundle.path, "--input", "x=" + words,
    ])
    #expect(text == (0, "y  drei 😀\ny  \ny  one\n", Latencies.line))
  }

  @Test(arguments: [["hello"], ["--input", "x=hello"], [#""hello""#], [#"{"x": "hello"}"#]])
  func `text for a string layer needs no quotes`(arguments: [String]) async throws {
    let layer = #""type": "string", "dtype": "string", "shape": [3]}"#
    let bundle = try TemporaryBundle(
      "string", inputs: [#"{"name": "x", \#(layer)"#], outputs: [#"{"name": "y", \#(layer)"#])
    // The only model with strings takes three. The error shows that the text arrived as one.
    #expect(
      try await CommandRunner.run(["run", bundle.path] + arguments)
        == (65, "", "error: 'x' takes 3 values (shape [3]), got 1.\n"))
  }

  @Test func `a string layer of a numeric type takes and returns numbers`() async throws {
    let layer = #""type": "string", "dtype": "float32", "shape": [1]}"#
    let one = try TemporaryBundle(
      "add", inputs: [#"{"name": "x", \#(layer)"#], outputs: [#"{"name": "y", \#(layer)"#])
    let bytes = try one.write(Data([0, 0, 0, 64]), beside: "two.bin")
    for value in ["2", "[2]", "@" + bytes] {
      #expect(try await json(one.path, value) == (0, Latencies.json(around: #"{"y":25}"#), ""))
      let text = try await CommandRunner.runWithoutTimes(["run", one.path, value])
      #expect(text == (0, "y  25.0\n", Latencies.line))
    }
    let six = #""type": "string", "dtype": "int64", "shape": [2, 3]}"#
    let several = try TemporaryBundle(
      "reverse_int64", inputs: [#"{"name": "x", \#(six)"#], outputs: [#"{"name": "y", \#(six)"#])
    #expect(
      try await json(several.path, "[1, 2, 3, 4, 5, 6]")
        == (0, Latencies.json(around: #"{"y":[3,2,1,6,5,4]}"#), ""))
  }
}
