// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import TensorIO
import Testing

@testable import NetRunnerWeb

/// Drafts of models that take recordings, texts, feature rows or numbers.
@Suite struct DraftInputTests {
  private static let echo = #"{"name": "echo", "type": "array", "shape": [1, 144]}"#

  /// Adds a bundle that returns its input, which has another shape or coding in each test.
  private func fixture(_ id: String, _ input: String) throws -> WebFixture {
    let fixture = try WebFixture()
    try fixture.addBundle("identity_image", id: id, inputs: [input], outputs: [Self.echo])
    return fixture
  }

  /// Adds a draft with another model.json, and returns it with its path.
  private func draft(
    _ client: any TestClientProtocol, of model: String, replacing old: String, with new: String
  ) async throws -> (draft: JSONValue, path: String) {
    let text = try await client.send(.get, "models/\(model)/description").json["text"].text ?? ""
    let changed = text.replacing(old, with: new)
    try #require(changed != text)
    let draft = try await client.send(
      .post, "models/\(model)/drafts", json: ["text": changed], expects: 201
    ).json["draft"]
    return (draft, "models/\(model)/drafts/\(try #require(draft["id"].text))/infer")
  }

  private func send(
    _ client: any TestClientProtocol, _ path: String, _ values: String, expects status: Int = 200
  ) async throws -> JSONValue {
    try await client.send(
      .post, path, text: #"{"values": \#(values)}"#,
      headers: [.contentType: "application/json"], expects: status
    ).json
  }

  @Test(arguments: ["pcm16.wav", "pcm16.flac", "vorbis.ogg"])
  func `a draft runs on a recording`(file: String) async throws {
    let input = #"{"name": "sound", "type": "audio", "shape": [1, 144], "sample_rate": 16000}"#
    try await fixture("sound", input).test { client in
      let recording = Array(try FileSystem.read("Tests/Fixtures/Audio/\(file)"))
      let own = try await client.send(.post, "models/sound/infer", recording, expects: 400)
      try #expect(own.json["error"]["message"].text?.contains("takes 144 x 1") == true)
      let (draft, path) = try await draft(
        client, of: "sound", replacing: "16000}", with: "8000, \"samples\": 144}")
      #expect(draft["model"]["takes"].text == "recording")
      #expect(draft["model"]["recording"]["sample_rate"].double == 8000)
      #expect(draft["model"]["recording"]["samples"].double == 144)
      let answer = try await client.send(.post, path, recording).json
      #expect(answer["outputs"]["echo"].elements.contains { $0.double != 0 })
      let empty = try await client.send(.post, path, [], expects: 400)
      try #expect(empty.code == "not_a_recording")
      let values = try await send(client, path, #"{"sound": 1}"#, expects: 400)
      #expect(
        values["error"]["message"].text?.contains("This model takes a recording.") == true,
        "\(values)")
    }
  }

  @Test func `a draft runs on a text`() async throws {
    let input =
      #"{"name": "ids", "type": "text", "shape": [1, 144], "tokenizer": "vocab.txt", "lowercase": false}"#
    let fixture = try fixture("text", input)
    let assets = fixture.folder + "/models/text.tiobundle/assets"
    try FileManager.default.createDirectory(
      atPath: assets, withIntermediateDirectories: true)
    try Data("[PAD]\n[UNK]\n[CLS]\n[SEP]\ngood\nfilm".utf8)
      .write(to: URL(filePath: assets + "/vocab.txt"))
    try await fixture.test { client in
      let own = try await send(client, "models/text/infer", #"{"text": "Good film"}"#)
      let (draft, path) = try await draft(
        client, of: "text", replacing: #""lowercase": false"#, with: #""lowercase": true"#)
      #expect(draft["model"]["fields"].elements.map { $0["form"].text } == ["text"])
      let answer = try await send(client, path, #"{"text": "Good film"}"#)
      // [CLS], the two words and [SEP]. The model's own description doesn't know the capital letter.
      let ids = [own, answer].map { $0["outputs"]["echo"].elements.prefix(4).map(\.double) }
      #expect(ids == [[2, 1, 5, 3], [2, 4, 5, 3]])
    }
  }

  @Test func `a draft runs on a feature row`() async throws {
    let rest = (1..<144).map { #"{"name": "rest \#($0)", "missing": 0}"# }
    let columns = ([#"{"name": "age", "mean": 40, "std": 10}"#] + rest).joined(separator: ",")
    let input =
      #"{"name": "row", "type": "features", "shape": [1, 144], "columns": [\#(columns)]}"#
    try await fixture("row", input).test { client in
      let (draft, path) = try await draft(
        client, of: "row", replacing: #""mean": 40"#, with: #""mean": 30"#)
      #expect(draft["model"]["fields"][0]["typical"].double == 30)
      let answer = try await send(client, path, #"{"age": 50}"#)
      #expect(answer["outputs"]["echo"][0].double == 2)
      let own = try await send(client, "models/row/infer", #"{"age": 50}"#)
      #expect(own["outputs"]["echo"][0].double == 1)
      let wrong = try await send(client, path, #"{"weight": 1}"#, expects: 400)
      #expect(wrong["error"]["message"].text?.contains("'weight'") == true, "\(wrong)")
    }
  }

  @Test func `a draft runs on numbers`() async throws {
    let fixture = try WebFixture()
    try fixture.addSum()
    try await fixture.test { client in
      let (draft, path) = try await draft(
        client, of: "sum", replacing: #""name": "x""#, with: #""name": "number""#)
      #expect(draft["model"]["fields"].elements.map { $0["name"].text } == ["number"])
      let answer = try await send(client, path, #"{"number": 2}"#)
      #expect(answer["outputs"]["y"].double == 25)
      let bytes = try await client.send(.post, path, text: "x", expects: 400)
      try #expect(bytes.json["error"]["message"].text?.contains("takes values") == true)
    }
  }
}
#endif
