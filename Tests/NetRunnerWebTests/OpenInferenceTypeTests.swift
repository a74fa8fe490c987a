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

  private static func call(_ type: String, _ shape: [Int], _ data: String) -> ByteBuffer {
    ByteBuffer(
      string: #"{"inputs": [{"data": \#(data), "name": "x", "shape": \#(shape), "#
        + #""datatype": "\#(type)"}]}"#)
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
        try await client.execute(
          uri: "/v2/models/\(model)/infer", method: .post, body: Self.call(type, [2, 3], data)
        ) { response in
          let document = try response.json
          #expect(response.status.code == status, "\(model) \(type): \(document)")
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
  }

  @Test func `a quantized model accepts quantized bytes as well as numbers`()
    async throws
  {
    try await Self.fixture().test { client in
      func run(_ type: String, _ data: String) async throws -> [Double?] {
        try await client.execute(
          uri: "/v2/models/quantized/infer", method: .post, body: Self.call(type, [1, 4], data)
        ) { response in
          let document = try response.json
          #expect(response.status == .ok, "\(document)")
          return document["outputs"][0]["data"].elements.map(\.double)
        }
      }
      let raw = try await run("INT8", "[-100, 0, 50, 100]")
      let metadata = try await client.execute(uri: "/v2/models/quantized", method: .get) {
        try $0.json
      }
      #expect(metadata["inputs"][0]["datatype"].text == "FP32")
      // The bytes stand for other numbers, so the result differs from that of these numbers.
      let asNumbers = try await run("FP32", "[-100, 0, 50, 100]")
      #expect(raw != asNumbers)
      #expect(raw.count == 3)
      try await client.execute(
        uri: "/v2/models/quantized/infer", method: .post,
        body: Self.call("INT32", [1, 4], "[1, 2, 3, 4]")
      ) { response in
        #expect(response.status == .badRequest)
        try #expect(response.json["error"].text?.contains("the model's own INT8") == true)
      }
    }
  }

  @Test func `an image input accepts the model's own elements`() async throws {
    try await Self.fixture().test { client in
      let values = (0..<144).map { "\(Float($0) / 100 - 0.5)" }.joined(separator: ",")
      for (shape, status) in [
        ([1, 8, 6, 3], 200), ([8, 6, 3], 200), ([1, 6, 8, 3], 400), ([1, 3, 8, 6], 400),
        ([1, 144], 400),
      ] {
        try await client.execute(
          uri: "/v2/models/picture/infer", method: .post,
          body: Self.call("FP32", shape, "[\(values)]")
        ) { response in
          let document = try response.json
          #expect(response.status.code == status, "\(shape): \(document)")
          if status == 200 {
            let numbers = document["outputs"][0]["data"].elements.compactMap(\.double)
            #expect(numbers.map { Float($0) } == (0..<144).map { Float($0) / 100 - 0.5 })
          }
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
        try await client.execute(
          uri: "/v2/models/float32/infer", method: .post, body: ByteBuffer(string: body)
        ) { response in
          #expect(response.status == .badRequest)
          let message = try response.json["error"].text
          #expect(message?.contains(words) == true, "\(message ?? "")")
        }
      }
    }
  }

  @Test func `NaN is null in JSON, and infinity is an error`() async throws {
    try await Self.fixture().test { client in
      for (bits, status) in [(UInt32(0x7FC0_0000), 200), (0x7F80_0000, 500)] {
        let header = """
          {"inputs": [{"name": "x", "datatype": "FP32", "shape": [2, 3],
           "parameters": {"binary_data_size": 24}}]}
          """
        var body = ByteBuffer(string: header)
        for _ in 0..<6 { body.writeInteger(bits, endianness: .little) }
        let length = try #require(HTTPField.Name("Inference-Header-Content-Length"))
        try await client.execute(
          uri: "/v2/models/float32/infer", method: .post,
          headers: [length: "\(header.utf8.count)"], body: body
        ) { response in
          #expect(response.status.code == status)
          let document = try response.json
          if status == 200 {
            #expect(document["outputs"][0]["data"].elements == Array(repeating: .null, count: 6))
          } else {
            #expect(document["error"].text?.contains("binary_data") == true)
          }
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
      try await client.execute(uri: "/v2/models/float64/ready", method: .get) {
        #expect($0.status != .ok)
      }
      func states(_ body: String) async throws -> [String: String] {
        try await client.execute(
          uri: "/v2/repository/index", method: .post, body: ByteBuffer(string: body)
        ) { response in
          var states: [String: String] = [:]
          for model in try response.json.elements {
            states[try #require(model["name"].text)] = model["state"].text
            #expect((model["reason"].text == "") == (model["state"].text == "READY"))
          }
          return states
        }
      }
      for body in ["", "{}", #"{"ready": false}"#] {
        let states = try await states(body)
        #expect(states["float64"] == "UNAVAILABLE" && states["float32"] == "READY")
      }
      try #expect(await states(#"{"ready": true}"#)["float64"] == nil)
      try await client.execute(
        uri: "/v2/repository/index", method: .post, body: ByteBuffer(string: "[")
      ) { #expect($0.status == .badRequest) }

      try await client.execute(uri: "/v2/models/int32/config", method: .get) { response in
        let document = try response.json
        #expect(document["input"][0]["data_type"].text == "TYPE_INT32")
        #expect(document["input"][0]["dims"].elements.map(\.double) == [2, 3])
        #expect(document["max_batch_size"].double == 0)
      }
      for status in [HTTPResponse.Status.ok, .badRequest] {
        let data = status == .ok ? "[1, 2, 3, 4, 5, 6]" : "[1]"
        try await client.execute(
          uri: "/v2/models/int32/infer", method: .post, body: Self.call("INT32", [2, 3], data)
        ) { #expect($0.status == status) }
      }
      try await client.execute(uri: "/v2/models/int32/stats", method: .get) { response in
        let statistics = try response.json["model_stats"][0]
        #expect(statistics["inference_count"].double == 1)
        #expect(statistics["inference_stats"]["fail"]["count"].double == 1)
      }
      try await client.execute(uri: "/v2/models/stats", method: .get) { response in
        try #expect(response.json["model_stats"].elements.count > 5)
      }
      try await client.execute(uri: "/v2", method: .get) { response in
        let extensions = try response.json["extensions"].elements.compactMap(\.text)
        #expect(
          extensions
            == ["binary_tensor_data", "classification", "model_configuration", "statistics"])
      }
    }
  }

  @Test func `a body larger than the model's tensors need is rejected`() async throws {
    try await Self.fixture().test { client in
      let data = "[" + String(repeating: " ", count: 1 << 20) + "1, 2, 3, 4, 5, 6]"
      try await client.execute(
        uri: "/v2/models/float32/infer", method: .post, body: Self.call("FP32", [2, 3], data)
      ) { response in
        #expect(response.status == .contentTooLarge)
        try #expect(response.json["error"].text?.contains("KiB as JSON") == true)
      }
    }
  }

  @Test func `without the library, the server isn't ready`() async throws {
    let fixture = try Self.fixture()
    fixture.options.libraryProblem = { "LiteRT is not installed." }
    try await fixture.test { client in
      try await client.execute(uri: "/v2/health/ready", method: .get) { response in
        #expect(response.status == .serviceUnavailable)
      }
      try await client.execute(uri: "/v2/health/live", method: .get) { #expect($0.status == .ok) }
      try await client.execute(
        uri: "/v2/repository/index", method: .post, body: ByteBuffer(string: #"{"ready": true}"#)
      ) { response in
        try #expect(response.json == .array([]))
      }
      try await client.execute(uri: "/api/v1/server", method: .get) { response in
        try #expect(response.json["problem"].text == "LiteRT is not installed.")
      }
    }
  }
}
#endif
