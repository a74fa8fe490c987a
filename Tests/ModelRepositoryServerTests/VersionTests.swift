// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

@Suite struct VersionTests {
  @Test func `published versions are listed in order`() async throws {
    try await TestRepository().serve { client in
      let first = try await client.publish("1.0")
      let second = try await client.publish("2.0")
      #expect(first.sequence == 1 && second.sequence == 2)
      #expect(first.size == "cats 1.0".utf8.count && !first.isWithdrawn)
      let reader = client.with(nil)
      let models = try await reader.send(.get, "/v1/models").decoded(ModelList.self)
      #expect(models.models.map(\.name.text) == ["cats"] && models.models[0].versions == 2)
      let versions = try await reader.send(.get, "/v1/models/cats/versions")
      #expect(try versions.decoded(VersionList.self).versions == [second, first])
      let one = try await reader.send(.get, "/v1/models/cats/versions/1.0")
      #expect(try one.decoded(VersionRecord.self) == first)
      let manifest = try await reader.send(.get, "/v1/blobs/\(first.manifest.digest)")
      #expect(try manifest.decoded(VersionManifest.self).version.text == "1.0")
    }
  }

  @Test func `a version never changes`() async throws {
    try await TestRepository().serve { client in
      let record = try await client.publish("1.0")
      let again = try await client.send(
        .post, "/v1/models/cats/versions",
        json: VersionPublication(manifest: record.manifest.digest))
      #expect(try again.decoded(VersionRecord.self) == record)
      let other = try await client.uploadVersion("1.0", bytes: [9])
      try await client.send(
        .post, "/v1/models/cats/versions", json: VersionPublication(manifest: other),
        expects: 409, code: "version_exists")
    }
  }

  @Test func `a missing or wrong file of a version is named`() async throws {
    try await TestRepository().serve { client in
      func publish(_ digest: BlobDigest, _ code: String) async throws -> String {
        try await client.send(
          .post, "/v1/models/cats/versions", json: VersionPublication(manifest: digest),
          expects: 422, code: code
        ).text
      }
      let nowhere = BlobDigest(of: [7])
      #expect(try await publish(nowhere, "blob_missing").contains("\(nowhere)"))
      let text = try await client.upload(Array("no manifest".utf8)).digest
      _ = try await publish(text, "invalid_manifest")
      let empty = try await client.upload([]).digest
      _ = try await publish(empty, "invalid_manifest")
      let dogs = try await client.uploadVersion("1.0", of: "dogs")
      #expect(try await publish(dogs, "invalid_manifest").contains("dogs"))

      let file = try await client.upload([1, 2, 3])
      func manifest(_ files: [VersionManifest.File]) async throws -> BlobDigest {
        let manifest = VersionManifest(
          model: try client.name("cats"), version: try client.name("3"), format: .bundle,
          files: files)
        return try await client.upload(Array(try RepositoryJSON.encode(manifest))).digest
      }
      let there = VersionManifest.File(path: "model.json", digest: file.digest, size: 3)
      var other = VersionManifest.File(path: "model.tflite", digest: nowhere, size: 1)
      #expect(
        try await publish(manifest([there, other]), "blob_missing").contains("model.tflite"))
      other.digest = file.digest
      other.size = 4
      #expect(try await publish(manifest([there, other]), "wrong_size").contains("model.tflite"))
      other.size = 3
      other.path = "../model.tflite"
      #expect(
        try await publish(manifest([there, other]), "invalid_manifest").contains("../model.tflite"))
      try await client.send(.get, "/v1/models/cats/versions", expects: 404, code: "model_not_found")
      // The failed attempts leave nothing behind.
      try await client.publish("1.0")
    }
  }

  @Test func `an invalid publication is rejected`() async throws {
    try await TestRepository().serve { client in
      let path = "/v1/models/cats/versions"
      try await client.send(
        .post, path, Array("{}".utf8), expects: 415, code: "not_json")
      for body in ["", "{", "[]", "{}", "{\"manifest\": 1}", "{\"manifest\": \"sha256:x\"}"] {
        try await client.send(
          .post, path, Array(body.utf8), headers: [.contentType: "application/json"],
          expects: 400, code: "invalid_body")
      }
      try await client.send(
        .post, path, Array(repeating: 0x20, count: 70_000),
        headers: [.contentType: "application/json"], expects: 413, code: "body_too_large")
    }
  }

  @Test func `a version in use by channels is withdrawn only by force`() async throws {
    try await TestRepository().serve { client in
      try await client.publish("1.0")
      try await client.publish("2.0")
      let tag = try await client.set(to: "1.0", tag: nil)
      _ = try await client.set("beta", to: "1.0", tag: nil)
      let path = "/v1/models/cats/versions/1.0/withdraw"
      let refusal = try await client.send(.post, path, expects: 409, code: "version_in_use")
      #expect(refusal.text.contains("beta") && refusal.text.contains("stable"))
      _ = try await client.set(to: "2.0", tag: tag)
      try await client.send(.post, path + "?force=false", expects: 409)
      let record = try await client.send(.post, path + "?force").decoded(VersionRecord.self)
      #expect(record.isWithdrawn)
      try await client.send(.post, path)
      let content = ChannelContent(version: try client.name("1.0"))
      try await client.set(
        "new", to: content, tag: nil, expects: 409, code: "version_withdrawn")
      try await client.send(
        .post, "/v1/models/cats/versions/9/withdraw", expects: 404, code: "version_not_found")
    }
  }

  @Test(arguments: [
    "..", "%2e%2e", ".hidden", "a%2fb", "a%00b", "-x", "%ff", "a%20b", "ä",
    String(repeating: "x", count: 101),
  ])
  func `an invalid name never leads elsewhere`(name: String) async throws {
    try await TestRepository().serve { client in
      try await client.publish("1.0")
      _ = try await client.set(to: "1.0", tag: nil)
      let headers: HTTPFields = [.authorization: "Bearer \(client.token ?? "")"]
      for path in [
        "\(name)/versions", "\(name)/versions/1.0", "cats/versions/\(name)", "\(name)/channels",
        "\(name)/channels/stable", "cats/channels/\(name)", "cats/channels/\(name)/history",
      ] {
        let response = try await client.execute(
          uri: "/v1/models/" + path, method: .get, headers: headers)
        #expect([400, 404].contains(response.status.code), "\(path): \(response.text)")
      }
      for path in ["\(name)/versions/1.0/withdraw", "cats/versions/\(name)/withdraw"] {
        let response = try await client.execute(
          uri: "/v1/models/" + path, method: .post, headers: headers)
        #expect([400, 404].contains(response.status.code), "\(path): \(response.text)")
      }
    }
  }
}
#endif
