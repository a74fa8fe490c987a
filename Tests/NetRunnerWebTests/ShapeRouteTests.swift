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

@Suite struct ShapeRouteTests {
  private static func document(
    _ shapes: [JSONObject], width: Int = 128, height: Int = 128
  ) -> JSONObject {
    ["width": width, "height": height, "shapes": shapes]
  }

  private static func box(_ label: String, _ box: [Double]) -> JSONObject {
    ["label": label, "box": box]
  }

  @Test func `shapes are kept with their image, listed, read and deleted`() async throws {
    let data = try TestFolder()
    let image = try WebFixture.image()
    let path = "models/digits/labels/b%20c.png"
    let photos = data.path + "/labels/digits/photos"
    try await WebFixture.testDemo(dataFolder: data.path) { client in
      let shapes = Self.document([
        Self.box("seven", [1, 2, 10.5, 12]),
        ["label": "one", "polygon": [0.0, 0, 28, 0, 28, 28]],
      ])
      let early = try await client.send(.put, path + "/shapes", json: shapes, expects: 409)
      #expect(try early.code == "no_picture")
      let missing = try await client.send(.get, path + "/picture", expects: 404)
      #expect(try missing.code == "picture_not_found")
      try await client.send(.put, path + "/picture", image, expects: 204)
      let picture = try await client.send(.get, path + "/picture")
      #expect(Array(picture.body.readableBytesView) == image)
      let set = try await client.send(.put, path + "/shapes", json: shapes).json
      #expect(try await client.send(.get, path + "/shapes").json == set)
      #expect(set["shapes"][0]["box"][2].double == 10.5)
      #expect(set["shapes"][1]["polygon"].elements.count == 6)
    }
    // The shapes are still there after a restart.
    try await WebFixture.testDemo(dataFolder: data.path) { client in
      let list = try await client.send(.get, "models/digits/labels").json
      #expect(list["count"].double == 0)
      let entry: [String: JSONValue] = [
        "photo": .string("b c.png"), "shapes": .number(2), "bytes": .number(Double(image.count)),
      ]
      #expect(list["annotated"] == .array([.object(entry)]))
      // A label is deleted without the shapes, and the other way round.
      try await client.send(.put, path + "?label=seven", image)
      try await client.send(.delete, path, expects: 204)
      #expect(try FileSystem.contents(of: photos) == ["b c.png"])
      try await client.send(.put, path + "?label=seven", image)
      try await client.send(.delete, path + "/shapes", expects: 204)
      #expect(try await client.send(.get, "models/digits/labels").json["count"].double == 1)
      let gone = try await client.send(.delete, path + "/shapes", expects: 404)
      #expect(try gone.code == "shapes_not_found")
      #expect(
        try await client.send(.get, path + "/shapes", expects: 404).code == "shapes_not_found")
      try await client.send(.delete, path, expects: 204)
      #expect(try FileSystem.contents(of: photos).isEmpty)
    }
  }

  @Test func `another image of the same name has none of the labels`() async throws {
    let path = "models/digits/labels/a.png"
    let images = try ["digit-7-01.png", "digit-6-01.png"].map(WebFixture.image)
    try await WebFixture.testDemo { client in
      try await client.send(.put, path + "?label=seven", images[0])
      try await client.send(
        .put, path + "/shapes", json: Self.document([Self.box("seven", [1, 1, 5, 5])]))
      try await client.send(.put, path + "/picture", images[0], expects: 204)
      #expect(try await client.send(.get, "models/digits/labels").json["count"].double == 1)
      try await client.send(.put, path + "/picture", images[1], expects: 204)
      let list = try await client.send(.get, "models/digits/labels").json
      #expect(list["count"].double == 0)
      #expect(list["annotated"] == .array([]))
    }
  }

  @Test func `invalid shapes are refused with the reason`() async throws {
    let image = try WebFixture.image()
    try await WebFixture.testDemo { client in
      let path = "models/digits/labels/a.png/shapes"
      try await client.send(.put, "models/digits/labels/a.png/picture", image, expects: 204)
      for (shape, status, words) in [
        (Self.box("horse", [0, 0, 5, 5]), 422, "isn't a label"),
        (Self.box("", [0, 0, 5, 5]), 400, "shapes[0].label"),
        (Self.box("one", [0, 0, 5]), 400, "shapes[0].box"),
        (Self.box("one", [0, 0, 0, 5]), 400, "more than 0"),
        (Self.box("one", [-1, 0, 5, 5]), 400, "inside the image"),
        (Self.box("one", [120, 0, 9, 5]), 400, "inside the image"),
        (["label": "one", "polygon": [0.0, 0, 5, 5]], 400, "3 to"),
        (["label": "one", "polygon": [0.0, 0, 5, 5, 9]], 400, "3 to"),
        (["label": "one", "polygon": [0.0, 0, 5, 5, 9, 9]], 400, "no area"),
        (["label": "one", "polygon": "round"], 400, "must be an array"),
        (["label": "one", "box": ["x", "y", "z", "w"]], 400, "only numbers"),
        (["label": "one"], 400, "either 'box' or 'polygon'"),
        (["label": "one", "box": [0, 0, 5, 5], "polygon": [0, 0, 5, 5, 9, 0]], 400, "either"),
      ] as [(JSONObject, Int, String)] {
        let response = try await client.send(
          .put, path, json: Self.document([shape]), expects: status)
        #expect(String(buffer: response.body).contains(words), "\(words)")
      }
      let size = try await client.send(
        .put, path, json: Self.document([], width: 129), expects: 422)
      #expect(try size.code == "wrong_size")
      let many = Array(repeating: Self.box("one", [0, 0, 5, 5]), count: 1001)
      try await client.send(.put, path, json: Self.document(many), expects: 400)
      try await client.send(.put, path, json: ["width": 128, "height": 128], expects: 400)
      try await client.send(.put, path, text: "{}", expects: 415)
      try await client.send(
        .put, "models/digits/labels/..%2Fa.png/shapes", json: Self.document([]), expects: 400)
      try await client.send(
        .put, "models/digits/labels/a.png/picture", [1, 2, 3], expects: 400)
      #expect(
        try await client.send(.get, "models/digits/labels").json["annotated"] == .array([]))
    }
  }

  @Test func `positions are in the pixels of the upright image`() async throws {
    // The header says that the image is 29 pixels wide and 19 high, and that it must be turned.
    let turned = try WebFixture.turnedJPEG()
    let path = "models/digits/labels/turned.jpg"
    try await WebFixture.testDemo { client in
      try await client.send(.put, path + "/picture", turned, expects: 204)
      try await client.send(
        .put, path + "/shapes", json: Self.document([], width: 29, height: 19), expects: 422)
      try await client.send(
        .put, path + "/shapes",
        json: Self.document([Self.box("one", [0, 0, 19, 29])], width: 19, height: 29))
    }
  }

  @Test func `shapes are exported as COCO annotations with the images`() async throws {
    let output = try TestFolder()
    let images = try ["digit-7-01.png", "digit-6-01.png"].map(WebFixture.image)
    try await WebFixture.testDemo { client in
      let labels = "models/digits/labels"
      let export = labels + "/export?format=coco"
      #expect(try await client.send(.get, export, expects: 404).code == "no_labels")
      for (name, image) in zip(["a b.png", "empty.png"], images) {
        let path = labels + "/" + name.replacing(" ", with: "%20")
        try await client.send(.put, path + "/picture", image, expects: 204)
        let shapes: [JSONObject] =
          name == "empty.png"
          ? []
          : [
            Self.box("seven", [1, 2, 10, 12]),
            ["label": "one", "polygon": [0.0, 0, 10, 0, 10, 10]],
          ]
        try await client.send(.put, path + "/shapes", json: Self.document(shapes))
      }
      let zip = try await client.send(.get, export)
      #expect(zip.headers[.contentDisposition] == #"attachment; filename="digits-coco.zip""#)
      try output.write(Data(zip.body.readableBytesView), to: "coco.zip")
    }
    let names = try await LabelRouteTests.unpack("coco.zip", in: output.path)
    #expect(
      names == [
        "digits-coco/annotations.json", "digits-coco/images/a b.png",
        "digits-coco/images/empty.png",
      ])
    let file = output.path + "/digits-coco/annotations.json"
    let document = try JSONValue(parsing: FileSystem.read(file))
    #expect(document["categories"].elements.map { $0["name"].text } == ["one", "seven"])
    #expect(document["categories"].elements.map { $0["id"].double } == [2, 8])
    let annotations = document["annotations"].elements
    #expect(annotations.map { $0["area"].double } == [120, 50])
    #expect(annotations[0]["segmentation"][0].elements.count == 8)
    #expect(annotations[1]["bbox"].elements.map(\.double) == [0, 0, 10, 10])
    let dataset = try Dataset(contentsOf: file)
    #expect(dataset.layout == .coco)
    #expect(dataset.samples.map(\.id) == ["a b.png", "empty.png"])
    guard case .boxes(let boxes)? = dataset.samples[0].truth,
      case .boxes(let none)? = dataset.samples[1].truth
    else {
      Issue.record("The images have no boxes.")
      return
    }
    #expect(boxes.map(\.label) == ["seven", "one"])
    #expect(none.isEmpty)
    #expect(
      dataset.samples.allSatisfy {
        if case .file(let path) = $0.source { FileSystem.isFile(path) } else { false }
      })
  }

  @Test func `what was labelled becomes an upload that is evaluated`() async throws {
    let image = try WebFixture.image()
    try await WebFixture.testDemo { client in
      let labels = "models/digits/labels"
      #expect(
        try await client.send(.post, labels + "/export", expects: 404).code == "no_labels")
      try await client.send(.put, labels + "/a.png?label=seven", image)
      try await client.send(.post, labels + "/export?format=zip", expects: 400)
      try await client.send(.post, labels + "/export?format=coco", expects: 404)
      let answer = try await client.send(.post, labels + "/export", expects: 201).json
      let upload = try #require(answer["upload"]["id"].text)
      let id = try await client.evaluate(["upload": upload])
      let report = try await client.end(of: id)
      #expect(report["evaluation"]["state"].text == "done", "\(report)")
      #expect(report["report"]["models"][0]["labelled"].double == 1)
      try await client.send(
        .put, labels + "/a.png/shapes", json: Self.document([Self.box("seven", [1, 2, 9, 9])]))
      let coco = try await client.send(.post, labels + "/export?format=coco", expects: 201).json
      #expect(coco["upload"]["files"].double == 4)
    }
  }
}

extension WebFixture {
  /// A JPEG of 29 x 19 stored pixels whose EXIF data says that it must be turned by 90°.
  fileprivate static func turnedJPEG() throws -> [UInt8] {
    try Array(
      FileSystem.read("\(Python.root.path)/Tests/Fixtures/Images/orientation-6.jpg"))
  }
}
#endif
