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
    let server = try NetRunnerServer(fixture.options)
    let routes = try server.router().routes
      .map { "\($0.method.rawValue) \($0.path)" }
      .map { $0.replacingOccurrences(of: "**", with: "{path}") }
    var documented: [String] = []
    try await fixture.test { client in
      try await client.execute(uri: "/api/v1/openapi.json", method: .get) { response in
        try #expect(response.json["openapi"].text == "3.1.0")
      }
    }
    let path = WebFixture.demo + "/../Sources/NetRunnerWeb/Assets/openapi.json"
    let document = try JSONValue(parsing: Data(contentsOf: URL(filePath: path)))
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
