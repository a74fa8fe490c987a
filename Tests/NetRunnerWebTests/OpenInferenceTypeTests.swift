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

/// Tests which tensors an input accepts and how the server describes its models.
@Suite struct OpenInferenceTypeTests {
  private static func fixture() throws -> WebFixture {
    let fixture = try WebFixture()
    for type in ["float32", "float64", "int32", "int8", "float16"] {
      try fixture.addBundle(
        "reverse_\(type)", id: type, inputs: [#"{"name": "x", "type": "array", "shape": [2, 3]}"#],
        outputs: [#"{"name": "y", "type": "array", "shape": [2, 3]}"#])
    }
    try fixture.addBundle(
      "int8_quantized", id: "quantized",
      inputs: [
        #"{"name": "x", "type": "array", "shape": [1, 4], "quantize": {"standard": "model"}}"#
      ],
      outputs: [
        #"{"name": "y", "type": "array", "shape": [1, 3], "dequantize": {"standard": "model"}}"#
      ])
    try fixture.addBundle(
      "identity_image", id: "picture",
      inputs: [
        #"{"name": "x", "type": "image", "shape": [8, 6, 3], "format": "RGB", "normalize": {"standard": "[0,1]"}}"#
      ], outputs: [#"{"name": "y", "type": "array", "shape": [8, 6, 3]}"#])
    let quantized = fixture.options.models + "/quantized.tiobundle/model.json"
    let text = try String(contentsOfFile: quantized, encoding: .utf8)
    try text.replacing("\"quantized\": false", with: "\"quantized\": true")
      .write(toFile: quantized, atomically: true, encoding: .utf8)
    return fixture
  }

  private static func call(_ type: String, _ shape: [Int], _ data: String) -> String {
    #"{"inputs": [{"data": \#(data), "name": "x", "shape": \#(shape), "datatype": "\#(type)"}]}"#
  }

  @Test func `only the described data type and the model's own type are accepted`() async throws {
    try await Self.fixture().test { client in
      for (model, type, status) in [
        ("float32", "FP32", 200), ("float32", "FP64", 400), ("float32", "FP16", 400),
        ("float32", "INT32", 400), ("float32", "INT8", 400), ("float64", "FP64", 200),
        ("float64", "FP32", 400), ("int32", "INT32", 200), ("int32", "INT64", 400),
        ("int32", "INT8", 400), ("int32", "UINT32", 400), ("int8", "INT8", 200),
        ("int8", "UINT8", 400), ("float16", "FP32", 200), ("float16", "FP16", 200),
        ("float16", "FP64", 400), ("float32", "BOOL", 400), ("float32", "BYTES", 400),
      ] {
        let data =
          switch type {
          case "BOOL": "[true, true, true, true, true, true]"
          case "BYTES": #"["1", "2", "3", "4", "5", "6"]"#
          default: "[[1, 2, 3], [4, 5, 6]]"
          }
        let document = try await client.send(
          .post, "/v2/models/\(model)/infer", text: Self.call(type, [2, 3], data), expects: status
        ).json
        if status == 200 {
          #expect(
            document["outputs"][0]["data"].elements.map(\.double) == [3, 2, 1, 6, 5, 4],
            "\(model) \(type)")
        } else {
          #expect(document["error"].text?.contains("not \(type)") == true, "\(document)")
        }
      }
    }
  }

  @Test func `a quantized model accepts quantized bytes as well as numbers`()
    async throws
  {
    try await Self.fixture().test { client in
      func run(_ type: String, _ data: String) async throws -> [Double?] {
        let document = try await client.send(
          .post, "/v2/models/quantized/infer", text: Self.call(type, [1, 4], data)
        ).json
        return document["outputs"][0]["data"].elements.map(\.double)
      }
      let raw = try await run("INT8", "[-100, 0, 50, 100]")
      let metadata = try await client.send(.get, "/v2/models/quantized").json
      #expect(metadata["inputs"][0]["datatype"].text == "FP32")
      // The bytes stand for other numbers, so the result differs from that of these numbers.
      let asNumbers = try await run("FP32", "[-100, 0, 50, 100]")
      #expect(raw != asNumbers)
      #expect(raw.count == 3)
      let refused = try await client.send(
        .post, "/v2/models/quantized/infer", text: Self.call("INT32", [1, 4], "[1, 2, 3, 4]"),
        expects: 400
      ).json
      #expect(refused["error"].text?.contains("the model's own INT8") == true)
    }
  }

  @Test func `an image input accepts the model's own elements`() async throws {
    try await Self.fixture().test { client in
      let values = (0..<144).map { "\(Float($0) / 100 - 0.5)" }.joined(separator: ",")
      for (shape, status) in [
        ([1, 8, 6, 3], 200), ([8, 6, 3], 200), ([1, 6, 8, 3], 400), ([1, 3, 8, 6], 400),
        ([1, 144], 400),
      ] {
        let document = try await client.send(
          .post, "/v2/models/picture/infer", text: Self.call("FP32", shape, "[\(values)]"),
          expects: status
        ).json
        if status == 200 {
          let numbers = document["outputs"][0]["data"].elements.compactMap(\.double)
          #expect(numbers.map { Float($0) } == (0..<144).map { Float($0) / 100 - 0.5 })
        }
      }
    }
  }

  @Test func `a duplicate input or output is an error`() async throws {
    try await Self.fixture().test { client in
      let input = #"{"name": "x", "datatype": "FP32", "shape": [2, 3], "data": [1, 2, 3, 4, 5, 6]}"#
      for (body, words) in [
        (#"{"inputs": [\#(input), \#(input)]}"#, "'x' is given more than once"),
        (
          #"{"inputs": [\#(input)], "outputs": [{"name": "y"}, {"name": "y"}]}"#,
          "'y' is given more than once"
        ), (#"{"inputs": [\#(input)], "inputs": []}"#, "twice"),
        (#"{"inputs": [{"name": "x", "name": "x"}]}"#, "twice"),
      ] {
        let answer = try await client.send(
          .post, "/v2/models/float32/infer", text: body, expects: 400
        ).json
        #expect(answer["error"].text?.contains(words) == true, "\(answer)")
      }
    }
  }

  @Test func `NaN is null in JSON, and infinity is an error`() async throws {
    try await Self.fixture().test { client in
      for (bits, status) in [(UInt32(0x7FC0_0000), 200), (0x7F80_0000, 422)] {
        let header = """
          {"inputs": [{"name": "x", "datatype": "FP32", "shape": [2, 3],
           "parameters": {"binary_data_size": 24}}]}
          """
        var body = ByteBuffer(string: header)
        for _ in 0..<6 { body.writeInteger(bits, endianness: .little) }
        let length = try #require(HTTPField.Name("Inference-Header-Content-Length"))
        let document = try await client.send(
          .post, "/v2/models/float32/infer", Array(buffer: body),
          headers: [length: "\(header.utf8.count)"], expects: status
        ).json
        if status == 200 {
          #expect(document["outputs"][0]["data"].elements == Array(repeating: .null, count: 6))
        } else {
          #expect(document["error"].text?.contains("binary_data") == true)
        }
      }
    }
  }

  @Test func `the index, the configuration and the statistics are correct`() async throws {
    let fixture = try Self.fixture()
    let broken = fixture.options.models + "/float64.tiobundle/model.tflite"
    try Data("no model".utf8).write(to: URL(filePath: broken))
    try await fixture.test { client in
      // The server knows that the model isn't ready only after trying to load it.
      let ready = try await client.execute(uri: "/v2/models/float64/ready", method: .get)
      #expect(ready.status != .ok)
      let index = "/v2/repository/index"
      func states(_ body: String) async throws -> [String: String] {
        var states: [String: String] = [:]
        for model in try await client.send(.post, index, text: body).json.elements {
          states[try #require(model["name"].text)] = model["state"].text
          #expect((model["reason"].text == "") == (model["state"].text == "READY"))
        }
        return states
      }
      for body in ["", "{}", #"{"ready": false}"#] {
        let states = try await states(body)
        #expect(states["float64"] == "UNAVAILABLE" && states["float32"] == "READY")
      }
      try #expect(await states(#"{"ready": true}"#)["float64"] == nil)
      try await client.send(.post, index, text: "[", expects: 400)

      let configuration = try await client.send(.get, "/v2/models/int32/config").json
      #expect(configuration["input"][0]["data_type"].text == "TYPE_INT32")
      #expect(configuration["input"][0]["dims"].elements.map(\.double) == [2, 3])
      #expect(configuration["max_batch_size"].double == 0)
      for (data, status) in [("[1, 2, 3, 4, 5, 6]", 200), ("[1]", 400)] {
        try await client.send(
          .post, "/v2/models/int32/infer", text: Self.call("INT32", [2, 3], data), expects: status)
      }
      let counted = try await client.send(.get, "/v2/models/int32/stats").json["model_stats"][0]
      #expect(counted["inference_count"].double == 1)
      #expect(counted["inference_stats"]["fail"]["count"].double == 1)
      let all = try await client.send(.get, "/v2/models/stats").json
      #expect(all["model_stats"].elements.count > 5)
      let extensions = try await client.send(.get, "/v2").json["extensions"].elements
      #expect(
        extensions.compactMap(\.text)
          == [
            "binary_tensor_data", "classification", "model_configuration", "model_repository",
            "statistics",
          ])
    }
  }

  @Test func `a body larger than the model's tensors need is rejected`() async throws {
    try await Self.fixture().test { client in
      let data = "[" + String(repeating: " ", count: 1 << 20) + "1, 2, 3, 4, 5, 6]"
      let answer = try await client.send(
        .post, "/v2/models/float32/infer", text: Self.call("FP32", [2, 3], data), expects: 413
      ).json
      #expect(answer["error"].text?.contains("KiB as JSON") == true)
    }
  }

  @Test func `without the library, the server isn't ready`() async throws {
    let fixture = try Self.fixture()
    fixture.options.libraryProblem = { "LiteRT is not installed." }
    try await fixture.test { client in
      let protocols = try await client.send(.get, "/v2/health/ready", expects: 503)
      #expect(try protocols.json["error"].text == "LiteRT is not installed.")
      let shared = try await client.send(.get, "/readyz", expects: 503)
      #expect(try shared.json["error"]["code"].text == "not_ready")
      #expect(try shared.json["error"]["message"].text == "LiteRT is not installed.")
      try await client.send(.get, "/v2/health/live")
      try await client.send(.get, "/healthz")
      let ready = try await client.send(.post, "/v2/repository/index", json: ["ready": true]).json
      #expect(ready == .array([]))
      let server = try await client.send(.get, "server").json
      #expect(server["problem"].text == "LiteRT is not installed.")
    }
  }
}
#endif
