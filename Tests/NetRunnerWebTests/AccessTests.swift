// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HummingbirdTesting
import NIOCore
import TensorIO
import Testing

@testable import NetRunnerWeb

@Suite struct AccessTests {
  @Test func `pages of other sites change nothing`() async throws {
    try await WebFixture().test { client in
      for origin in ["http://evil.example", "null", "http://localhost:1"] {
        try await client.execute(
          uri: "/api/v1/models/digits", method: .delete, headers: [.origin: origin]
        ) { response in
          try #expect(response.code == "cross_origin")
        }
      }
    }
  }

  @Test func `a token is wanted for everything but the page`() async throws {
    let fixture = try WebFixture()
    fixture.options.token = "secret"
    try await fixture.test { client in
      for uri in ["/api/v1/models", "/v2/models/digits", "/metrics", "/api/v1/openapi.json"] {
        for header in [nil, "Bearer", "Bearer Secret", "Bearer secre", "Basic secret", "secret"] {
          let headers: HTTPFields = header.map { [.authorization: $0] } ?? [:]
          try await client.execute(uri: uri, method: .get, headers: headers) { response in
            #expect(response.status == .unauthorized)
            // The Open Inference Protocol's errors are a text without a code.
            try #expect(uri.hasPrefix("/v2") || response.code == "token_needed")
          }
        }
        try await client.execute(
          uri: uri, method: .get, headers: [.authorization: "Bearer secret"]
        ) {
          #expect($0.status == .ok)
        }
      }
      try await client.execute(uri: "/robots.txt", method: .get) { #expect($0.status == .ok) }
    }
  }

  @Test func `others are not let in without a token`() throws {
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
      try await client.execute(uri: path, method: .get) { response in
        #expect(response.status == .notFound)
      }
    }
  }

  @Test func `the page is sent once and asked for again`() async throws {
    try await WebFixture().test { client in
      let tag = try await client.execute(uri: "/robots.txt", method: .get) { response in
        #expect(response.headers[.contentSecurityPolicy]?.contains("default-src 'self'") == true)
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        return try #require(response.headers[.eTag])
      }
      try await client.execute(uri: "/robots.txt", method: .get, headers: [.ifNoneMatch: tag]) {
        #expect($0.status == .notModified)
      }
    }
  }
}
