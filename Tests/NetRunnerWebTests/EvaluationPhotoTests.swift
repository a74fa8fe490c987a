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
import TensorIOImageCodecs
import TensorIOLiteRT
import TestSupport
import Testing

@testable import NetRunnerWeb

/// The rows, drawings and latencies of an evaluation of detectors.
///
/// The detector's fixture looks for objects in the quarters of an image. The first four pixels of the
/// left edge have the scores of cats in green and of dogs in blue.
@Suite struct EvaluationPhotoTests {
  /// The scores of cats and dogs in each quarter.
  private typealias Scores = [(cat: UInt8, dog: UInt8)]

  private static let photos: [(name: String, scores: Scores)] = [
    ("a.png", [(230, 0), (0, 200), (0, 0), (0, 0)]),
    ("b.png", [(230, 0), (0, 90), (0, 0), (0, 0)]),
    ("c.png", [(0, 0), (0, 0), (210, 0), (0, 220)]),
  ]

  /// Writes the models, photos and COCO annotations.
  ///
  /// Each photo has a cat in its upper left quarter.
  private static func makeFolder() throws -> TestFolder {
    let folder = try TestFolder()
    for (id, threshold) in [("keen", 0.3), ("strict", 0.6)] {
      let bundle = "models/\(id).tiobundle/"
      try folder.write(
        FileSystem.read(Python.root.path + "/Tests/Fixtures/Models/detector.tflite"),
        to: bundle + "model.tflite")
      try folder.write("cat\ndog\n", to: bundle + "assets/labels.txt")
      try folder.write(
        """
        {"name": "\(id)", "details": "", "id": "\(id)", "version": "1", "author": "", "license": "",
         "model": {"file": "model.tflite", "quantized": false, "type": "image.detection"},
         "inputs": [{"name": "image", "type": "image", "shape": [8, 8, 3], "format": "RGB",
           "crop": "stretch", "normalize": {"standard": "[0,1]"}}],
         "outputs": [
           {"name": "boxes", "type": "array", "shape": [1, 4, 4], "decode": {
             "type": "tflite-postprocess", "classes": "classes", "scores": "scores",
             "count": "count", "labels": "labels.txt", "threshold": \(threshold)}},
           {"name": "classes", "type": "array", "shape": [1, 4]},
           {"name": "scores", "type": "array", "shape": [1, 4]},
           {"name": "count", "type": "array", "shape": [1]}]}
        """, to: bundle + "model.json")
    }
    for (name, scores) in photos {
      var bytes = [UInt8](repeating: 0, count: 8 * 8 * 3)
      for (row, score) in scores.enumerated() {
        bytes[row * 24 + 1] = score.cat
        bytes[row * 24 + 2] = score.dog
      }
      let image = PixelBuffer(width: 8, height: 8, format: .rgb, bytes: bytes)
      try folder.write(Data(ImageEncoder().encode(image, as: .png)), to: "photos/" + name)
    }
    let images = photos.indices.map {
      #"{"id": \#($0), "file_name": "\#(photos[$0].name)", "width": 8, "height": 8}"#
    }
    let objects = photos.indices.map {
      #"{"id": \#($0 + 1), "image_id": \#($0), "category_id": 1, "bbox": [0, 0, 4, 4], "area": 16, "iscrowd": 0}"#
    }
    try folder.write(
      """
      {"images": [\(images.joined(separator: ","))], "annotations": [\(objects.joined(separator: ","))],
       "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]}
      """, to: "photos/instances.json")
    return folder
  }

