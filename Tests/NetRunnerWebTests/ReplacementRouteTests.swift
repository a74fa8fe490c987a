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

@testable import NetRunner
@testable import NetRunnerWeb

/// Tests what happens to existing models when another one is imported.
@Suite struct ReplacementRouteTests {
  private static func zip(_ folder: String, id: String, name: String) throws -> ByteBuffer {
    let path = FileManager.default.temporaryDirectory.appending(path: "zip-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
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
    return ByteBuffer(bytes: try FileSystem.read(path))
  }

  @Test func `a model is replaced only on request, and others are kept`() async throws {
    try await WebFixture().test { client in
      func post(_ body: ByteBuffer, _ query: String = "") async throws -> (Int, JSONValue) {
        try await client.execute(
          uri: "/api/v1/models" + query, method: .post,
          headers: [.contentType: "application/zip"], body: body
        ) { (response) in (response.status.code, try response.json) }
      }
      func names() async throws -> [String: String] {
        try await client.execute(uri: "/api/v1/models", method: .get) { response in
          var names: [String: String] = [:]
          for model in try response.json["models"].elements
          where model["is_shipped"] == .bool(false) {
            names[model["id"].text ?? ""] = model["name"].text
          }
          return names
        }
      }
      try #expect(await post(Self.zip("shared", id: "one", name: "First")).0 == 201)
      try #expect(await post(Self.zip("shared", id: "two", name: "Second")).0 == 201)
      try #expect(await names() == ["one": "First", "two": "Second"])
      for query in ["", "?replace=false"] {
        let (status, answer) = try await post(Self.zip("x", id: "one", name: "Third"), query)
        #expect(status == 409)
        #expect(answer["error"]["code"].text == "same_id")
        #expect(answer["error"]["message"].text?.contains("'First'") == true)
      }
      try #expect(await names() == ["one": "First", "two": "Second"])
      let replacement = try Self.zip("x", id: "one", name: "Third")
      try #expect(await post(replacement, "?replace=true").0 == 201)
      try #expect(await names() == ["one": "Third", "two": "Second"])
      let (status, answer) = try await post(
        Self.zip("digits", id: "digits", name: "Mine"), "?replace=true")
      #expect(status == 403)
      #expect(answer["error"]["code"].text == "model_is_shipped")
    }
  }
}
#endif
