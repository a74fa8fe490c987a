// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import NetRunner

/// Tests folders with a table or with COCO annotations.
@Suite struct DatasetListingTests {
  private static let coco = """
    {"images": [{"id": 1, "file_name": "a.jpg"}],
     "annotations": [{"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4]}],
     "categories": [{"id": 2, "name": "cat"}]}
    """

  @Test(arguments: [
    ("", "annotations.json", "images/"), ("", "coco.json", ""),
    ("", "annotations/instances.json", ""), ("export/", "annotations.json", "images/"),
    ("unpacked/export/", "annotations.json", "images/"),
  ])
  func `a folder with one file of annotations has their truth`(
    folder: String, file: String, images: String
  ) throws {
    let files = try DatasetFolder([
      folder + file: Self.coco, folder + images + "a.jpg": "", folder + images + "b.jpg": "",
      "__MACOSX/x": "", ".DS_Store": "",
    ])
    for layout in [nil, Dataset.Layout.coco] {
      let dataset = try files.dataset(layout: layout)
      #expect(dataset.layout == .coco)
      #expect(dataset.ids == ["a.jpg"])
      #expect(dataset.path == files.path + "/" + folder + file)
      #expect(dataset.samples[0].source.id.hasSuffix(folder + images + "a.jpg"))
      var labels: [String] = []
      if case .boxes(let boxes) = dataset.truths[0] { labels = boxes.map(\.label) }
      #expect(labels == ["cat"])
      let name = layout == nil ? file : FileSystem.name(of: file)
      #expect(dataset.notes.first == "read with the annotations in '\(name)'")
    }
  }

  @Test func `several files of annotations are named`() throws {
    let files = try DatasetFolder([
      "photos/annotations/val.json": Self.coco, "photos/annotations/train.json": Self.coco,
      "photos/annotations/info.json": "{}", "photos/a.jpg": "",
    ])
    for layout in [nil, Dataset.Layout.coco] {
      let error = #expect(throws: TensorIOError.self) { try files.dataset(layout: layout) }
      #expect(
        error?.message.contains(
          "has 2 files of annotations: 'annotations/train.json', 'annotations/val.json'. Name one")
          == true, "\(error?.message ?? "")")
    }
  }

  @Test func `JSON files beside images aren't annotations`() throws {
    let sidecar = #"{"imagePath": "a.jpg", "shapes": []}"#
    let files = try DatasetFolder([
      "a.jpg": "", "a.json": sidecar, "b.jpg": "", "b.json": sidecar, "c.json": "not JSON",
    ])
    let dataset = try files.dataset()
    #expect(dataset.layout == .folder)
    #expect(dataset.notes == ["read as a folder of images without labels: 2 images"])
    try files.write(Self.coco, to: "truth.json")
    #expect(try files.dataset().notes.first == "read with the annotations in 'truth.json'")
    let error = #expect(throws: TensorIOError.self) {
      try DatasetFolder(["a.jpg": ""]).dataset(layout: .coco)
    }
    #expect(error?.message.contains("needs a file") == true)
  }

  @Test func `annotations that can't be read are left out`() throws {
    let files = try DatasetFolder(["a.jpg": "", "info.json": #"{"author": "x"}"#])
    let dataset = try files.dataset()
    #expect(dataset.layout == .folder)
    #expect(dataset.notes.last?.hasPrefix("left out: 'info.json': ") == true, "\(dataset.notes)")
    let alone = try DatasetFolder(["info.json": #"{"author": "x"}"#])
    let error = #expect(throws: TensorIOError.self) { try alone.dataset() }
    #expect(error?.message.contains("cannot be read as COCO annotations") == true)
  }

  @Test func `a table beside images lists them, unless none of them exists`() throws {
    let files = try DatasetFolder(["a.jpg": "", "b.jpg": "", "list.csv": "path,label\na.jpg,cat\n"])
    let dataset = try files.dataset()
    #expect(dataset.layout == .csv)
    #expect(dataset.ids == ["a.jpg"])
    #expect(dataset.notes.first == "read with the table in 'list.csv'")
    try files.write("path,label\ngone.jpg,cat\n", to: "list.csv")
    let rest = try files.dataset()
    #expect(rest.ids == ["a.jpg", "b.jpg"])
    #expect(
      rest.notes.last == "left out: the table 'list.csv': none of the files that it lists exist")
  }
}
