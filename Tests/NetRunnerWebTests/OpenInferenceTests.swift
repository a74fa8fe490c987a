// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TensorIO
import Testing

@testable import NetRunnerWeb

@Suite struct OpenInferenceTests {
  private let length: HTTPField.Name

  init() throws { length = try #require(HTTPField.Name("Inference-Header-Content-Length")) }

  /// Makes a server with a model that multiplies two inputs of shape [1, 4].
  private static func fixture() throws -> WebFixture {
    let fixture = try WebFixture()
    try fixture.addBundle(
      "matmul", id: "matmul",
      inputs: ["input1", "input2"].map { #"{"name": "\#($0)", "type": "array", "shape": [1, 4]}"# },
      outputs: ["output1", "output2"].map {
        #"{"name": "\#($0)", "type": "array", "shape": [1, 1]}"#
      })
    return fixture
  }

  private static let infer = "/v2/models/matmul/infer"
  private static let call = """
    {"id": "a", "inputs": [
      {"name": "input1", "datatype": "FP32", "shape": [1, 4], "data": [[1, 2, 3, 4]]},
      {"name": "input2", "datatype": "FP32", "shape": [1, 4], "data": [5, 6, 7, 8]}]}
    """

  @Test func `a model with two inputs is described and run`() async throws {
    try await Self.fixture().test { client in
      let metadata = try await client.send(.get, "/v2/models/matmul").json
      #expect(metadata["inputs"][1]["name"].text == "input2")
      #expect(metadata["inputs"][1]["datatype"].text == "FP32")
      #expect(metadata["inputs"][1]["shape"].elements.map(\.double) == [1, 4])
      let document = try await client.send(.post, Self.infer, text: Self.call).json
      #expect(document["id"].text == "a")
      #expect(document["model_name"].text == "matmul")
      #expect(document["outputs"].elements.map { $0["name"].text } == ["output1", "output2"])
      #expect(document["outputs"][0]["data"].elements.count == 1)
    }
  }

  @Test func `a body over the configured limit is rejected`() async throws {
    let fixture = try Self.fixture()
    fixture.options.maximumTensorRequestBytes = Self.call.utf8.count
    try await fixture.test { client in
      try await client.send(.post, Self.infer, text: Self.call)
      try await client.send(.post, Self.infer, text: Self.call + " ", expects: 413)
    }
  }

  @Test func `binary tensors give the same results as JSON`() async throws {
    try await Self.fixture().test { client in
      let answer = try await client.send(.post, Self.infer, text: Self.call).json
      let values = answer["outputs"].elements.map { $0["data"][0].double }
      let header = """
        {"inputs": [
          {"name": "input1", "datatype": "FP32", "shape": [1, 4],
           "parameters": {"binary_data_size": 16}},
          {"name": "input2", "datatype": "FP32", "shape": [1, 4],
           "parameters": {"binary_data_size": 16}}],
         "parameters": {"binary_data_output": true}}
        """
      var body = ByteBuffer(string: header)
      for value in [1, 2, 3, 4, 5, 6, 7, 8] as [Float] {
        body.writeInteger(value.bitPattern, endianness: .little)
      }
      let response = try await client.send(
        .post, Self.infer, Array(buffer: body), headers: [length: "\(header.utf8.count)"])
      var rest = response.body
      _ = rest.readSlice(length: try #require(response.headers[length].flatMap(Int.init)))
      let bits = rest.readMultipleIntegers(endianness: .little, as: (UInt32, UInt32).self)
      let floats = [try #require(bits).0, try #require(bits).1].map {
        Float(bitPattern: $0).shortestDouble
      }
      #expect(floats == values)
      #expect(rest.readableBytes == 0)
    }
  }

  @Test(
    arguments: [
      ("", "must be an object"), ("[]", "must be an object"), ("{}", "missing 'inputs'"),
      (#"{"inputs": 3}"#, "must be an array"), (#"{"inputs": [3]}"#, "must be an object"),
      (#"{"inputs": [{"name": "x"}]}"#, "needs 'name', 'datatype'"),
      (#"{"inputs": [{"name": "x", "datatype": "FP7", "shape": [1], "data": [1]}]}"#, "'FP7'"),
      (#"{"inputs": [{"name": "x", "datatype": "FP32", "shape": [1], "data": [1]}]}"#, "no input"),
      (
        #"{"inputs": [{"name": "input1", "datatype": "FP32", "shape": [2], "data": [1]}]}"#,
        "has 1 element, but its shape [2] needs 2"
      ),
      (
        #"{"inputs": [{"name": "input1", "datatype": "FP32", "shape": [-1], "data": [1]}]}"#,
        "has the invalid shape"
      ),
      (
        #"{"inputs": [{"name": "input1", "datatype": "FP32", "shape": [9223372036854775807, 9], "data": []}]}"#,
        "has the invalid shape"
      ),
      (
        #"{"inputs": [{"name": "input1", "datatype": "UINT8", "shape": [1], "data": [256]}]}"#,
        "that UINT8 can't represent"
      ),
      (
        #"{"inputs": [{"name": "input1", "datatype": "FP32", "shape": [1], "parameters": {"binary_data_size": 4}}]}"#,
        "4 bytes, but 0 bytes are left"
      ),
      (
        #"{"inputs": [{"name": "input1", "datatype": "FP32", "shape": [1], "parameters": {"binary_data_size": -4}}]}"#,
        "-4 bytes"
      ),
    ])
  func `the error for an invalid request says what is wrong`(body: String, message: String)
    async throws
  {
    try await Self.fixture().test { client in
      let answer = try await client.send(.post, Self.infer, text: body, expects: 400).json
      let text = try #require(answer["error"].text)
      #expect(text.contains(message), "\(text)")
    }
  }

  @Test func `unknown models and versions are answered with 404`() async throws {
    try await Self.fixture().test { client in
      for (uri, status) in [
        ("/v2/models/matmul/versions/1", 200), ("/v2/models/matmul/versions/2", 404),
        ("/v2/models/none", 404), ("/v2/models/matmul/ready", 200), ("/v2/health/live", 200),
      ] {
        try await client.send(.get, uri, expects: status)
      }
    }
  }

  @Test func `loading a model reads its changed files, and so does listing the models`()
    async throws
  {
    let fixture = try WebFixture()
    try fixture.addSum()
    let bundle = fixture.options.models + "/sum.tiobundle"
    /// Gives the output another name.
    @Sendable func change(_ old: String, to new: String) throws {
      let path = bundle + "/model.json"
      let text = String(decoding: try FileSystem.read(path), as: UTF8.self)
      try text.replacing("\"\(old)\"", with: "\"\(new)\"")
        .write(toFile: path, atomically: true, encoding: .utf8)
    }
    try await fixture.test { client in
      func output() async throws -> String? {
        try await client.send(.get, "/v2/models/sum").json["outputs"][0]["name"].text
      }
      func load(expects status: Int = 200) async throws {
        try await client.send(.post, "/v2/repository/models/sum/load", expects: status)
      }
      try await #expect(output() == "y")
      try change("y", to: "total")
      try await load()
      try await #expect(output() == "total")
      try change("total", to: "sum of all")
      try await client.send(.get, "models")
      try await #expect(output() == "sum of all")
      // A model that was unloaded stays so, whatever becomes of its files.
      try await client.send(.post, "/v2/repository/models/sum/unload")
      try change("sum of all", to: "y")
      try await client.send(.get, "models")
      try await client.send(.get, "/v2/models/sum/ready", expects: 409)
      try await load()
      try await #expect(output() == "y")
      try FileManager.default.removeItem(atPath: bundle + "/model.tflite")
      try await load(expects: 404)
    }
  }

  @Test func `a class whose label occurs twice has its own index`() async throws {
    let fixture = try WebFixture()
    fixture.options.includesShippedModels = false
    let bundle = fixture.options.models + "/digits.tiobundle"
    try FileManager.default.copyItem(
      atPath: WebFixture.demo + "/digits.tiobundle", toPath: bundle)
    let labels = ["zero", "one", "one", "three", "four", "five", "six", "seven", "eight", "nine"]
    try Data(labels.joined(separator: "\n").utf8)
      .write(to: URL(filePath: bundle + "/assets/labels.txt"))
    let image = try WebFixture.image("digit-2-01.png")
    let header = """
      {"inputs": [{"name": "image", "datatype": "BYTES", "shape": [1],
        "parameters": {"binary_data_size": \(image.count + 4)}}],
       "outputs": [{"name": "classification", "parameters": {"classification": 2}}]}
      """
    var body = ByteBuffer(string: header)
    body.writeInteger(UInt32(image.count), endianness: .little)
    body.writeBytes(image)
    let bytes = Array(buffer: body)
    let length = length
    try await fixture.test { client in
      let answer = try await client.send(
        .post, "/v2/models/digits/infer", bytes, headers: [length: "\(header.utf8.count)"]
      ).json
      let classes = answer["outputs"][0]["data"].elements.compactMap(\.text)
      #expect(classes.count == 2)
      #expect(classes.first?.hasSuffix(":2:one") == true, "\(classes)")
    }
  }

  @Test func `outputs that the model doesn't have are refused before it runs`() async throws {
    let fixture = try WebFixture()
    try fixture.addSum()
    try await fixture.test { client in
      for (output, message) in [
        (#"{"name": "z"}"#, "no output 'z'. Its outputs are 'y'."),
        (#"{"name": "y", "parameters": {"classification": 1}}"#, "'y' has no labels"),
      ] {
        let body =
          #"{"inputs": [{"name": "x", "shape": [1], "datatype": "FP32", "data": [1]}], "outputs": "#
          + "[\(output)]}"
        let answer = try await client.send(
          .post, "/v2/models/sum/infer", text: body, expects: 400)
        let error = try answer.json["error"].text
        #expect(error?.contains(message) == true, "\(error ?? "")")
      }
      let counts = try await client.send(.get, "/v2/models/sum/stats").json["model_stats"][0]
      #expect(counts["inference_count"] == .number(0))
    }
  }
}
#endif
