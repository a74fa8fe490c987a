// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import HummingbirdTesting
import TensorIO
import Testing

@testable import NetRunner
@testable import NetRunnerWeb

/// Tests what happens to existing models when another one is imported.
@Suite struct ReplacementRouteTests {
  private static func zip(_ folder: String, id: String, name: String) throws -> [UInt8] {
    let files = try TestFolder()
    let path = files.path + "/x.zip"
    let writer = try ZipWriter(path)
    for file in ["model.json", "model.tflite", "assets/labels.txt"] {
      var bytes = Array(try FileSystem.read("\(WebFixture.demo)/digits.tiobundle/\(file)"))
      if file == "model.json" {
        let text = String(decoding: bytes, as: UTF8.self)
          .replacing("\"id\": \"digits\"", with: "\"id\": \"\(id)\"")
          .replacing("\"name\": \"Digits\"", with: "\"name\": \"\(name)\"")
        bytes = Array(text.utf8)
      }
      try writer.add(bytes, named: "\(folder).tiobundle/\(file)")
    }
    try writer.close()
    return Array(try FileSystem.read(path))
  }

  @Test func `a model is replaced only on request, and others are kept`() async throws {
    try await WebFixture().test { client in
      func post(
        _ body: [UInt8], _ query: String = "", expects status: Int = 201
      ) async throws -> JSONValue {
        try await client.send(
          .post, "models" + query, body, headers: [.contentType: "application/zip"],
          expects: status
        ).json
      }
      func names() async throws -> [String: String] {
        var names: [String: String] = [:]
        for model in try await client.send(.get, "models").json["models"].elements
        where model["is_shipped"] == .bool(false) {
          names[model["id"].text ?? ""] = model["name"].text
        }
        return names
      }
      _ = try await post(Self.zip("shared", id: "one", name: "First"))
      _ = try await post(Self.zip("shared", id: "two", name: "Second"))
      try #expect(await names() == ["one": "First", "two": "Second"])
      for query in ["", "?replace=false"] {
        let answer = try await post(Self.zip("x", id: "one", name: "Third"), query, expects: 409)
        #expect(answer["error"]["code"].text == "same_id")
        #expect(answer["error"]["message"].text?.contains("'First'") == true)
      }
      try #expect(await names() == ["one": "First", "two": "Second"])
      _ = try await post(Self.zip("x", id: "one", name: "Third"), "?replace=true")
      try #expect(await names() == ["one": "Third", "two": "Second"])
      let answer = try await post(
        Self.zip("digits", id: "digits", name: "Mine"), "?replace=true", expects: 403)
      #expect(answer["error"]["code"].text == "model_is_shipped")
    }
  }
}
#endif
