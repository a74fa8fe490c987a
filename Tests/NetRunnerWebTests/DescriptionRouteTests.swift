// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import Foundation
import HTTPTypes
import HummingbirdTesting
import TensorIO
import TestSupport
import Testing

@testable import NetRunnerWeb

/// Tests the routes that read, try out and replace the descriptions of models.
@Suite struct DescriptionRouteTests {
  /// A fixture whose folder has the digits under another identifier.
  private static func fixture() throws -> WebFixture {
    let fixture = try WebFixture()
    let bundle = fixture.options.models + "/mine.tiobundle"
    try FileManager.default.copyItem(atPath: WebFixture.demo + "/digits.tiobundle", toPath: bundle)
    let text = String(decoding: try FileSystem.read(bundle + "/model.json"), as: UTF8.self)
      .replacing("\"id\": \"digits\"", with: "\"id\": \"mine\"")
    try Data(text.utf8).write(to: URL(filePath: bundle + "/model.json"))
    return fixture
  }

  private static let image: HTTPFields = [.contentType: "image/png"]

  private static func text(_ client: any TestClientProtocol) async throws -> String {
    try await client.send(.get, "models/mine/description").json["text"].text ?? ""
  }

  @Test func `a description is read with its labels`() async throws {
    try await Self.fixture().test { client in
      let answer = try await client.send(.get, "models/mine/description").json
      #expect(answer["text"].text?.contains("\"id\": \"mine\"") == true)
      #expect(answer["labels"]["labels.txt"].elements.count == 10)
      #expect(answer["labels"]["labels.txt"][7].text == "seven")
      try await client.send(.get, "models/nobody/description", expects: 404)
    }
  }

  @Test func `a draft runs with its labels, and the model stays as it was`() async throws {
    let fixture = try Self.fixture()
    try await fixture.test { client in
      let labels = (0..<10).map { "label \($0)" }
      let body: JSONObject = [
        "text": try await Self.text(client), "labels": ["labels.txt": labels],
      ]
      let draft = try await client.send(.post, "models/mine/drafts", json: body, expects: 201)
        .json["draft"]
      let path = "models/mine/drafts/\(try #require(draft["id"].text))"
      #expect(draft["model"]["kind"].text == "classification")
      let tried = try await client.send(
        .post, path + "/infer", WebFixture.image(), headers: Self.image
      ).json
      #expect(tried["classes"][0]["label"].text == "label 7")
      let own = try await client.send(
        .post, "models/mine/infer", WebFixture.image(), headers: Self.image
      ).json
      #expect(own["classes"][0]["label"].text == "seven")
      let other = path.replacing("mine", with: "digits")
      try await client.send(
        .post, other + "/infer", WebFixture.image(), headers: Self.image, expects: 404)
      try await client.send(.delete, path, expects: 204)
      let gone = try await client.send(
        .post, path + "/infer", WebFixture.image(), headers: Self.image, expects: 404)
      try #expect(gone.code == "draft_not_found")
    }
    try #expect(FileSystem.contents(of: fixture.options.models) == ["mine.tiobundle"])
  }

  @Test func `a model that was unloaded stays unloaded after its description is saved`()
    async throws
  {
    try await Self.fixture().test { client in
      let body: JSONObject = ["text": try await Self.text(client)]
      try await client.send(.post, "/v2/repository/models/mine/unload")
      try await client.send(.put, "models/mine/description", json: body)
      let refused = try await client.send(
        .post, "models/mine/infer", WebFixture.image(), headers: Self.image, expects: 409)
      try #expect(refused.code == "model_unloaded")
      try await client.send(.post, "/v2/repository/models/mine/load")
      try await client.send(.post, "models/mine/infer", WebFixture.image(), headers: Self.image)
    }
  }

