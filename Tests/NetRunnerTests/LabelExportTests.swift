// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

/// Tests exporting and importing labels.
@Suite struct LabelExportTests {
  private func labelled(_ labels: [String: PhotoLabel]) throws -> (DatasetFolder, LabelStore) {
    let folder = try DatasetFolder()
    let store = try LabelStore(path: folder.path + "/labels.sqlite")
    for (photo, label) in labels.sorted(by: { $0.key < $1.key }) {
      try folder.write("bytes of \(photo)", to: photo)
      try store.setLabel(label, of: folder.path + "/" + photo, for: "m")
    }
    return (folder, store)
  }

  private static let texts: [String: PhotoLabel] = [
    "a.jpg": .text("rocking chair"), "sub/é 'q\" ,;\n.png": .text(" spaced, \"quoted\"\nlines "),
    "b.jpg": .text("7"),
  ]

  @Test(arguments: [
    texts, ["a.jpg": .numbers([0.1, -3e300]), "b.jpg": .numbers([1, 2])],
    ["a.jpg": .numbers([2]), "b.jpg": .numbers([0.1])],
  ])
  func `test bundles and tables are read back as the same labels`(
    _ labels: [String: PhotoLabel]
  ) throws {
    let (folder, store) = try labelled(labels)
    for name in ["Photos.testbundle", "sheet.csv", "sub folder/sheet.csv"] {
      let path = folder.path + "/" + name
      try FileManager.default.createDirectory(
        atPath: FileSystem.folder(of: path), withIntermediateDirectories: true)
      let written = try store.export("m", to: path)
      #expect(written == LabelTransfer(count: labels.count, notes: []))
      let dataset = try Dataset(contentsOf: path)
      #expect(dataset.truths == (try store.labels(for: "m")).map(\.label.truth))
      for sample in dataset.samples {
        let bytes = try FileSystem.read(sample.source.id)
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("bytes of "))
      }
      // No other files remain.
      let names = try FileManager.default.contentsOfDirectory(
        atPath: FileSystem.folder(of: path))
      #expect(!names.contains { $0.hasPrefix(".") })
    }
    let bundle = try folder.dataset("Photos.testbundle")
    #expect(bundle.modelIDs == ["m"])
    #expect(bundle.id == "Photos")
  }

  @Test func `nothing is overwritten without permission`() throws {
    let (folder, store) = try labelled(Self.texts)
    for name in ["x.testbundle", "x.csv", "x.zip"] {
      let path = folder.path + "/" + name
      try store.export("m", to: path)
      let error = #expect(throws: TensorIOError.self) { try store.export("m", to: path) }
      #expect(error?.code == .fileExists)
      var options = LabelExportOptions()
      options.replaces = true
      if name == "x.testbundle" { try folder.write("left over", to: name + "/old.txt") }
      try store.export("m", to: path, options: options)
    }
    #expect(!FileSystem.isFile(folder.path + "/x.testbundle/old.txt"))
    try #expect(folder.dataset("x.testbundle").samples.count == 3)
  }

  @Test func `missing and replaced photos are omitted and noted`() throws {
    let (folder, store) = try labelled(Self.texts)
    try FileManager.default.removeItem(atPath: folder.path + "/a.jpg")
    try folder.write("other", to: "b.jpg")
    let written = try store.export("m", to: folder.path + "/x.testbundle")
    #expect(written.count == 1)
    #expect(written.notes.count == 2)
    try FileManager.default.removeItem(atPath: folder.path + "/sub")
    let error = #expect(throws: TensorIOError.self) {
      try store.export("m", to: folder.path + "/y.testbundle")
    }
    #expect(error?.message.contains("None of the 3 labelled photos") == true)
    #expect(throws: TensorIOError.self) {
      try store.export("unknown", to: folder.path + "/y.testbundle")
    }
    #expect(throws: TensorIOError.self) { try store.export("m", to: folder.path + "/y.txt") }
    #expect(throws: TensorIOError.self) { try store.export("m", to: folder.path + "/no/y.csv") }
    try #expect(
      FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
        "b.jpg", "labels.sqlite", "labels.sqlite-shm", "labels.sqlite-wal", "x.testbundle",
      ])
  }

  @Test(arguments: [
    ["a.jpg": PhotoLabel.text("1.5"), "b.jpg": .text("2.5")],
    ["a.jpg": .numbers([1]), "b.jpg": .numbers([1, 2])],
    ["a.jpg": .numbers([1]), "b.jpg": .text("cat")],
  ])
  func `labels that a table can't hold are rejected`(_ labels: [String: PhotoLabel]) throws {
    let (folder, store) = try labelled(labels)
    let error = #expect(throws: TensorIOError.self) {
      try store.export("m", to: folder.path + "/x.csv")
    }
    #expect(error?.message.contains("cannot be written as a table") == true)
    #expect(!FileSystem.isFile(folder.path + "/x.csv"))
    try store.export("m", to: folder.path + "/x.testbundle")
  }

  @Test func `photos from other folders get unique names`() throws {
    let (folder, store) = try labelled(["o.jpg": .text("in")])
    let first = try DatasetFolder(["o.jpg": "1"])
    let second = try DatasetFolder(["o.jpg": "2"])
    try store.setLabel(.text("first"), of: first.path + "/o.jpg", for: "m")
    try store.setLabel(.text("second"), of: second.path + "/o.jpg", for: "m")
    try first.link("link.jpg", to: "o.jpg")
    try store.setLabel(.text("link"), of: first.path + "/link.jpg", for: "m")
    try store.export("m", to: folder.path + "/x.testbundle")
    let dataset = try folder.dataset("x.testbundle")
    #expect(Set(dataset.ids).count == 4)
    var found: [String: String] = [:]
    for sample in dataset.samples {
      guard case .label(let label) = sample.truth else { continue }
      found[label] = String(decoding: try FileSystem.read(sample.source.id), as: UTF8.self)
    }
    #expect(found == ["in": "bytes of o.jpg", "first": "1", "second": "2", "link": "1"])
    try FileManager.default.removeItem(atPath: first.path + "/o.jpg")
    try FileManager.default.removeItem(atPath: first.path + "/link.jpg")
    try #expect(FileSystem.read(folder.path + "/x.testbundle/images/link.jpg").count == 1)
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `Python can read the zip file`() async throws {
    var labels = Self.texts
    labels["n.jpg"] = .numbers([0.5, 2])
    labels["one.jpg"] = .numbers([3])
    let (folder, store) = try labelled(labels)
    try store.export("m", to: folder.path + "/x.zip")
    let output = try await Python.run([
      "-c",
      """
      import json, sys, zipfile
      with zipfile.ZipFile(sys.argv[1]) as z:
          assert z.testzip() is None
          labels = json.loads(z.read("labels.json"))
          print(json.dumps([[z.namelist(), ""]] + [[[l["id"], l.get("classification", l.get("values"))],
              z.read(l["id"]).decode()] for l in labels], sort_keys=True))
      """, folder.path + "/x.zip",
    ])
    guard case .array(let rows) = try JSONValue(parsing: Data(output.utf8)) else {
      Issue.record("There is no array.")
      return
    }
    let sorted = labels.sorted { ImageFolder.precedes($0.key, $1.key) }
    #expect(rows.count == labels.count + 1)
    #expect(
      rows[0]
        == .array([
          .array([.string("labels.json")] + sorted.map { .string("images/\($0.key)") }),
          .string(""),
        ]))
    for (row, item) in zip(rows.dropFirst(), sorted) {
      let label: JSONValue =
        switch item.value {
        case .text(let text): .string(text)
        case .numbers(let numbers):
          numbers.count == 1 ? .number(numbers[0]) : .array(numbers.map(JSONValue.number))
        }
      #expect(
        row
          == .array([
            .array([.string("images/\(item.key)"), label]), .string("bytes of \(item.key)"),
          ]))
    }
  }

  @Test func `a zip file that can't be written is an error`() throws {
    let folder = try DatasetFolder(["there.zip": "x", "a.jpg": "y"])
    let nowhere = try ZipWriter(folder.path + "/no/x.zip")
    try nowhere.add([1], named: "a")
    #expect(throws: TensorIOError.self) { try nowhere.close() }
    #expect(throws: TensorIOError.self) { try ZipWriter(folder.path + "/there.zip") }
    let zipFile = try ZipWriter(folder.path + "/x.zip")
    try zipFile.addFile(folder.path + "/a.jpg", named: "a.jpg")
    #expect(throws: TensorIOError.self) {
      try zipFile.addFile(folder.path + "/a.jpg", named: "a.jpg")
    }
    try zipFile.addFile(folder.path + "/gone.jpg", named: "gone.jpg")
    let error = #expect(throws: TensorIOError.self) { try zipFile.close() }
    #expect(error?.message.contains("x.zip") == true)
    #expect(!FileSystem.isFile(folder.path + "/x.zip"))
  }

  // MARK: - Import

  @Test func `a folder of classes is imported, and one undo reverts the import`() throws {
    let folder = try DatasetFolder(["cat/a.jpg": "1", "dog/b.jpg": "2", "dog/c.jpg": "3"])
    let store = try LabelStore(path: folder.path + "/labels.sqlite")
    try store.setLabel(.text("puma"), of: folder.path + "/cat/a.jpg", for: "m")
    let read = try store.importLabels(from: folder.dataset(), for: "m")
    #expect(read == LabelTransfer(count: 3, notes: []))
    try #expect(
      store.labels(for: "m").map(\.label) == [.text("cat"), .text("dog"), .text("dog")])
    try #expect(store.undo().count == 3)
    try #expect(store.labels(for: "m").map(\.label) == [.text("puma")])
  }

  @Test func `a table is imported except for missing photos and labels`() throws {
    let folder = try DatasetFolder([
      "t.csv": "path,x,y\na.jpg,1,2.5\ngone.jpg,3,4\nb.jpg,,\n", "a.jpg": "1", "b.jpg": "2",
    ])
    let store = try LabelStore(path: folder.path + "/labels.sqlite")
    let read = try store.importLabels(from: folder.dataset("t.csv"), for: "m")
    #expect(read.count == 1)
    #expect(
      read.notes == [
        "left out: 1 photo that cannot be read, such as 'gone.jpg'",
        "left out: 1 image without a class or numbers",
      ])
    try #expect(store.labels(for: "m").map(\.label) == [.numbers([1, 2.5])])
    #expect(throws: TensorIOError.self) {
      try store.importLabels(from: Dataset(images: [folder.path + "/a.jpg"]), for: "m")
    }
  }
}
