// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

/// Tests COCO's annotations.
@Suite struct DatasetCOCOTests {
  private static let good = """
    {
      "info": {"year": 2017}, "licenses": [],
      "images": [
        {"id": 7, "file_name": "b.jpg", "width": 10, "height": 20},
        {"id": 3, "file_name": "a.jpg", "width": 10, "height": 20},
        {"id": 4, "file_name": "c.jpg", "width": 10, "height": 20}
      ],
      "annotations": [
        {"id": 1, "image_id": 3, "category_id": 18, "bbox": [1, 2.5, 3, 4], "area": 9.5,
         "iscrowd": 0, "segmentation": [[1, 2, 3, 4]]},
        {"id": 2, "image_id": 7, "category_id": 1, "bbox": [0, 0, 5, 5], "iscrowd": 1},
        {"id": 3, "image_id": 3, "category_id": 1, "bbox": [0, 0, 0, 0]}
      ],
      "categories": [{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}]
    }
    """
  private static let labels = """
    {"images": [{"id": "x", "file_name": "a.jpg"}, {"id": "y", "file_name": "b.jpg"}],
     "annotations": [{"image_id": "y", "category_id": 2, "bbox": []}],
     "categories": [{"id": 2, "name": "cat"}]}
    """

  private func read(_ text: String) throws -> Dataset {
    try DatasetFolder(["c.json": text]).dataset("c.json")
  }

