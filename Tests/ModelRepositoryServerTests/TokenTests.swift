// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryServer

@Suite struct TokenTests {
  private static let writes: [(HTTPRequest.Method, String, TokenScope)] = [
    (.post, "/v1/uploads", .publish), (.get, "/v1/uploads/x", .publish),
    (.head, "/v1/uploads/x", .publish), (.patch, "/v1/uploads/x", .publish),
    (.put, "/v1/uploads/x", .publish), (.delete, "/v1/uploads/x", .publish),
    (.post, "/v1/models/cats/versions", .publish),
    (.post, "/v1/models/cats/versions/1/withdraw", .publish),
    (.put, "/v1/models/cats/channels/stable", .rollout),
    (.post, "/v1/models/cats/channels/stable/rollback", .rollout),
    (.get, "/v1/tokens", .admin), (.post, "/v1/tokens", .admin),
    (.delete, "/v1/tokens/x", .admin), (.get, "/v1/audit", .admin), (.post, "/v1/gc", .admin),
  ]
  private static let reads = [
    "/v1/models", "/v1/models/cats/versions", "/v1/models/cats/versions/1",
    "/v1/models/cats/channels", "/v1/models/cats/channels/stable",
    "/v1/models/cats/channels/stable/history", "/metrics",
    "/v1/blobs/sha256:" + String(repeating: "0", count: 64),
  ]

  @Test func `every change needs a token with the right scope`() async throws {
    let fixture = try await TestRepository()
    let expired = try await fixture.makeToken(
      "expired", [.admin], expires: fixture.now + 10
    ).secret
    fixture.pass(10)
    var tokens: [TokenScope: String] = [:]
    for scope in TokenScope.allCases {
      tokens[scope] = try await fixture.makeToken(scope.rawValue, [scope]).secret
    }
    let scoped = tokens
    try await fixture.serve { client in
      for (method, path, scope) in Self.writes {
        let missing = try await client.with(nil).send(method, path, expects: 401)
        #expect(missing.headers[.wwwAuthenticate] == "Bearer")
        for bad in [expired, "", "x", "x.y", String((client.token ?? "").dropLast()) + "!"] {
          try await client.with(bad).send(method, path, expects: 401)
        }
        for (other, token) in scoped {
          let response = try await client.execute(
            uri: path, method: method, headers: [.authorization: "Bearer " + token])
          let isGood = other == scope || other == .admin
          #expect((response.status != .forbidden) == isGood, "\(method) \(path) \(other)")
          #expect(response.status != .unauthorized)
        }
      }
    }
  }

  @Test func `a token in the URL or in another form isn't accepted`() async throws {
    try await TestRepository().serve { client in
      let token = client.token ?? ""
      for path in ["/v1/uploads?token=\(token)", "/v1/uploads?access_token=\(token)"] {
        try await client.with(nil).send(.post, path, expects: 401, code: "token_needed")
      }
      for field in ["Basic \(token)", token, "Bearer", "Bearer \(token) x"] {
        let response = try await client.execute(
          uri: "/v1/uploads", method: .post, headers: [.authorization: field])
        #expect(response.status == .unauthorized && response.code == "invalid_token")
      }
      try await client.with("x").send(.get, "/v1/models", expects: 401, code: "invalid_token")
    }
  }

  @Test func `reading needs a token if the repository requires one`() async throws {
    let fixture = try await TestRepository { $0.requiresTokenToRead = true }
    let cats = try await fixture.makeToken("cats", [.read], models: ["cat*"]).secret
    let dogs = try await fixture.makeToken("dogs", [.read], models: ["dogs"]).secret
    try await fixture.serve { client in
      let record = try await client.publish("1")
      _ = try await client.set(to: "1", tag: nil)
      for path in Self.reads {
        try await client.with(nil).send(.get, path, expects: 401, code: "token_needed")
      }
      for path in ["/healthz", "/readyz", "/v1/keys", "/v1/openapi.json"] {
        try await client.with(nil).send(.get, path)
      }
      for path in Self.reads.dropFirst().prefix(5) {
        try await client.with(cats).send(.get, path)
        try await client.with(dogs).send(.get, path, expects: 403, code: "wrong_model")
      }
      let blob = "/v1/blobs/\(record.manifest.digest)"
      let response = try await client.with(cats).send(.get, blob)
      #expect(response.headers[.cacheControl]?.hasPrefix("private") == true)
      try await client.with(dogs).send(.get, blob, expects: 404)
      func models(_ token: String) async throws -> Int {
        try await client.with(token).send(.get, "/v1/models").decoded(ModelList.self).models.count
      }
      #expect(try await models(cats) == 1)
      #expect(try await models(dogs) == 0)
    }
  }

