// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import NetRunner
import NIOCore
import TensorIO
import Testing

@testable import NetRunnerWeb

/// Models that take numbers, words, texts or recordings instead of an image.
struct FieldRouteTests {
  private static let echo = #"{"name": "echo", "type": "array", "shape": [1, 144]}"#

  private func fixture() throws -> WebFixture {
    let fixture = try WebFixture()
    try fixture.addSum()
    let rest = (4..<144).map { #"{"name": "rest \#($0)", "missing": 0}"# }
    let columns =
      [
        #"{"name": "age", "mean": 40, "std": 10}"#, #"{"name": "share", "min": 2, "max": 4}"#,
        #"{"name": "heating", "values": ["gas", "oil"]}"#,
      ] + rest
    try fixture.addBundle(
      "identity_image", id: "row",
      inputs: [
        #"{"name": "row", "type": "features", "shape": [1, 144], "columns": [\#(columns.joined(separator: ","))]}"#
      ], outputs: [Self.echo])
    try fixture.addBundle(
      "identity_image", id: "sound",
      inputs: [#"{"name": "sound", "type": "audio", "shape": [1, 144], "sample_rate": 16000}"#],
      outputs: [Self.echo])
    try fixture.addBundle(
      "identity_image", id: "steps",
      inputs: [
        #"{"name": "sound", "type": "audio", "shape": [1, 144], "sample_rate": 16000, "step": 144}"#
      ], outputs: [Self.echo])
    return fixture
  }

  private func send(
    _ client: any TestClientProtocol, _ model: String, _ document: String, expects status: Int = 200
  ) async throws -> JSONValue {
    try await client.send(
      .post, "models/\(model)/infer", text: document, headers: [.contentType: "application/json"],
      expects: status
    ).json
  }

  @Test func `a word of a long list is typed`() throws {
    let words = (0...1000).map { JSONValue.string("word \($0)") }
    for (count, isTyped) in [(1000, false), (1001, true)] {
      let column: JSONValue = .object([
        "name": .string("city"), "values": .array(Array(words.prefix(count))),
        "encoding": .string("index"),
      ])
      let coding = LayerCoding(type: "features", options: ["columns": .array([column])])
      let spec = TensorSpec(
        name: "row", shape: [1, 1], kind: .vector(nil, labels: nil), coding: coding)
      let field = try #require(try InputField.fields(of: [spec]).first)
      #expect(field.typical == .string("word 0"))
      if case .text = field.form { #expect(isTyped) } else { #expect(!isTyped) }
      let row = try TableRow(["city": .string("word 999")], [field])
      #expect(row.cells == [.string("word 999")])
    }
  }

  private func body(_ values: String) -> String { #"{"values": \#(values)}"# }

  @Test func `models say what they take`() async throws {
    try await fixture().test { client in
      let row = try await client.send(.get, "models/row").json
      #expect(row["takes"] == .string("fields"))
      #expect(row["can_run"] == .bool(true))
      let fields = row["fields"].elements
      #expect(fields.count == 143)
      #expect(fields[0]["name"] == .string("age"))
      #expect(fields[0]["form"] == .string("number"))
      #expect(fields[0]["typical"] == .number(40))
      #expect(fields[0]["is_required"] == .bool(true))
      #expect(fields[1]["typical"] == .number(3))
      #expect(fields[2]["form"] == .string("word"))
      #expect(fields[2]["words"] == .array([.string("gas"), .string("oil")]))
      #expect(fields[2]["typical"] == .string("gas"))
      #expect(fields[3]["is_required"] == .bool(false))
      let sound = try await client.send(.get, "models/sound").json
      #expect(sound["takes"] == .string("recording"))
      #expect(sound["recording"]["samples"] == .number(144))
      #expect(sound["recording"]["sample_rate"] == .number(16_000))
      let steps = try await client.send(.get, "models/steps").json
      #expect(steps["recording"]["samples"] == .number(16_000))
      let sum = try await client.send(.get, "models/sum").json
      #expect(sum["fields"].elements.map { $0["form"] } == [.string("number")])
      #expect(try await client.send(.get, "models/digits").json["takes"] == .string("image"))
    }
  }

  @Test func `values run a model`() async throws {
    try await fixture().test { client in
      let sum = try await send(client, "sum", body(#"{"x": 2}"#))
      #expect(sum["outputs"]["y"] == .number(25))
      #expect(sum["region"] == .null)
      let row = try await send(
        client, "row", body(#"{"age": 55, "share": "2", "heating": "oil"}"#))
      let echo = row["outputs"]["echo"].elements.prefix(5)
      #expect(echo == [.number(1.5), .number(0), .number(0), .number(1), .number(0)])
    }
  }

  @Test func `wrong values say what was expected`() async throws {
    try await fixture().test { client in
      for (path, values, message) in [
        ("sum", #"{"y": 1}"#, "The model has no field 'y'. Its fields are 'x'."),
        ("sum", #"{"x": "two"}"#, "'x' takes numbers, but the row has 'two' in the column 'x'."),
        ("sum", "{}", "'x' takes numbers, but the row has null in the column 'x'."),
        ("row", #"{"age": 1, "share": 2, "heating": "wood"}"#, "'row' doesn't know 'wood'"),
        ("row", #"{"share": 2, "heating": "oil"}"#, "'row' needs the column 'age'"),
        ("digits", #"{"image": 1}"#, "This model takes an image."),
        ("sound", #"{"sound": 1}"#, "This model takes a recording."),
      ] {
        let answer = try await send(client, path, body(values), expects: 400)
        let found = answer["error"]["message"].text ?? ""
        #expect(found.contains(message), "\(found)")
      }
      for document in ["[]", "{}", #"{"values": 1}"#, "{"] {
        _ = try await send(client, "sum", document, expects: 400)
      }
      let bytes = try await client.send(.post, "models/sum/infer", text: "x", expects: 400)
      let message = try bytes.json["error"]["message"].text ?? ""
      #expect(message.contains("This model takes values."), "\(message)")
    }
  }

  @Test func `a recording runs a model, and what isn't one is refused`() async throws {
    try await fixture().test { client in
      let wave = FileManager.default.contents(
        atPath: "Tests/Fixtures/Audio/pcm16.wav")
      let path = "models/sound/infer"
      let whole = try await client.send(.post, path, Array(try #require(wave)), expects: 400)
      let message = try whole.json["error"]["message"].text ?? ""
      #expect(message.contains("the input takes 144 x 1"), "\(message)")
      for bytes in [[], Array("RIFF".utf8), Array("not a recording".utf8)] {
        try await client.send(.post, path, bytes, expects: 400)
      }
      let empty = try await client.send(.post, path, [], expects: 400)
      try #expect(empty.code == "not_a_recording")
    }
  }

  // MARK: - Evaluations

  @Test func `recordings are evaluated, and drawn`() async throws {
    let fixture = try fixture()
    try fixture.addBundle(
      "identity_image", id: "any",
      inputs: [
        #"{"name": "sound", "type": "audio", "shape": [1, 144], "sample_rate": 16000, "samples": 144}"#
      ], outputs: [Self.echo])
    try await fixture.test { client in
      let wave = try FileSystem.read("Tests/Fixtures/Audio/pcm16.wav")
      let upload = try await client.makeUpload()
      for name in ["a", "b"] {
        try await client.send(.put, "uploads/\(upload)/\(name).wav", Array(wave), expects: 204)
      }
      let id = try await client.evaluate(["upload": upload], with: ["any"])
      let evaluation = try await client.end(of: id)["evaluation"]
      #expect(evaluation["state"].text == "done")
      #expect(evaluation["dataset"]["content"].text == "recordings")
      #expect(evaluation["models"][0]["done"].double == 2)
      #expect(evaluation["models"][0]["failed"].double == 0)
      let picture = try await client.send(.get, "evaluations/\(id)/pictures/0")
      #expect(picture.headers[.contentType] == "image/jpeg")
      #expect(picture.body.readableBytes > 500)
    }
  }

  @Test(arguments: [
    ("values.csv", "age,share,heating\n55,2,oil\n30,4,gas\n"),
    ("values.jsonl", #"{"age": 55, "share": 2, "heating": "oil"}"# + "\n"),
  ])
  func `tables of values are evaluated`(name: String, text: String) async throws {
    try await fixture().test { client in
      let upload = try await client.makeUpload()
      try await client.send(.put, "uploads/\(upload)/\(name)", text: text, expects: 204)
      let id = try await client.evaluate(["upload": upload], with: ["row"])
      let evaluation = try await client.end(of: id)["evaluation"]
      #expect(evaluation["state"].text == "done", "\(evaluation)")
      #expect(evaluation["dataset"]["layout"].text == "rows")
      #expect(evaluation["dataset"]["content"].text == "values")
      #expect(evaluation["models"][0]["failed"].double == 0)
      let rows = try await client.send(.get, "evaluations/\(id)/rows").json["rows"]
      #expect(rows[0]["answer"] == .array([.string("echo 1.5, 0, 0, 1, …")]))
      try await client.send(.get, "evaluations/\(id)/pictures/0", expects: 404)
    }
  }
}
#endif
