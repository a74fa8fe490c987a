// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import ModelRepositoryAPI
@testable import ModelRepositoryServer

@Suite struct ChannelTests {
  @Test func `a channel's document is signed, and isn't sent again when unchanged`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.send(
        .get, "/v1/models/cats/channels/stable", expects: 404, code: "channel_not_found")
      let version = try await client.publish("1.0")
      let content = ChannelContent(
        version: version.version, parameters: ["threshold": "0.5"])
      let response = try await client.set(to: content, tag: nil)
      let (document, tag) = try await client.with(nil).document()
      #expect(tag == response.headers[.eTag])
      #expect(document.release == version.release)
      #expect(document.documentVersion == 1 && document.parameters == ["threshold": "0.5"])
      #expect(document.issued == fixture.now)
      #expect(document.expires == fixture.now + 30 * 24 * 3600)
      let path = "/v1/models/cats/channels/stable"
      let same = try await client.send(.get, path, headers: [.ifNoneMatch: tag], expects: 304)
      #expect(same.bytes.isEmpty && same.headers[.eTag] == tag)
      let channels = try await client.send(.get, "/v1/models/cats/channels")
      #expect(try channels.decoded(ChannelList.self).channels.map(\.name.text) == ["stable"])
    }
  }

  @Test(arguments: [
    ("/v1/models/cats/channels/stable", #"{"versoin": "2.0"}"#, "versoin"),
    (
      "/v1/models/cats/channels/stable",
      #"{"experiment": {"salt": "s", "arms": [{"name": "a", "threshold": 1, "version": "1", "x": 1}]}}"#,
      "experiment.arms.0.x"
    ),
    ("/v1/tokens", #"{"name": "x", "scopes": ["read"], "model": ["cats"]}"#, "model"),
  ])
  func `an unknown member is refused and named`(path: String, body: String, name: String)
    async throws
  {
    try await TestRepository().serve { client in
      try await client.publish("1.0")
      _ = try await client.set(to: "1.0", tag: nil)
      let response = try await client.send(
        path == "/v1/tokens" ? .post : .put, path, Array(body.utf8),
        headers: [.contentType: "application/json", .ifMatch: "*"], expects: 400,
        code: "invalid_body")
      #expect(String(buffer: response.body).contains("'\(name)' is unknown."))
    }
  }

  @Test func `a change needs the current ETag, so publishers can't overwrite each other`()
    async throws
  {
    try await TestRepository().serve { client in
      try await client.publish("1.0")
      let content = ChannelContent(version: try client.name("1.0"))
      let path = "/v1/models/cats/channels/stable"
      try await client.send(
        .put, path, json: content, expects: 428, code: "precondition_required")
      try await client.send(
        .put, path, json: content, headers: [.ifNoneMatch: "\"x\""], expects: 428)
      try await client.set(
        to: content, tag: "\"x\"", expects: 412, code: "precondition_failed")
      let tag = try await client.set(to: "1.0", tag: nil)
      try await client.set(
        to: content, tag: nil, expects: 412, code: "precondition_failed")
      for wrong in ["\"x\"", "W/" + tag, tag.replacing("\"", with: "")] {
        let refusal = try await client.set(to: content, tag: wrong, expects: 412)
        #expect(refusal.headers[.eTag] == tag)
      }
      let next = try await client.set(to: "1.0", tag: "\"x\", \(tag)")
      #expect(next != tag)
      try await client.set(to: content, tag: tag, expects: 412)
      #expect(try await client.document().document.documentVersion == 2)
    }
  }

  @Test func `one of 32 concurrent publishers wins each round`() async throws {
    try await TestRepository().serve { client in
      try await client.publish("1.0")
      var tag = try await client.set(to: "1.0", tag: nil)
      for round in 2...6 {
        let present = tag
        let winners = try await withThrowingTaskGroup(of: String?.self) { group in
          for number in 0..<32 {
            group.addTask {
              let content = ChannelContent(
                version: try client.name("1.0"), parameters: ["by": "\(number)"])
              let response = try await client.execute(
                uri: "/v1/models/cats/channels/stable", method: .put,
                headers: [
                  .ifMatch: present, .contentType: "application/json",
                  .authorization: "Bearer \(client.token ?? "")",
                ], body: ByteBuffer(bytes: try RepositoryJSON.encode(content)))
              #expect([200, 412].contains(response.status.code))
              return response.status == .ok ? response.headers[.eTag] : nil
            }
          }
          return try await group.reduce(into: [String]()) { if let tag = $1 { $0.append(tag) } }
        }
        #expect(winners.count == 1)
        tag = try #require(winners.first)
        let (document, newest) = try await client.document()
        #expect(newest == tag && document.documentVersion == round)
      }
    }
  }

  @Test func `invalid channel content is rejected`() async throws {
    try await TestRepository().serve { client in
      try await client.publish("1.0")
      let (one, nine) = try (client.name("1.0"), client.name("9"))
      func refuse(_ content: ChannelContent, _ status: Int, _ code: String) async throws {
        try await client.set(to: content, tag: nil, expects: status, code: code)
      }
      try await refuse(ChannelContent(version: nine), 422, "unknown_version")
      func experiment(_ arms: (String, Int)...) throws -> ChannelContent.Experiment {
        ChannelContent.Experiment(
          salt: "s",
          arms: try arms.map {
            ChannelContent.Arm(name: try client.name($0.0), threshold: $0.1, version: one)
          })
      }
      var content = ChannelContent(version: one)
      content.experiment = try experiment(("a", 20), ("b", 10))
      try await refuse(content, 422, "invalid_document")
      content.experiment = try experiment(("a", 10_001))
      try await refuse(content, 422, "invalid_document")
      content.experiment = try experiment()
      try await refuse(content, 422, "invalid_document")
      content.experiment?.arms = [
        ChannelContent.Arm(name: one, threshold: 1, version: nine)
      ]
      try await refuse(content, 422, "unknown_version")
      try await refuse(
        ChannelContent(version: one, minimumSafeSequence: 2), 422, "invalid_document")
      let large = String(repeating: "x", count: 900_000)
      try await refuse(
        ChannelContent(version: one, parameters: ["x": large]), 422, "invalid_document")
      try await refuse(
        ChannelContent(version: one, parameters: ["x": large + large]), 413, "body_too_large")
      try await client.set(
        of: "dogs", to: ChannelContent(version: one), tag: nil, expects: 404,
        code: "model_not_found")
      try await client.send(.get, "/v1/models/cats/channels/stable", expects: 404)
    }
  }

  @Test func `a rollback passes over versions that were withdrawn`() async throws {
    try await TestRepository().serve { client in
      var tag: String?
      for version in ["1", "2", "3"] {
        try await client.publish(version)
        tag = try await client.set(to: version, tag: tag)
      }
      try await client.send(.post, "/v1/models/cats/versions/2/withdraw")
      let path = "/v1/models/cats/channels/stable/rollback"
      let response = try await client.send(
        .post, path, headers: [.ifMatch: try #require(tag)])
      #expect(try await client.verified(response).release?.version.text == "1")
      try await client.send(.post, "/v1/models/cats/versions/3/withdraw")
      let present = try #require(response.headers[.eTag])
      try await client.send(
        .post, path, headers: [.ifMatch: present], expects: 409, code: "no_earlier_content")
    }
  }

  @Test func `each rollback goes one step further back`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      for version in ["1", "2", "3"] { try await client.publish(version) }
      var tag = try await client.set(to: "1", tag: nil)
      let path = "/v1/models/cats/channels/stable/rollback"
      try await client.send(
        .post, path, headers: [.ifMatch: tag], expects: 409, code: "no_earlier_content")
      tag = try await client.set(to: "2", tag: tag)
      // A renewal doesn't change the content.
      fixture.pass(16 * 24 * 3600)
      tag = try await client.document().tag
      tag = try await client.set(to: "3", tag: tag)
      try await client.send(.post, path, expects: 428, code: "precondition_required")
      try await client.send(.post, path, headers: [.ifMatch: "\"x\""], expects: 412)
      for version in ["2", "1"] {
        fixture.pass(16 * 24 * 3600)
        tag = try await client.document().tag
        let response = try await client.send(.post, path, headers: [.ifMatch: tag])
        #expect(try await client.verified(response).release?.version.text == version)
        tag = try #require(response.headers[.eTag])
      }
      try await client.send(.post, path, headers: [.ifMatch: tag], expects: 409)
      let third = try await client.send(
        .post, path + "?document_version=4", headers: [.ifMatch: tag])
      let document = try await client.verified(third)
      #expect(document.release?.version.text == "3")
      let history = try await client.send(.get, "/v1/models/cats/channels/stable/history")
        .decoded(ChannelHistory.self)
      #expect(
        history.revisions.map(\.documentVersion)
          == Array((1...document.documentVersion).reversed()))
      #expect(
        history.revisions.map(\.cause) == [
          .rollback, .rollback, .renewal, .rollback, .renewal, .change, .renewal, .change, .change,
        ])
      let two = try await client.send(
        .get, "/v1/models/cats/channels/stable/history?before=4&limit=2")
      #expect(try two.decoded(ChannelHistory.self).revisions.map(\.documentVersion) == [3, 2])
      try await client.send(
        .get, "/v1/models/cats/channels/stable/history?limit=0", expects: 400)
    }
  }

  @Test func `the minimum safe sequence never decreases`() async throws {
    try await TestRepository().serve { client in
      try await client.publish("1")
      try await client.publish("2")
      try await client.publish("3")
      var tag = try await client.set(to: "1", tag: nil)
      tag = try await client.set(to: "2", tag: tag)
      let content = ChannelContent(version: try client.name("3"), minimumSafeSequence: 2)
      tag = try #require(try await client.set(to: content, tag: tag).headers[.eTag])
      tag = try await client.set(to: "3", tag: tag)
      #expect(try await client.document().document.minimumSafeSequence == 2)
      let path = "/v1/models/cats/channels/stable/rollback"
      let back = try await client.send(.post, path, headers: [.ifMatch: tag])
      let document = try await client.verified(back)
      #expect(document.release?.version.text == "2" && document.minimumSafeSequence == 2)
      tag = try #require(back.headers[.eTag])
      try await client.send(
        .post, path, headers: [.ifMatch: tag], expects: 422, code: "invalid_document")
    }
  }

  @Test func `an old document is renewed when it is requested`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.publish("1.0")
      let tag = try await client.set(to: "1.0", tag: nil)
      let first = try await client.document().document
      fixture.pass(15 * 24 * 3600 - 1)
      #expect(try await client.document().tag == tag)
      fixture.pass(1)
      let responses = try await withThrowingTaskGroup { group in
        for _ in 0..<16 { group.addTask { try await client.document() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(responses.map(\.tag)).count == 1 && responses[0].tag != tag)
      let second = responses[0].document
      #expect(second.documentVersion == 2 && second.release == first.release)
      #expect(second.expires == fixture.now + 30 * 24 * 3600)
    }
  }

  @Test func `a new key also signs after a restart`() async throws {
    let fixture = try await TestRepository()
    let tag = try await fixture.serve { client in
      try await client.publish("1.0")
      return try await client.set(to: "1.0", tag: nil)
    }
    let key = try SigningKeys.make("next", in: fixture.folder + "/keys")
    try await fixture.serve { client in
      let path = "/v1/models/cats/channels/stable"
      let response = try await client.send(.get, path, headers: [.ifNoneMatch: tag])
      let signed = try response.decoded(SignedDocument.self)
      #expect(signed.signatures.count == 2)
      #expect(try signed.verified(by: [key.verificationKey]).documentVersion == 2)
      #expect(try await client.verified(response).documentVersion == 2)
    }
  }

  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `Python verifies a served document`() async throws {
    let fixture = try await TestRepository()
    let (body, key) = try await fixture.serve(.live) { client in
      try await client.publish("1.0")
      _ = try await client.set(to: "1.0", tag: nil)
      let response = try await client.send(.get, "/v1/models/cats/channels/stable")
      let keys = try await client.send(.get, "/v1/keys").decoded(KeyList.self)
      return (response.bytes, keys.keys[0].key)
    }
    let output = try await Python.run(
      ["Tools/peers/repository.py", "verify", key], input: Data(body))
    #expect(output.contains("\"channel\":\"stable\""))
  }
}
#endif