  private static func test(
    _ body: @escaping @Sendable (any TestClientProtocol, String) async throws -> Void
  ) async throws {
    let folder = try makeFolder()
    let fixture = try WebFixture()
    fixture.options.models = folder.path + "/models"
    fixture.options.includesShippedModels = false
    fixture.options.folders = [folder.path + "/photos"]
    try await fixture.test { client in
      let id = try await client.evaluate(["folder": "photos"], with: ["keen", "strict"])
      let answer = try await client.end(of: id)
      #expect(answer["evaluation"]["state"].text == "done", "\(answer)")
      try await body(client, id)
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `rows have their mistakes, and the worst come first`() async throws {
    try await Self.test { client, id in
      let path = "evaluations/\(id)/rows?model=keen"
      let rows = try await client.send(.get, path).json["rows"].elements
      #expect(rows.map { $0["comparison"]["found"].double } == [1, 1, 0])
      #expect(rows.map { $0["comparison"]["missed"].double } == [0, 0, 1])
      #expect(rows.map { $0["comparison"]["false"].double } == [1, 1, 2])
      #expect(rows.allSatisfy { $0["shapes"] == .null && $0["comparison"]["shapes"] == .null })
      let worst = try await client.send(.get, path + "&order=worst").json["rows"].elements
      #expect(worst.map { $0["image"].text } == ["c.png", "a.png", "b.png"])
      let wrong = try await client.send(.get, "evaluations/\(id)/rows?model=strict&only=wrong").json
      #expect(wrong["rows"].elements.map { $0["image"].text } == ["a.png", "c.png"])
      try await client.send(.get, path + "&order=best", expects: 400)
    }
  }

  @Test func `models disagree about the photos that they answer differently`() async throws {
    try await Self.test { client, id in
      let rows = try await client.send(
        .get, "evaluations/\(id)/rows?model=keen&only=disagree"
      ).json
      // The dog of b.png has a score of 0.35, which only one model reports.
      #expect(rows["rows"].elements.map { $0["image"].text } == ["b.png"])
      #expect(rows["count"].double == 1)
    }
  }

  @Test func `rows have shapes if they are requested, for at most 60 rows`() async throws {
    try await Self.test { client, id in
      let path = "evaluations/\(id)/rows?model=keen&shapes=true"
      let shapes = try await client.send(.get, path).json["rows"][2]["shapes"]
      #expect(shapes["width"].double == 8 && shapes["height"].double == 8)
      #expect(shapes["truth"].elements.map { $0["state"].text } == ["missed"])
      #expect(shapes["truth"][0]["label"].text == "cat")
      #expect(shapes["predicted"].elements.map { $0["state"].text } == ["false", "false"])
      try await client.send(.get, path + "&limit=61", expects: 400)
      try await client.send(.get, "evaluations/\(id)/rows?shapes=maybe", expects: 400)
    }
  }

  @Test func `a photo has the answers of all models`() async throws {
    try await Self.test { client, id in
      let photo = try await client.send(.get, "evaluations/\(id)/photos/1").json
      #expect(photo["image"].text == "b.png" && photo["complete"].bool == true)
      #expect(photo["answers"].elements.map { $0["model"].text } == ["keen", "strict"])
      #expect(
        photo["answers"].elements.map { $0["shapes"]["predicted"].elements.count } == [2, 1])
      for index in ["3", "-1", "x", "99999999999999999999"] {
        #expect(
          try await client.send(.get, "evaluations/\(id)/photos/\(index)", expects: 404).code
            == "sample_not_found")
      }
      try await client.send(.get, "evaluations/none/photos/1", expects: 404)
    }
  }

  @Test func `latencies are those of the model's rows`() async throws {
    try await Self.test { client, id in
      let path = "evaluations/\(id)/"
      let times = try await client.send(.get, path + "latencies?model=strict").json["total_us"]
      let rows = try await client.send(.get, path + "rows?model=strict").json["rows"].elements
      #expect(
        times.elements.map(\.double)
          == rows.map { ($0["latency_ms"]["total"].double ?? 0) * 1000 }.map { $0.rounded() })
      let all = try await client.send(.get, path + "latencies").json["total_us"]
      #expect(all.elements.count == 6)
    }
  }

  @Test func `the report has a confusion matrix of objects, and draws them`() async throws {
    try await Self.test { client, id in
      let report = try await client.send(.get, "evaluations/\(id)").json["report"]
      let matrix = report["models"][0]["metrics"]["detection"]["confusion"]
      #expect(matrix["labels"].elements.map(\.text) == ["cat", "dog", "background"])
      #expect(matrix["counts"][0].elements.map(\.double) == [2, 0, 1])
      #expect(matrix["counts"][2].elements.map(\.double) == [1, 3, 0])
      let html = try await client.send(.get, "evaluations/\(id)/export?format=html")
      let page = String(buffer: html.body)
      #expect(page.contains("predicted false") && page.contains("truth missed"))
      #expect(page.contains("Confusion matrix"))
    }
  }
}
#endif
