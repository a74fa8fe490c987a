// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NetRunner
import TensorIO
import TestSupport
import Testing

@testable import NetRunnerWeb

@Suite struct LabelRouteTests {
  @Test func `labels are set, listed, replaced and deleted`() async throws {
    let data = try TestFolder()
    let image = try WebFixture.image()
    try await WebFixture.testDemo(dataFolder: data.path) { client in
      let labels = try await client.send(.get, "models/digits").json["labels"].elements
      let seven = try #require(labels[7].text)
      #expect(try await client.send(.get, "models/digits/labels").json["count"].double == 0)
      let set = try await client.send(
        .put, "models/digits/labels/b%20c.png?label=\(seven)", image
      ).json
      #expect(set == .object(["photo": .string("b c.png"), "label": .string(seven)]))
      try await client.send(.put, "models/digits/labels/a.png?value=3.5", image)
      try await client.send(.put, "models/digits/labels/a.png?value=-4", image)
      let list = try await client.send(.get, "models/digits/labels").json
      #expect(list["count"].double == 2)
      let first: [String: JSONValue] = [
        "photo": .string("a.png"), "label": .number(-4), "bytes": .number(Double(image.count)),
      ]
      #expect(list["labels"][0] == .object(first))
      #expect(list["labels"][1]["label"].text == seven)
      #expect(try FileSystem.contents(of: data.path + "/labels/digits/photos").count == 2)
      try await client.send(.delete, "models/digits/labels/a.png", expects: 204)
      #expect(
        try await client.send(.delete, "models/digits/labels/a.png", expects: 404).code
          == "label_not_found")
      #expect(try FileSystem.contents(of: data.path + "/labels/digits/photos") == ["b c.png"])
    }
    // The labels are still there after a restart.
    try await WebFixture.testDemo(dataFolder: data.path) { client in
      let labels = try await client.send(.get, "models/digits/labels").json
      #expect(labels["count"].double == 1)
      let others = try await client.send(.get, "models/digits-int8/labels").json
      #expect(others["count"].double == 0)
    }
  }

  @Test func `an invalid label or image is rejected`() async throws {
    let data = try TestFolder()
    let image = try WebFixture.image()
    try await WebFixture.testDemo(dataFolder: data.path) { client in
      for (path, body, status, code) in [
        ("digits/labels/a.png?label=horse", image, 422, "unknown_label"),
        ("digits/labels/a.png?value=nan", image, 400, "bad_request"),
        ("digits/labels/a.png?value=x", image, 400, "bad_request"),
        ("digits/labels/a.png", image, 400, "bad_request"),
        ("digits/labels/a.png?value=1&label=seven", image, 400, "bad_request"),
        ("digits/labels/a.png?value=1", [1, 2, 3], 400, "not_a_picture"),
        ("digits/labels/a.png?value=1", [], 400, "not_a_picture"),
        ("digits/labels/..%2Fa.png?value=1", image, 400, "invalid_path"),
        ("digits/labels/%2E%2E?value=1", image, 400, "invalid_path"),
        ("horse/labels/a.png?value=1", image, 404, "model_not_found"),
      ] {
        #expect(
          try await client.send(.put, "models/" + path, body, expects: status).code == code,
          "\(path)")
      }
      let large = [UInt8](repeating: 0, count: (32 << 20) + 1)
      try await client.send(
        .put, "models/digits/labels/a.png?value=1", large, expects: 413)
      #expect(try await client.send(.get, "models/digits/labels").json["count"].double == 0)
      #expect(
        try await client.send(.get, "models/digits/labels/export", expects: 404).code == "no_labels"
      )
    }
  }

  @Test func `no photo can have the name of the route that exports`() async throws {
    let image = try WebFixture.image()
    try await WebFixture.testDemo { client in
      let response = try await client.send(
        .put, "models/digits/labels/export?value=1", image, expects: 405)
      #expect(try response.code == "method_not_allowed")
      #expect(response.headers[.allow] == "GET, HEAD, POST")
    }
  }

  @Test func `labels are exported as a readable test bundle and as Net Runner's zip`()
    async throws
  {
    let data = try TestFolder()
    let output = try TestFolder()
    let image = try WebFixture.image()
    try await WebFixture.testDemo(dataFolder: data.path) { client in
      let labels = try await client.send(.get, "models/digits").json["labels"].elements
      let seven = try #require(labels[7].text)
      for photo in ["a.png", "b.png"] {
        try await client.send(.put, "models/digits/labels/\(photo)?label=\(seven)", image)
      }
      let bundle = try await client.send(.get, "models/digits/labels/export?format=testbundle")
      #expect(bundle.headers[.contentType] == "application/zip")
      #expect(
        bundle.headers[.contentDisposition] == #"attachment; filename="digits.testbundle.zip""#)
      let zip = try await client.send(.get, "models/digits/labels/export?format=zip")
      try await client.send(.get, "models/digits/labels/export?format=csv", expects: 400)
      for (name, response) in [("bundle.zip", bundle), ("labels.zip", zip)] {
        try output.write(Data(response.body.readableBytesView), to: name)
      }
    }
    let names = try await Self.unpack("bundle.zip", in: output.path)
    #expect(names.contains("digits.testbundle/test.json"))
    let dataset = try Dataset(contentsOf: output.path + "/digits.testbundle")
    #expect(dataset.samples.map(\.id) == ["images/a.png", "images/b.png"])
    #expect(dataset.samples.allSatisfy { $0.truth != nil })
    let old = try await Self.unpack("labels.zip", in: output.path)
    #expect(old == ["images/a.png", "images/b.png", "labels.json"])
  }

  /// Unpacks a file with another program than the one that wrote it.
  ///
  /// - Returns: The sorted names of its entries.
  static func unpack(_ zip: String, in folder: String) async throws -> [String] {
    let script =
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); z.extractall(); "
      + "print('\\n'.join(sorted(z.namelist())))"
    let process = try ChildProcess("/usr/bin/env", ["python3", "-c", script, zip], in: folder)
    let result = await process.finish()
    try #require(result.status == 0, "\(result.error)")
    return result.output.split(separator: "\n").map(String.init)
  }
}
#endif