  @Test func `only the last drafts are kept`() async throws {
    let fixture = try Self.fixture()
    let folder = fixture.options.models
    try await fixture.test { client in
      let body: JSONObject = ["text": try await Self.text(client)]
      var paths: [String] = []
      for _ in 0...ModelDrafts.limit {
        let draft = try await client.send(.post, "models/mine/drafts", json: body, expects: 201)
        paths.append("models/mine/drafts/\(try draft.json["draft"]["id"].text ?? "")/infer")
      }
      for (path, status) in [(paths[0], 404), (paths[1], 200), (paths[4], 200)] {
        try await client.send(
          .post, path, WebFixture.image(), headers: Self.image, expects: status)
      }
      let folders = try FileSystem.contents(of: folder)
      #expect(folders.count == ModelDrafts.limit + 1)
    }
  }

  @Test func `a saved description is used at once`() async throws {
    let fixture = try Self.fixture()
    let origin = fixture.options.models + "/mine.tiobundle/.origin.json"
    try Data("{}".utf8).write(to: URL(filePath: origin))
    try await fixture.test { client in
      // The model is loaded with its former labels.
      try await client.send(.post, "models/mine/infer", WebFixture.image(), headers: Self.image)
      let labels = (0..<10).map { "label \($0)" }
      let text = try await Self.text(client)
        .replacing("\"labels\": \"labels.txt\"", with: "\"labels\": \"mine.txt\"")
        .replacing("\"name\": \"Digits\"", with: "\"name\": \"My digits\"")
      let saved = try await client.send(
        .put, "models/mine/description", json: ["text": text, "labels": ["mine.txt": labels]]
      ).json
      #expect(saved["model"]["name"].text == "My digits")
      let result = try await client.send(
        .post, "models/mine/infer", WebFixture.image(), headers: Self.image
      ).json
      #expect(result["classes"][0]["label"].text == "label 7")
      try #expect(await Self.text(client) == text)
    }
    let bundle = fixture.options.models + "/mine.tiobundle"
    try #expect(FileSystem.contents(of: fixture.options.models) == ["mine.tiobundle"])
    try #expect(
      FileManager.default.subpathsOfDirectory(atPath: bundle).sorted()
        == ["assets", "assets/labels.txt", "assets/mine.txt", "model.json", "model.tflite"])
    let mine = try FileSystem.read(bundle + "/assets/mine.txt")
    #expect(String(decoding: mine, as: UTF8.self).hasPrefix("label 0\nlabel 1\n"))
    // The demo itself shares no file with the model.
    let demo = try FileSystem.read(WebFixture.demo + "/digits.tiobundle/model.json")
    #expect(String(decoding: demo, as: UTF8.self).contains("\"Digits\""))
  }

  @Test(arguments: [
    ("\"format\": \"RGB\"", "\"format\": \"RBG\"", "inputs[0].format"),
    ("\"labels\": \"labels.txt\"", "\"labels\": \"../x.txt\"", "outputs[0].labels"),
    ("\"labels\": \"labels.txt\"", "\"labels\": \"other.txt\"", "outputs[0].labels"),
    ("\"id\": \"mine\"", "\"id\": \"other\"", "id"),
    ("\"file\": \"model.tflite\"", "\"file\": \"../model.tflite\"", "model.file"),
    ("\"inputs\"", "\"inptus\"", "inptus"), ("{", "{{", "model.json"),
  ])
  func `a description that can't be used names the field`(
    old: String, new: String, path: String
  ) async throws {
    let fixture = try Self.fixture()
    try await fixture.test { client in
      let text = try await Self.text(client)
      let range = try #require(text.firstRange(of: old))
      let changed = text.replacingCharacters(in: range, with: new)
      let draft = try await client.send(.post, "models/mine/drafts", json: ["text": changed]).json
      #expect(draft["draft"] == .null)
      let error = try await client.send(
        .put, "models/mine/description", json: ["text": changed], expects: 422
      ).json["error"]
      #expect(error["code"].text == "invalid_bundle", "\(error)")
      #expect(error["message"].text?.contains(".import-") == false, "\(error)")
      for issues in [draft["issues"].elements, error["issues"].elements] {
        #expect(issues.contains { $0["path"].text == path }, "\(issues)")
        #expect(issues.allSatisfy { $0["message"].text?.contains(".import-") == false })
      }
      try #expect(await Self.text(client) == text)
    }
    try #expect(FileSystem.contents(of: fixture.options.models) == ["mine.tiobundle"])
  }

  @Test(arguments: [
    #"{"labels": {}}"#, #"{"text": 1}"#, #"{"text": "{}", "labels": []}"#,
    #"{"text": "{}", "labels": {"../x": []}}"#, #"{"text": "{}", "labels": {".x": []}}"#,
    #"{"text": "{}", "labels": {"": []}}"#, #"{"text": "{}", "labels": {"a/b": []}}"#,
    #"{"text": "{}", "labels": {"x": "y"}}"#, #"{"text": "{}", "labels": {"x": [1]}}"#,
    #"{"text": "{}", "labels": {"x": ["a\nb"]}}"#, "[]",
  ])
  func `a request that isn't a description is refused`(body: String) async throws {
    try await Self.fixture().test { client in
      for (method, target) in [
        (HTTPRequest.Method.post, "models/mine/drafts"), (.put, "models/mine/description"),
      ] {
        let answer = try await client.send(
          method, target, text: body, headers: [.contentType: "application/json"], expects: 400)
        try #expect(answer.code == "bad_request")
      }
    }
  }

  @Test func `shipped models can't be changed`() async throws {
    try await WebFixture().test { client in
      for (method, target) in [
        (HTTPRequest.Method.post, "models/digits/drafts"), (.put, "models/digits/description"),
      ] {
        let answer = try await client.send(method, target, json: ["text": "{}"], expects: 403)
        try #expect(answer.code == "model_is_shipped")
      }
    }
  }

  @Test func `a graph is read by the program's reader`() async throws {
    let fixture = try Self.fixture()
    fixture.options.readGraph = { path in
      guard path.hasSuffix("/mine.tiobundle/model.tflite") else {
        throw TensorIOError(.invalidModel, "'\(path)' is damaged.").about(path)
      }
      return Array("{}".utf8)
    }
    try await fixture.test { client in
      let answer = try await client.send(.get, "models/mine/graph")
      try #expect(answer.json == .object([:]))
      #expect(answer.headers[.contentType] == "application/json")
      let damaged = try await client.send(.get, "models/digits/graph", expects: 422).json
      #expect(damaged["error"]["message"].text == "'model.tflite' is damaged.")
    }
    fixture.options.readGraph = nil
    try await fixture.test { client in
      let answer = try await client.send(.get, "models/mine/graph", expects: 422)
      try #expect(answer.code == "no_graph")
    }
  }

  @Test func `operators are measured by the program, one model at a time`() async throws {
    let fixture = try Self.fixture()
    let (started, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    fixture.options.measureOperators = { path in
      guard path.hasSuffix("/mine.tiobundle/model.tflite") else {
        throw TensorIOError(.invalidModel, "'\(path)' ended the process.").about(path)
      }
      started.signal()
      release.wait()
      return Array("{}".utf8)
    }
    try await fixture.test { client in
      let failed = try await client.send(.post, "models/digits/profile", expects: 422).json
      #expect(failed["error"]["message"].text == "'model.tflite' ended the process.")
      async let first = client.send(.post, "models/mine/profile")
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          started.wait()
          continuation.resume()
        }
      }
      let second = try await client.send(.post, "models/mine/profile", expects: 503)
      try #expect(second.code == "too_busy")
      // Other requests aren't delayed.
      try await client.send(.get, "models/mine/description")
      release.signal()
      let measured = try await first
      try #expect(measured.json == .object([:]))
      try await client.send(.get, "models/mine/profile", expects: 405)
      try await client.send(.post, "models/nobody/profile", expects: 404)
    }
    fixture.options.measureOperators = nil
    try await fixture.test { client in
      let answer = try await client.send(.post, "models/mine/profile", expects: 422)
      try #expect(answer.code == "no_graph")
    }
  }

  @Test func `the page has the schema of model json`() throws {
    let copy = Python.root.path + "/Sources/NetRunnerWeb/Assets/model.schema.json"
    try #expect(
      FileSystem.read(copy) == FileSystem.read(Python.root.path + "/Schemas/model.schema.json"))
  }
}
#endif
