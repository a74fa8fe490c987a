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

@testable import NetRunnerWeb

@Suite struct AccessTests {
  private static let token = "0123456789abcdef"

  @Test func `requests from pages of other sites can't change anything`() async throws {
    try await WebFixture().test { client in
      for origin in ["http://evil.example", "null", "http://localhost:1"] {
        let headers: HTTPFields = [.origin: origin]
        let response = try await client.send(
          .delete, "models/digits", headers: headers, expects: 403)
        try #expect(response.code == "cross_origin")
      }
    }
  }

  @Test func `everything except the page needs the token`() async throws {
    let fixture = try WebFixture()
    fixture.options.token = Self.token
    fixture.options.wrongTokenInterval = .zero
    try await fixture.test { client in
      for uri in ["/api/v1/models", "/v2/models/digits", "/metrics", "/api/v1/openapi.json"] {
        for header in [
          nil, "Bearer", "Bearer 0123456789ABCDEF", "Bearer 0123456789abcde",
          "Basic \(Self.token)", Self.token,
        ] {
          let headers: HTTPFields = header.map { [.authorization: $0] } ?? [:]
          let response = try await client.send(.get, uri, headers: headers, expects: 401)
          // Errors of the Open Inference Protocol have a message but no code.
          try #expect(uri.hasPrefix("/v2") || response.code == "token_needed")
        }
        // The scheme's name is case-insensitive.
        for scheme in ["Bearer", "bearer", "BEARER", "Bearer "] {
          try await client.send(
            .get, uri, headers: [.authorization: "\(scheme) \(Self.token)"])
        }
      }
      try await client.send(.get, "/robots.txt")
    }
  }

  @Test func `requests with wrong tokens are slowed down, and the right one isn't`() async throws {
    let fixture = try WebFixture()
    fixture.options.token = Self.token
    fixture.options.wrongTokenInterval = .milliseconds(500)
    try await fixture.test { client in
      let clock = ContinuousClock()
      @Sendable func ask(_ token: String, _ status: Int) async throws {
        try await client.send(
          .get, "server", headers: [.authorization: "Bearer \(token)"], expects: status)
      }
      let guesses = try await clock.measure {
        try await withThrowingTaskGroup(of: Bool.self) { group in
          for _ in 0..<13 {
            group.addTask {
              try await ask("wrong", 401)
              return false
            }
          }
          group.addTask {
            try await Task.sleep(for: .milliseconds(300))
            try await ask(Self.token, 200)
            return true
          }
          var answers: [Bool] = []
          for try await isRight in group { answers.append(isRight) }
          // The right token is answered long before the last guess.
          #expect(answers.last == false)
        }
      }
      // Three guesses are free, and the other ten wait for each other.
      #expect(guesses > .milliseconds(4900))
    }
  }

  @Test func `wrong tokens that would wait too long are refused at once`() async throws {
    let fixture = try WebFixture()
    fixture.options.token = Self.token
    fixture.options.wrongTokenInterval = .seconds(3600)
    try await fixture.test { client in
      @Sendable func ask(_ token: String, _ status: Int) async throws -> TestResponse {
        try await client.send(
          .get, "server", headers: [.authorization: "Bearer \(token)"], expects: status)
      }
      for _ in 0..<3 { _ = try await ask("wrong", 401) }
      let refused = try await ask("wrong", 429)
      #expect(refused.headers[.retryAfter] == "10")
      try #expect(refused.code == "too_many_tokens")
      _ = try await ask(Self.token, 200)
    }
  }

  @Test func `wrong tokens from one network of IPv6 are counted together`() async throws {
    var options = try WebFixture().options
    options.token = Self.token
    options.wrongTokenInterval = .seconds(3600)
    let check = TokenCheck(options)
    for last in 1...3 { _ = try await check.accepts("wrong", from: "2001:db8::\(last)") }
    await #expect(throws: WebError.tooManyTokens) {
      try await check.accepts("wrong", from: "2001:db8::4")
    }
    _ = try await check.accepts("wrong", from: "2001:db8:0:1::4")
  }

  @Test func `the page's address has the token in a form that the page can read`() throws {
    let token = "Schlüssel 100%25+€&#token=x/?"
    let link = NetRunnerServer.link(to: "http://localhost:8080/", token: token)
    let fragment = try #require(link.split(separator: "#").last)
    #expect(link.count { $0 == "#" } == 1 && !link.contains(" ") && !link.contains("&"))
    let parts = fragment.split(separator: "=")
    #expect(parts.count == 2 && parts[1].removingPercentEncoding == token)
    #expect(NetRunnerServer.link(to: "http://localhost/", token: nil) == "http://localhost/")
  }

  @Test func `a short token is rejected at the start`() throws {
    let fixture = try WebFixture()
    for token in ["", "secret", "0123456789abcde"] {
      fixture.options.token = token
      let error = #expect(throws: TensorIOError.self) { try NetRunnerServer(fixture.options) }
      #expect(error?.message.contains("16 bytes") == true)
    }
  }

  @Test func `a wrong method is distinguished from a wrong path`() async throws {
    try await WebFixture().test { client in
      for (method, uri, allowed) in [
        (HTTPRequest.Method.put, "/api/v1/models", "GET, HEAD, POST"),
        (.get, "/api/v1/models/digits/infer", "POST"), (.delete, "/api/v1/server", "GET, HEAD"),
        (.get, "/api/v1/uploads/1/a/b.png", "PUT"), (.post, "/metrics", "GET, HEAD"),
        (.get, "/v2/models/digits/versions/1/infer", "POST"), (.post, "/robots.txt", "GET, HEAD"),
        (.put, "/", "GET, HEAD"),
      ] {
        let response = try await client.send(method, uri, expects: 405)
        #expect(response.headers[.allow] == allowed, "\(method) \(uri)")
      }
      try await client.send(.put, "nothing", expects: 404)
      try await client.send(.head, "server")
    }
  }

  @Test func `listening on all addresses requires a token`() throws {
    let fixture = try WebFixture()
    fixture.options.host = "0.0.0.0"
    let error = #expect(throws: TensorIOError.self) { try NetRunnerServer(fixture.options) }
    #expect(error?.message.contains("token") == true)
  }

  @Test(
    arguments: [
      "/../Package.swift", "/%2e%2e/Package.swift", "/Models/digits.tiobundle/../../../x",
      "//etc/passwd", "/js/../../x", "/Models", "/.", "/robots.txt/", "/robots.txt%00",
    ])
  func `no path leads out of the page's folder`(path: String) async throws {
    try await WebFixture().test { client in
      try await client.send(.get, path, expects: 404)
    }
  }

  @Test func `the page is sent with security headers, and not again when unchanged`() async throws {
    try await WebFixture().test { client in
      let response = try await client.send(.get, "/robots.txt")
      #expect(response.headers[.contentSecurityPolicy]?.contains("default-src 'self'") == true)
      #expect(response.headers[.xContentTypeOptions] == "nosniff")
      #expect(response.headers[.crossOriginResourcePolicy] == "same-origin")
      let tag = try #require(response.headers[.eTag])
      try await client.send(.get, "/robots.txt", headers: [.ifNoneMatch: tag], expects: 304)
    }
  }
}
#endif
