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

/// The examples that a bundle brings along.
struct ExampleRouteTests {
  /// A server whose model `sum` has examples, among them files that may not be sent.
  private func fixture() throws -> (WebFixture, examples: String) {
    let fixture = try WebFixture()
    try fixture.addSum()
    let examples = fixture.folder + "/models/sum.tiobundle/examples"
    try FileManager.default.createDirectory(
      atPath: examples + "/folder.png", withIntermediateDirectories: true)
    let files = ["b.json": #"{"x": 1}"#, "a photo.PNG": "png", ".c.png": "png", "d.svg": "<svg/>"]
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(filePath: examples + "/" + name))
    }
    for (name, target) in [("link.json", "b.json"), ("outside.json", "../model.json")] {
      try FileManager.default.createSymbolicLink(
        atPath: examples + "/" + name, withDestinationPath: target)
    }
    try #require(mkfifo(examples + "/pipe.wav", 0o600) == 0)
    return (fixture, examples)
  }

  @Test func `images, recordings and values in the bundle's folder are listed and sent`()
    async throws
  {
    try await fixture().0.test { client in
      let list = try await client.send(.get, "models/sum/examples").json
      #expect(
        list["examples"].elements.map { $0["name"].text }
          == ["a photo.PNG", "b.json", "link.json"])
      let values = try await client.send(.get, "models/sum/examples/b.json")
      #expect(String(buffer: values.body) == #"{"x": 1}"#)
      #expect(values.headers[.contentType] == "application/json")
      let image = try await client.send(.get, "models/sum/examples/a%20photo.PNG")
      #expect(image.headers[.contentType] == "image/png")
      #expect(image.headers[.xContentTypeOptions] == "nosniff")
    }
  }

  @Test func `a model without the folder has no examples`() async throws {
    try await WebFixture.testDemo { client in
      let list = try await client.send(.get, "models/digits/examples").json
      #expect(list["examples"] == .array([]))
    }
  }

  @Test(arguments: [
    "d.svg", ".c.png", "folder.png", "outside.json", "pipe.wav", "..%2Fmodel.json", "%00",
    "none.png",
  ])
  func `other files aren't sent`(_ name: String) async throws {
    try await fixture().0.test { client in
      let response = try await client.send(.get, "models/sum/examples/\(name)", expects: 404)
      #expect(try response.json["error"]["code"].text == "example_not_found")
    }
  }
}
#endif
