// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TensorIO
import Testing

@testable import NetRunnerWeb

@Suite struct OpenAPITests {
  @Test func `the document lists exactly the routes of the server`() async throws {
    let fixture = try WebFixture()
    let routes = try NetRunnerServer(fixture.options).router().routes
      .map { "\($0.method.rawValue) \($0.path)" }
      .map { $0.replacingOccurrences(of: "**", with: "{path}") }
    var documented: [String] = []
    let document = try await fixture.test { client in
      try await client.send(.get, "openapi.json").json
    }
    #expect(document["openapi"].text == "3.1.0")
    guard case .object(let paths) = document["paths"] else {
      Issue.record("The document has no paths.")
      return
    }
    for (path, methods) in paths {
      guard case .object(let methods) = methods else { continue }
      documented += methods.keys.map { "\($0.uppercased()) \(path)" }
    }
    #expect(Set(routes) == Set(documented))
    #expect(Set(routes).symmetricDifference(documented) == [])
  }
}
#endif