  @Test func `a token works only for its models`() async throws {
    let fixture = try await TestRepository()
    let token = try await fixture.makeToken(
      "ci", [.publish, .rollout], models: ["cat*", "*-beta"]
    ).secret
    let admin = try await fixture.makeToken("some", [.admin], models: ["cats"]).secret
    try await fixture.serve { client in
      let ci = client.with(token)
      try await ci.publish("1")
      try await ci.publish("1", of: "dogs-beta")
      _ = try await ci.set(to: "1", tag: nil)
      let dogs = try await client.uploadVersion("1", of: "dogs")
      try await ci.send(
        .post, "/v1/models/dogs/versions", json: VersionPublication(manifest: dogs), expects: 403,
        code: "wrong_model")
      // Otherwise it could make itself a token for all models.
      try await client.with(admin).send(
        .post, "/v1/tokens", json: TokenRequest(name: "x", scopes: [.admin]), expects: 403,
        code: "wrong_model")
    }
  }

  @Test func `a token is made, its secret is shown once, and it can be revoked`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      let request = TokenRequest(name: "ci", scopes: [.publish], models: ["cats"])
      let response = try await client.send(.post, "/v1/tokens", json: request, expects: 201)
      #expect(response.headers[.cacheControl] == "no-store")
      let made = try response.decoded(NewToken.self)
      #expect(made.token.scopes == [.publish] && made.token.models == ["cats"])
      #expect(made.secret.hasPrefix(made.token.id + ".") && made.secret.utf8.count == 16 + 1 + 43)
      let ci = client.with(made.secret)
      _ = try await ci.begin()
      let list = try await client.send(.get, "/v1/tokens")
      #expect(try list.decoded(TokenList.self).tokens.last == made.token)
      let secret = made.secret.dropFirst(17)
      #expect(!list.text.contains(secret))
      for file in ["meta.sqlite", "meta.sqlite-wal"] {
        let data = try Data(contentsOf: URL(filePath: fixture.folder + "/" + file))
        #expect(data.range(of: Data(secret.utf8)) == nil)
      }
      try await client.send(.delete, "/v1/tokens/\(made.token.id)", expects: 204)
      try await ci.send(.post, "/v1/uploads", expects: 401, code: "invalid_token")
      try await client.send(.delete, "/v1/tokens/\(made.token.id)", expects: 204)
      try await client.send(.delete, "/v1/tokens/x", expects: 404, code: "token_not_found")
      let records = try await client.send(.get, "/v1/audit").decoded(AuditLog.self).records
      #expect(
        records.map(\.action).prefix(3)
          == [AuditRecord.refusedToken, "token.revoke", "token.make"])
      #expect(records[1].subject == made.token.id && records[1].token != nil)
      let one = try await client.send(.get, "/v1/audit?before=\(records[1].id)&limit=1")
      #expect(try one.decoded(AuditLog.self).records == [records[2]])
    }
  }

  @Test func `an invalid token request is rejected`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      var requests = [
        TokenRequest(name: "", scopes: [.read]), TokenRequest(name: "x", scopes: []),
        TokenRequest(name: "x", scopes: [.read], models: []),
        TokenRequest(name: "x", scopes: [.read], models: ["a b"]),
        TokenRequest(name: "x", scopes: [.read], models: [""]),
        TokenRequest(name: String(repeating: "x", count: 101), scopes: [.read]),
      ]
      requests.append(TokenRequest(name: "x", scopes: [.read], expires: fixture.now))
      for request in requests {
        try await client.send(
          .post, "/v1/tokens", json: request, expects: 422, code: "invalid_token_request")
      }
    }
  }

  @Test(arguments: [
    ("*", "cats", true), ("cats", "cats", true), ("cats", "cat", false), ("cat", "cats", false),
    ("c*s", "cats", true), ("c*s", "cs", true), ("c*s", "cat", false), ("*a*a*", "banana", true),
    ("*a*b", "banana", false), ("**", "x", true), ("a*b*c", "aXbYbZc", true),
    ("*-x", "a-x-y", false),
    // Trying all places for each asterisk would take longer than the universe exists.
    (String(repeating: "*a", count: 49) + "*b", String(repeating: "a", count: 128), false),
  ])
  func `an asterisk in a pattern matches any characters`(pattern: String, name: String, fits: Bool)
  {
    #expect(ModelPattern(pattern)?.matches(name) == fits)
  }
}
#endif
