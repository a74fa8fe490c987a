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
import Testing

@testable import NetRunnerWeb

/// Tests attempts to make the server read files outside its folders.
@Suite struct EvaluationOutsideTests {
  private static let digit = WebFixture.demo + "/images/digit-7-01.png"

  private static func request(_ folder: String) -> JSONObject {
    ["models": ["digits"], "folder": folder]
  }

  /// Makes a folder for the server next to an image that clients must not see.
  private static func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(FileSystem.read(digit), to: "secret/other/7.png")
    try folder.write(FileSystem.read(digit), to: "photos/inside/7.png")
    try folder.link("photos/way-out", to: folder.path + "/secret")
    return folder
  }

  @Test(arguments: [
    "photos/..", "photos/../secret", "../secret", "/etc", "photos/way-out", "photos/way-out/other",
    "photos/inside/../../secret", "photos\\..\\secret", "secret", "photos/gone", "",
    "photos//secret", ".", "photos/\0",
  ])
  func `no path leads out of a folder`(_ path: String) async throws {
    let folder = try Self.folder()
    try await WebFixture.testDemo(folders: [folder.path + "/photos"]) { client in
      let answer = try await client.execute(
        uri: "/api/v1/evaluations", method: .post, headers: [.contentType: "application/json"],
        body: ByteBuffer(bytes: Self.request(path).encoded()))
      #expect(answer.status == .notFound || answer.status == .badRequest)
    }
  }

  @Test func `a path inside a folder is evaluated`() async throws {
    let folder = try Self.folder()
    try await WebFixture.testDemo(folders: [folder.path + "/photos"]) { client in
      for path in ["photos/inside", "photos", "photos/"] {
        let id = try await client.evaluate(["folder": path])
        let answer = try await client.end(of: id)
        #expect(answer["evaluation"]["models"][0]["done"].double == 1)
        #expect(answer["evaluation"]["models"][0]["failed"].double == 0)
        let row = try await client.send(.get, "evaluations/\(id)/rows").json["rows"][0]
        #expect(row["predicted"].text?.isEmpty == false)
      }
    }
  }

  /// Evaluates a dataset that names one image inside the folder and some outside.
  private static func check(
    _ folder: TestFolder, layout: String, failed: Int, in path: String = "photos"
  ) async throws {
    try await WebFixture.testDemo(folders: [folder.path + "/photos"]) { client in
      let id = try await client.evaluate(["folder": path])
      let answer = try await client.end(of: id)
      #expect(answer["evaluation"]["dataset"]["layout"].text == layout)
      #expect(answer["evaluation"]["state"].text == "done", "\(answer["evaluation"]["error"])")
      let rows = try await client.send(.get, "evaluations/\(id)/rows").json["rows"].elements
      #expect(rows.count { $0["error"].bool == true } == failed)
      #expect(rows.count == failed + 1)
      for row in rows where row["error"].bool == true {
        #expect(row["predicted"] == .null)
        let index = Int(row["index"].double ?? -1)
        try await client.send(.get, "evaluations/\(id)/pictures/\(index)", expects: 404)
      }
      let html = try await client.send(.get, "evaluations/\(id)/export?format=html")
      #expect(!String(buffer: html.body).contains(folder.path + "/photos"))
    }
  }

  @Test func `a table can't name images outside the folder`() async throws {
    let folder = try Self.folder()
    let outside = [
      "\(folder.path)/secret/other/7.png", "../secret/other/7.png", "/etc/passwd",
      "way-out/other/7.png", "http://127.0.0.1:1/7.png", "gone.png",
    ]
    let lines = ["path,label", "inside/7.png,seven"] + outside.map { $0 + ",seven" }
    try folder.write(Data(lines.joined(separator: "\n").utf8), to: "photos/list.csv")
    try await Self.check(folder, layout: "table", failed: outside.count)
    try await Self.check(
      folder, layout: "table", failed: outside.count, in: "photos/list.csv")
  }

  @Test func `a test bundle can't name images outside the folder`() async throws {
    let folder = try Self.folder()
    func test(_ paths: [String]) -> Data {
      let images = paths.map { #"{"type": "file", "path": "\#($0)"}"# }.joined(separator: ",")
      return Data(
        #"""
        {"name": "x", "id": "x", "version": "1", "models": ["digits"],
         "options": {"iterations": 1, "metric": "EvaluationMetricAccuracyTop5"},
         "images": [\#(images)], "labels": []}
        """#.utf8)
    }
    try folder.write(test(["inside/7.png", "way-out/other/7.png"]), to: "photos/test.json")
    try await Self.check(folder, layout: "test_bundle", failed: 1)
    for path in ["../../etc/passwd", "/etc/passwd", "\(folder.path)/secret/other/7.png"] {
      try folder.write(test(["inside/7.png", path]), to: "photos/test.json")
      try await WebFixture.testDemo(folders: [folder.path + "/photos"]) { client in
        let response = try await client.send(
          .post, "evaluations", json: Self.request("photos"), expects: 422)
        try #expect(response.code == "invalid_dataset")
        let upload = try await client.upload(folder.path + "/photos", as: "photos")
        try await client.send(
          .post, "evaluations", json: ["models": ["digits"], "upload": upload], expects: 422)
      }
    }
  }

  @Test func `COCO annotations can't name images outside the folder`() async throws {
    let folder = try Self.folder()
    let outside = ["../secret/other/7.png", "\(folder.path)/secret/other/7.png", "/etc/passwd"]
    let images = (["inside/7.png"] + outside).enumerated().map {
      #"{"id": \#($0.offset), "file_name": "\#($0.element)"}"#
    }
    try folder.write(
      Data(#"{"images": [\#(images.joined(separator: ","))]}"#.utf8), to: "photos/coco.json")
    try await Self.check(folder, layout: "coco", failed: outside.count)
  }

  @Test func `a list that links to a file outside the folder isn't read`() async throws {
    let folder = try Self.folder()
    try folder.write(Data("SECRET,1,2\n".utf8), to: "secret/list.csv")
    try folder.write(Data("SECRET".utf8), to: "secret/test.json")
    for name in ["list.csv", "test.json", "coco.json"] {
      try folder.link(
        "photos/inside/" + name,
        to: folder.path + "/secret/" + name.replacing("coco", with: "test"))
      try await WebFixture.testDemo(folders: [folder.path + "/photos"]) { client in
        let answer = try await client.execute(
          uri: "/api/v1/evaluations", method: .post, headers: [.contentType: "application/json"],
          body: ByteBuffer(bytes: Self.request("photos/inside").encoded()))
        #expect(!String(buffer: answer.body).contains("SECRET"))
      }
      try FileManager.default.removeItem(atPath: folder.path + "/photos/inside/" + name)
    }
  }

  @Test func `class maps behind a link aren't read`() async throws {
    let folder = try TestFolder()
    try folder.write(FileSystem.read(Self.digit), to: "photos/images/7.png")
    try folder.write(FileSystem.read(Self.digit), to: "secret/7.png")
    try folder.link("photos/masks", to: folder.path + "/secret")
    try await WebFixture.testDemo(folders: [folder.path + "/photos"]) { client in
      let id = try await client.evaluate(["folder": "photos"])
      let answer = try await client.end(of: id)
      #expect(answer["evaluation"]["dataset"]["has_truth"].bool == false)
    }
  }
}
#endif
