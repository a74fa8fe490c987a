// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import ModelRepositoryClient
import NIOCore
import TensorIO
import Testing

@testable import NetRunner
@testable import NetRunnerWeb

@Suite struct RepositoryRouteTests {
  private static let start: JSONObject = ["repository_model": "hosted"]

  @Test func `a server without a repository says so`() async throws {
    try await WebFixture().test { client in
      try #expect(await client.send(.get, "server").json["repository"] == .null)
      #expect(try await client.send(.get, "repository", expects: 404).code == "no_repository")
      let answer = try await client.send(
        .post, "imports", json: Self.start, expects: 404
      ).json
      #expect(answer["error"]["code"].text == "no_repository")
      #expect(answer["error"]["message"].text?.contains("--repository") == true)
      try #expect(await client.send(.get, "imports").json["imports"].elements.isEmpty)
    }
  }

  @Test(
    arguments: [
      #"{}"#, #"{"repository_model": "../x"}"#, #"{"repository_model": ""}"#,
      #"{"repository_model": 1}"#,
      #"{"url": "https://example.com/x.zip", "repository_model": "x"}"#,
    ])
  func `an invalid model name is rejected`(body: String) async throws {
    try await WebFixture().test { client in
      let response = try await client.send(
        .post, "imports", text: body, headers: [.contentType: "application/json"], expects: 400)
      try #expect(response.code == "bad_request")
    }
  }

  @Test func `only clients that may import can use the repository`() async throws {
    let repository = try await RepositoryFixture()
    try await repository.publish(repository.bundle(), "1.0")
    let fixture = try await repository.netRunner()
    fixture.options.token = "0123456789abcdef"
    try await fixture.test { client in
      try await client.send(.get, "repository", expects: 401)
      try await client.send(.post, "imports", json: Self.start, expects: 401)
      let bearer = "Bearer 0123456789abcdef"
      let foreign = try await client.send(
        .post, "imports", json: Self.start,
        headers: [.authorization: bearer, .origin: "http://evil.example"], expects: 403)
      try #expect(foreign.code == "cross_origin")
      let list = try await client.send(
        .get, "repository", headers: [.authorization: bearer]
      ).json
      #expect(list["repository"]["models"].elements.count == 1)
    }
    try #expect(FileSystem.contents(of: fixture.options.models).isEmpty)
  }

  @Test func `a private repository needs its token, which no response reveals`() async throws {
    let repository = try await RepositoryFixture(isPrivate: true)
    try await repository.publish(repository.bundle(), "1.0")
    let fixture = try await repository.netRunner()
    try await fixture.test { client in
      let answer = try await client.send(.get, "repository", expects: 502).json
      #expect(answer["error"]["code"].text == "unauthorized")
      #expect(answer["error"]["message"].text?.contains("TENSORIO_REPOSITORY_TOKEN") == true)
      let job = try await client.importModel()
      #expect(job["error"]["code"].text == "unauthorized", "\(job)")
    }
    fixture.options.repository?.token = repository.secret
    try await fixture.test { client in
      try #expect(await client.listed()["state"].text == "new")
      try #expect(await client.importModel()["state"].text == "done")
      for path in ["server", "repository", "imports", "models"] {
        let text = String(buffer: try await client.send(.get, path).body)
        #expect(!text.contains(repository.secret))
      }
    }
  }

  @Test(arguments: [".origin.json", ".ORIGIN.json", ".origin.json/deeper"])
  func `the origin that a zip file claims is ignored`(name: String) async throws {
    let repository = try await RepositoryFixture()
    try await repository.publish(repository.bundle(), "1.0")
    let fixture = try await repository.netRunner()
    let zip = fixture.folder + "/claim.zip"
    let bundle = try repository.bundle()
    let claim = BundleOrigin(
      repository: repository.place, channel: "stable", model: "hosted", version: "9.0",
      manifest: "sha256:" + String(repeating: "0", count: 64), documentVersion: 1_000_000)
    let writer = try ZipWriter(zip)
    for file in ["model.json", "model.tflite", "assets/labels.txt"] {
      try writer.add(
        Array(FileSystem.read("\(bundle)/\(file)")), named: "hosted.tiobundle/\(file)")
    }
    try writer.add(Array(JSONEncoder().encode(claim)), named: "hosted.tiobundle/\(name)")
    try writer.close()
    let body = Array(try FileSystem.read(zip))
    let upload: @Sendable (any TestClientProtocol) async throws -> Void = { client in
      let answer = try await client.send(
        .post, "models?replace=true", body, headers: [.contentType: "application/zip"],
        expects: 201
      ).json
      #expect(answer["model"]["origin"] == .null)
      let row = try await client.listed()
      #expect(row["state"].text == "new" && row["imported"] == .null)
    }
    try await fixture.test { client in
      try await upload(client)
      // It doesn't prevent an import, and replacing an import with it removes the origin.
      let refused = try await client.importModel()
      #expect(refused["error"]["code"].text == "same_id", "\(refused)")
      let job = try await client.importModel(replaces: true)
      #expect(job["state"].text == "done", "\(job)")
      try #expect(await client.listed()["imported"]["version"].text == "1.0")
      try await upload(client)
    }
    let origin = fixture.options.models + "/hosted.tiobundle/.origin.json"
    #expect(!FileManager.default.fileExists(atPath: origin))
  }

  @Test func `a channel without a version is reported as not found`() async throws {
    let repository = try await RepositoryFixture()
    let (model, version) = (
      try #require(RepositoryName("waiting")), try #require(RepositoryName("1.0"))
    )
    _ = try await repository.publisher.publish(
      repository.bundle(), as: model, version: version)
    try await repository.publish(repository.bundle(), "1.0")
    let fixture = try await repository.netRunner()
    try await fixture.test { client in
      let waiting = try await client.listed("waiting")
      #expect(waiting["state"].text == "unavailable")
      #expect(waiting["problem"]["code"].text == "not_found")
      try #expect(await client.listed()["state"].text == "new")
      for name in ["waiting", "nobody"] {
        let job = try await client.importModel(name)
        #expect(job["error"]["code"].text == "not_found", "\(job)")
      }
    }
  }

  @Test func `an invalid repository configuration stops the server from starting`() async throws {
    for (server, keys) in [
      ("http://models.example.com", [SigningKey().verificationKey]),
      ("https://u:p@models.example.com", [SigningKey().verificationKey]),
      ("https://models.example.com", []),
    ] {
      let fixture = try WebFixture()
      fixture.options.repository = ModelRepositoryConfiguration(
        server: server, keys: keys, folder: fixture.folder + "/cache")
      let error = #expect(throws: TensorIOError.self) { try NetRunnerServer(fixture.options) }
      #expect(error?.code == .invalidOption)
    }
  }
}
#endif
