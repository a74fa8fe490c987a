// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NetRunner
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT
import Testing

@testable import NetRunnerWeb

@Suite struct ModelRouteTests {
  private static let infer = "models/digits/infer"

  @Test func `the shipped models are listed, and a classifier is the default`() async throws {
    try await WebFixture().test { client in
      let document = try await client.send(.get, "models").json
      #expect(document["default"].text == "digits")
      #expect(document["models"].elements.map { $0["id"].text } == ["digits", "digits-int8"])
      #expect(document["models"][0]["input"]["width"].double == 32)
    }
  }

  @Test(
    arguments: [
      ("[1, 1, 17, 3]", "detection", "keypoints"), ("[9, 2]", "pose", "keypoints"),
      ("[9, 2]", "regression", "values"), ("[10]", "pose", "values"),
    ])
  func `a model's kind follows from its outputs`(
    shape: String, type: String, kind: String
  ) throws {
    let fixture = try WebFixture()
    try fixture.addBundle(
      "identity_image", id: "m",
      inputs: [#"{"name": "x", "type": "image", "shape": [8, 8, 3], "format": "RGB"}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": \#(shape)}"#], type: type)
    let bundle = try ModelBundle(fixture.options.models + "/m.tiobundle")
    #expect(ServedModel(bundle, isShipped: false).kind.rawValue == kind)
  }

  @Test(arguments: ["digit-7-01.png", "digit-3-01.png", "digit-9-02.png"])
  func `a response has the model's result`(name: String) async throws {
    let model = try InferenceModel(
      bundle: ModelBundle(WebFixture.demo + "/digits.tiobundle"),
      loader: ModelLoader(backends: [.liteRT]))
    let evaluation = try Evaluator(model).evaluate(.file("\(WebFixture.demo)/images/\(name)"))
    let best = try #require(evaluation.result.get().classification?.top(1).first)
    let image = try WebFixture.image(name)
    try await WebFixture().test { client in
      for query in ["", "?previews=true"] {
        let document = try await client.send(.post, Self.infer + query, image).json
        #expect(document["classes"][0]["label"].text == best.label)
        #expect(document["classes"][0]["value"].double == best.value.shortestDouble)
        #expect(document["picture"]["width"].double == 128)
        #expect(document["region"]["right"].double == 1)
        for view in ["image", "red", "green", "blue"] where !query.isEmpty {
          #expect(document["previews"][view].text?.hasPrefix("data:image/png;base64,") == true)
        }
        #expect(document["previews"]["alpha"] == .null)
        guard case .object(let members) = document else { continue }
        #expect(members.keys.contains("previews") == !query.isEmpty)
        #expect(!members.keys.contains("segmentation"))
      }
    }
  }

  @Test(arguments: [(true, [255, 255, 0, 0]), (false, [255, 255, 255, 255])])
  func `a preview shows the alpha channel that models don't get`(
    isTransparent: Bool, expected: [UInt8]
  ) async throws {
    // With transparency, only the left half is opaque.
    let pixels: [[UInt8]] =
      isTransparent ? [[9, 9, 9, 255], [9, 9, 9, 0]] : [[9, 9, 9], [9, 9, 9]]
    let row = (0..<64).flatMap { pixels[$0 / 32] }
    let image = PixelBuffer(
      width: 64, height: 64, format: isTransparent ? .rgba : .rgb,
      bytes: (0..<64).flatMap { _ in row })
    let body = try ImageEncoder().encode(image, as: .png)
    try await WebFixture().test { client in
      let answer = try await client.send(
        .post, Self.infer + "?previews=true&alpha=true", Array(body)
      ).json
      let address = try #require(answer["previews"]["alpha"].text)
      let data = try #require(Data(base64Encoded: address.split(separator: ",")[1].description))
      let (alpha, _, _) = try ImageDecoder().decode(Array(data)).channels()
      #expect(alpha.width == 32 && alpha.height == 32)
      let middle = alpha.withBytes { bytes in
        [0, 8, 24, 31].map { bytes.unsafeLoad(fromByteOffset: 16 * 32 + $0, as: UInt8.self) }
      }
      #expect(middle == expected)
    }
  }

  @Test func `results of a live source are smoothed`() async throws {
    let (seven, three) = (try WebFixture.image(), try WebFixture.image("digit-3-01.png"))
    try await WebFixture().test { client in
      let path = Self.infer + "?source=camera&top=10&threshold=0"
      func value(_ label: String, _ image: [UInt8]) async throws -> Double? {
        try await client.send(.post, path, image).json["classes"].elements
          .first { $0["label"].text == label }?["value"].double
      }
      let first = try #require(try await value("seven", seven))
      let second = try #require(try await value("seven", three))
      #expect(first > 0.9)
      #expect(second > 0.7 * first - 0.001 && second < 0.7 * first + 0.3)
    }
  }

  @Test(
    arguments: [
      ("models/none/infer", 404, "model_not_found"),
      ("models/%2e%2e%2fdigits/infer", 404, "model_not_found"),
      (infer + "?top=none", 400, "bad_request"), (infer + "?top=0", 400, "bad_request"),
      (infer + "?threshold=nan", 400, "bad_request"),
      (infer + "?previews=perhaps", 400, "bad_request"),
      (infer + "?iterations=99999999999999999999", 400, "bad_request"),
      (infer + "?source=" + String(repeating: "a", count: 65), 400, "bad_request"),
    ])
  func `the error for an invalid request has a code`(
    path: String, status: Int, code: String
  ) async throws {
    let image = try WebFixture.image()
    try await WebFixture().test { client in
      let response = try await client.send(.post, path, image, expects: status)
      try #expect(response.code == code)
    }
  }

  @Test(arguments: ["", "hello", "\u{89}PNG\r\n", "GIF89a", "BM"])
  func `a body that isn't an image is rejected`(text: String) async throws {
    try await WebFixture().test { client in
      let response = try await client.send(.post, Self.infer, text: text, expects: 400)
      try #expect(response.code == "not_a_picture")
    }
  }

  @Test func `a truncated image is rejected`() async throws {
    let image = try WebFixture.image()
    let half = Array(image.prefix(image.count / 2))
    try await WebFixture().test { client in
      for query in ["", "?previews=true"] {
        let response = try await client.send(.post, Self.infer + query, half, expects: 400)
        try #expect(response.code == "not_a_picture")
      }
    }
  }

  @Test func `a folder's models can be deleted, and shipped models can't`() async throws {
    let fixture = try WebFixture()
    try fixture.addBundle(
      "add", id: "mixed",
      inputs: [
        #"{"name": "photo", "type": "image", "shape": [8, 6, 3], "format": "RGB"}"#,
        #"{"name": "x", "type": "array", "shape": [1]}"#,
      ], outputs: [#"{"name": "y", "type": "array", "shape": [1]}"#])
    try await fixture.test { client in
      let document = try await client.send(.get, "models/mixed").json
      #expect(document["can_run"] == .bool(false))
      #expect(document["takes"] == .null)
      #expect(
        document["reason"].text?.hasPrefix("It takes 2 inputs, of which one is an image") == true)
      let run = try await client.send(.post, "models/mixed/infer", text: "x", expects: 422)
      try #expect(run.code == "model_cannot_run")
      try await client.send(.delete, "models/mixed", expects: 204)
      try await client.send(.get, "models/mixed", expects: 404)
      let shipped = try await client.send(.delete, "models/digits", expects: 403)
      try #expect(shipped.code == "model_is_shipped")
    }
    try #expect(FileManager.default.contentsOfDirectory(atPath: fixture.options.models).isEmpty)
  }

  @Test func `the error for a failed deletion names the folder and the reason`() async throws {
    let fixture = try WebFixture()
    try fixture.addSum()
    let bundle = fixture.options.models + "/sum.tiobundle"
    try await fixture.test { client in
      try FileManager.default.removeItem(atPath: bundle)
      let answer = try await client.send(.delete, "models/sum", expects: 500).json
      #expect(
        answer["error"]["message"].text
          == "The folder 'sum.tiobundle' can't be deleted: No such file or directory.")
    }
  }

  @Test func `an unreadable bundle doesn't hide other models`() async throws {
    let fixture = try WebFixture()
    try FileManager.default.createDirectory(
      atPath: fixture.options.models + "/broken.tiobundle", withIntermediateDirectories: true)
    try await fixture.test { client in
      let document = try await client.send(.get, "models").json
      #expect(document["models"].elements.count == 2)
      #expect(document["unreadable"][0]["folder"].text == "broken.tiobundle")
    }
  }

  @Test func `samples can be run`() async throws {
    try await WebFixture().test { client in
      let urls = try await client.send(.get, "samples").json["samples"].elements
        .compactMap { $0["url"].text }
      #expect(urls.count == 10)
      let sample = try await client.send(.get, urls[7]).body
      let document = try await client.send(.post, Self.infer, Array(buffer: sample)).json
      #expect(document["classes"][0]["label"].text == "seven")
      try await client.send(.get, "samples/..%2Fopenapi.json", expects: 404)
    }
  }

  @Test func `shipped models and samples equal the demo's`() throws {
    let files = FileManager.default
    let assets = WebFixture.demo + "/../Sources/NetRunnerWeb/Assets"
    for (shipped, demo) in [("Models", WebFixture.demo), ("Samples", WebFixture.demo + "/images")] {
      for name in try files.contentsOfDirectory(atPath: "\(assets)/\(shipped)") {
        let isSame = files.contentsEqual(
          atPath: "\(assets)/\(shipped)/\(name)", andPath: "\(demo)/\(name)")
        #expect(isSame, "\(name)")
      }
    }
  }
}
#endif