  @Test func `boxes have the names of their categories`() throws {
    let dataset = try read(Self.good)
    #expect(dataset.layout == .coco)
    #expect(dataset.ids == ["b.jpg", "a.jpg", "c.jpg"])
    #expect(
      dataset.truths == [
        .boxes([
          GroundTruthBox(label: "person", box: Box(x: 0, y: 0, width: 5, height: 5), isCrowd: true)
        ]),
        .boxes([
          GroundTruthBox(label: "dog", box: Box(x: 1, y: 2.5, width: 3, height: 4), area: 9.5),
          GroundTruthBox(label: "person", box: Box(x: 0, y: 0, width: 0, height: 0)),
        ]),
        .boxes([]),
      ])
    #expect(
      dataset.notes.first == "read as COCO annotations: 3 images, 3 boxes of 2 classes")
  }

  @Test func `keypoints have the names of their category, and are the default metric`() throws {
    let posed = Self.good.replacing(
      "\"name\": \"dog\"", with: "\"name\": \"dog\", \"keypoints\": [\"nose\", \"tail\"]"
    ).replacing("\"area\": 9.5", with: "\"area\": 9.5, \"keypoints\": [1, 2.5, 2, 0, 0, 0]")
    let dataset = try read(posed)
    guard case .boxes(let boxes)? = dataset.truths[1] else {
      Issue.record("\(dataset.truths)")
      return
    }
    #expect(
      boxes[0].keypoints == [
        GroundTruthKeypoint(name: "nose", x: 1, y: 2.5),
        GroundTruthKeypoint(name: "tail", x: 0, y: 0, isLabelled: false),
      ])
    #expect(boxes[1].keypoints == nil)
    #expect(
      dataset.notes.first
        == "read as COCO annotations: 3 images, 3 boxes of 2 classes, 1 with keypoints")
    #expect(EvaluationOptions().metricNames(for: dataset) == ["keypoints"])
    #expect(EvaluationOptions().metricNames(for: try read(Self.good)) == ["detection"])
    #expect(try dataset.sha256() != read(Self.good).sha256())
    let unlabelled = try read(posed.replacing("2.5, 2, 0", with: "2.5, 0, 0"))
    #expect(try dataset.sha256() != unlabelled.sha256())
    for wrong in ["[1, 2, 2]", "[1, 2, 2, 3, 4]", "[1, 2, 2, 3, 4, 5, 6, 7, 8]"] {
      let error = #expect(throws: TensorIOError.self) {
        try read(posed.replacing("[1, 2.5, 2, 0, 0, 0]", with: wrong))
      }
      #expect(
        error?.message.contains("the keypoints of annotation 1 must be x, y and v for each of 2")
          == true)
    }
  }

  private static let panoptic = """
    {"images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}],
     "annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": [
       {"id": 66051, "category_id": 5, "area": 9, "iscrowd": 0, "bbox": [1, 2, 3, 4]},
       {"id": 7, "category_id": 2, "iscrowd": 1}]}],
     "categories": [{"id": 2, "name": "cat", "isthing": 1}, {"id": 5, "name": "sky", "isthing": 0}]}
    """

  @Test func `segments are in the folder with the file's name or beside the file`() throws {
    let folder = try DatasetFolder(["c.json": Self.panoptic, "c/a.png": ""])
    let dataset = try folder.dataset("c.json")
    let segments = GroundTruthSegments(
      path: folder.path + "/c/a.png",
      segments: [.init(id: 66051, classIndex: 1), .init(id: 7, classIndex: 0, isCrowd: true)],
      classes: [.init(name: "cat", isThing: true), .init(name: "sky", isThing: false)])
    #expect(dataset.layout == .coco)
    #expect(dataset.truths == [.segments(segments), nil])
    #expect(
      dataset.notes.first
        == "read as COCO's panoptic annotations: 2 images, 2 segments of 2 classes")
    #expect(EvaluationOptions().metricNames(for: dataset) == ["panoptic"])
    let beside = try DatasetFolder(["c.json": Self.panoptic, "a.png": ""])
    guard case .segments(let found)? = try beside.dataset("c.json").truths[0] else {
      Issue.record("The image has no segments.")
      return
    }
    #expect(found.path == beside.path + "/a.png")
    #expect(try read(Self.panoptic).notes.contains { $0.contains("was not found in") })
    let crowd = try DatasetFolder([
      "c.json": Self.panoptic.replacing("\"iscrowd\": 0", with: "\"iscrowd\": 1"), "c/a.png": "",
    ])
    #expect(try dataset.sha256() != crowd.dataset("c.json").sha256())
  }

  @Test(arguments: [
    ("\"id\": 7,", "\"id\": 66051,", "needs an id of its own"),
    ("\"id\": 7,", "\"id\": 0,", "needs an id of its own"),
    ("\"id\": 7,", "\"id\": 16777216,", "from 1 to 16777215, but one has 16777216"),
    ("\"category_id\": 2", "\"category_id\": 3", "has the category 3, which the file doesn't list"),
    ("\"file_name\": \"a.png\", ", "", "the file_name of a PNG file"),
    (
      "\"annotations\": [", "\"annotations\": [{\"image_id\": 2, \"category_id\": 2}, ",
      "as all ann"
    ),
  ])
  func `segments that aren't clear are errors`(part: String, other: String, message: String) {
    let error = #expect(throws: TensorIOError.self) {
      try read(Self.panoptic.replacing(part, with: other))
    }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `annotations without boxes give the images' classes`() throws {
    let dataset = try read(Self.labels)
    #expect(dataset.truths == [nil, .label("cat")])
    let twice = Self.labels.replacing(
      "\"annotations\": [",
      with: "\"annotations\": [{\"image_id\": \"y\", \"category_id\": 2},")
    let error = #expect(throws: TensorIOError.self) { try read(twice) }
    #expect(error?.message.contains("'y' has several annotations") == true)
  }

  @Test func `missing annotations mean no labels, and an empty list means no objects`() throws {
    let images = "{\"images\": [{\"id\": 1, \"file_name\": \"a.jpg\"}]"
    try #expect(read(images + "}").truths == [nil])
    try #expect(read(images + ", \"annotations\": [], \"categories\": []}").truths == [.boxes([])])
  }

  @Test(arguments: [
    (
      "\"file_name\": \"b.jpg\"", "\"name\": \"b.jpg\"",
      "images[0] lacks the required key \"file_name\""
    ),
    ("\"id\": 3, \"file_name\"", "\"id\": 7, \"file_name\"", "images[1] has the id 7"),
    ("\"id\": 7", "\"id\": [7]", "images[0].id"),
    ("\"a.jpg\"", "\"b.jpg\"", "two images 'b.jpg'"),
    ("\"a.jpg\"", "\"\"", "images[1].file_name is empty or isn't a valid file name"),
    ("[1, 2.5, 3, 4]", "[1, 2.5, 3]", "bbox of annotation 1"),
    ("[1, 2.5, 3, 4]", "[1, 2.5, -3, 4]", "bbox of annotation 1"),
    ("[1, 2.5, 3, 4]", "[1, 2.5, \"x\", 4]", "annotations[0].bbox[2]"),
    ("[1, 2.5, 3, 4]", "[]", "annotation 1 has none"),
    ("\"area\": 9.5", "\"area\": -1", "area of annotation 1"),
    ("\"iscrowd\": 0", "\"iscrowd\": 2", "annotations[0].iscrowd"),
    ("\"category_id\": 18", "\"category_id\": 99", "annotation 1 has the category 99"),
    ("\"id\": 18, \"name\"", "\"id\": 1, \"name\"", "categories[1] has the id 1"),
    ("\"name\": \"dog\"", "\"name\": \"person\"", "both named 'person'"),
    ("\"categories\":", "\"categorie\":", "no categories"),
    ("\"images\":", "\"pictures\":", "the document lacks the required key \"images\""),
    ("\"categories\": [", "\"categories\": [\n'", "line 15, column 1"),
  ])
  func `errors name the path of the value`(_ old: String, _ new: String, _ expected: String) throws
  {
    #expect(Self.good.contains(old))
    let error = #expect(throws: TensorIOError.self) {
      try read(Self.good.replacing(old, with: new))
    }
    #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
  }

  @Test func `annotations of images that aren't listed are noted`() throws {
    let dataset = try read(Self.good.replacing("\"image_id\": 7", with: "\"image_id\": 8"))
    #expect(dataset.truths[0] == .boxes([]))
    #expect(dataset.notes.contains { $0.hasPrefix("left out: 1 annotation of images") })
  }

  @Test(arguments: [
    ("c.json", "b.jpg"), ("c.json", "images/b.jpg"),
    ("annotations/instances_val2017.json", "val2017/b.jpg"),
    ("annotations/instances_val2017.json", "images/val2017/b.jpg"),
    ("annotations/c.json", "images/b.jpg"),
  ])
  func `images are searched for next to the file`(_ file: String, _ image: String) throws {
    let folder = try DatasetFolder([file: Self.good, image: ""])
    let source = try folder.dataset(file).samples[0].source.id
    #expect(FileSystem.isFile(source))
  }

  @Test func `the time to read a file grows linearly with its size`() throws {
    let ratio = try processorTimeRatio(
      below: 30, of: { try secondsToRead(20_000) }, to: { try secondsToRead(2000) })
    #expect(ratio < 30)
  }

  /// The processor time for a number of images with five boxes each.
  private func secondsToRead(_ count: Int) throws -> Double {
    var text = "{\"images\": ["
    for image in 0..<count {
      text += "\(image == 0 ? "" : ",\n"){\"id\": \(image), \"file_name\": \"\(image).jpg\"}"
    }
    text += "], \"annotations\": ["
    for box in 0..<(5 * count) {
      text += "\(box == 0 ? "" : ",\n"){\"id\": \(box), \"image_id\": \(box % count), "
      text += "\"category_id\": 1, \"bbox\": [1.5, 2.25, 100.125, 7], \"area\": 3.5, "
      text += "\"iscrowd\": 0, \"segmentation\": [[1.5, 2.5, 3.5, 4.5, 5.5, 6.5]]}"
    }
    text += "], \"categories\": [{\"id\": 1, \"name\": \"a\"}]}"
    let folder = try DatasetFolder(["c.json": text])
    return try processorSeconds {
      try #expect(folder.dataset("c.json").samples.count == count)
    }
  }

  /// Outlines are only drawn, so those that can't be drawn don't make the file unreadable.
  @Test(
    arguments: [
      ("[[1, 2, 3, 4, 5, 6.5]]", [[1, 2, 3, 4, 5, 6.5]]),
      ("[[1, 2, 3, 4], [0, 0, 9, 0, 9, 9, 0, 9]]", [[0, 0, 9, 0, 9, 9, 0, 9]]),
      ("[[1, 2, 3, 4, 5, 6, 7]]", nil), ("[]", nil), ("[1, 2, 3, 4, 5, 6]", nil), ("null", nil),
      ("{\"counts\": [4, 2], \"size\": [2, 3]}", nil), ("[[\"x\"]]", nil),
    ] as [(String, [[Double]]?)])
  func `the outline of an object is its polygons`(_ text: String, _ outline: [[Double]]?) throws {
    let dataset = try read(Self.good.replacing("[[1, 2, 3, 4]]", with: text))
    guard case .boxes(let boxes) = dataset.truths[1] else {
      Issue.record("\(dataset.truths)")
      return
    }
    #expect(boxes.map(\.outline) == [outline, nil])
  }

  @Test(arguments: 0..<200)
  func `damaged annotations give an error or a dataset`(_ number: Int) throws {
    let folder = try DatasetFolder()
    try folder.write(damagedCopy(Self.good, number), to: "c.json")
    do {
      let dataset = try folder.dataset("c.json")
      #expect(Set(dataset.ids).count == dataset.samples.count)
    } catch let error as TensorIOError {
      #expect(error.message.contains("c.json"))
    }
  }
}
