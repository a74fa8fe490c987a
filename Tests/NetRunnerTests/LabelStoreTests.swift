// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

/// Tests labels in a SQLite file.
@Suite struct LabelStoreTests {
  private func folder() throws -> DatasetFolder {
    try DatasetFolder([
      "a.jpg": "one", "sub/b 'q\" é.jpg": "two", "c\n.jpg": "three", "d.jpg": "four",
    ])
  }

  private func store(_ folder: DatasetFolder) throws -> LabelStore {
    try LabelStore(path: folder.path + "/labels.sqlite")
  }

  @Test func `labels are set, replaced, listed and removed for each model`() throws {
    let folder = try folder()
    let store = try store(folder)
    try store.setLabel(.text("cat"), of: folder.path + "/a.jpg", for: "m")
    try store.setLabel(.text("dog"), of: folder.path + "/a.jpg", for: "m")
    try store.setLabel(.numbers([0.1, -2]), of: folder.path + "/sub/b 'q\" é.jpg", for: "m")
    try store.setLabel(.text("x\n\"é'"), of: folder.path + "/c\n.jpg", for: "other")
    // Another connection sees the same labels.
    let again = try self.store(folder)
    let labels = try again.labels(for: "m")
    #expect(labels.map(\.path) == ["a.jpg", "sub/b 'q\" é.jpg"])
    #expect(labels.map(\.label) == [.text("dog"), .numbers([0.1, -2])])
    #expect(labels[0].sha256.hasPrefix("7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add"))
    try #expect(again.countsByModel == ["m": 2, "other": 1])
    try #expect(again.label(of: folder.path + "/c\n.jpg", for: "other") == .text("x\n\"é'"))
    try #expect(again.label(of: folder.path + "/c\n.jpg", for: "m") == nil)
    try #expect(again.removeLabel(of: folder.path + "/a.jpg", for: "m"))
    try #expect(!again.removeLabel(of: folder.path + "/a.jpg", for: "m"))
    try #expect(again.removeLabel(of: "sub/b 'q\" é.jpg", for: "m"))
    try #expect(store.countsByModel == ["other": 1])
  }

  @Test func `an empty label is rejected`() throws {
    let folder = try folder()
    let store = try store(folder)
    for label in [PhotoLabel.text(""), .numbers([]), .numbers([.nan]), .numbers([1, .infinity])] {
      #expect(throws: TensorIOError.self) {
        try store.setLabel(label, of: folder.path + "/a.jpg", for: "m")
      }
    }
    #expect(throws: TensorIOError.self) {
      try store.setLabel(.text("x"), of: folder.path + "/a.jpg", for: "")
    }
    let missing = #expect(throws: TensorIOError.self) {
      try store.setLabel(.text("x"), of: folder.path + "/none.jpg", for: "m")
    }
    #expect(missing?.code == .fileNotFound)
    try #expect(store.countsByModel == [:])
  }

  @Test func `undo reverts one change after the other`() throws {
    let folder = try folder()
    let store = try store(folder)
    let (a, d) = (folder.path + "/a.jpg", folder.path + "/d.jpg")
    try store.setLabel(.text("1"), of: a, for: "m")
    try store.setLabel(.text("2"), of: a, for: "m")
    try store.setLabel(.text("2"), of: a, for: "m")
    try store.setLabel(.text("3"), of: d, for: "other")
    try store.removeLabel(of: a, for: "m")
    try #expect(
      store.undo() == [LabelChange(model: "m", photo: "a.jpg", before: .text("2"), after: nil)])
    try #expect(store.label(of: a, for: "m") == .text("2"))
    try #expect(store.undo(for: "m").map(\.before) == [.text("1")])
    try #expect(store.label(of: a, for: "m") == .text("1"))
    try #expect(store.undo(for: "m").map(\.before) == [nil])
    try #expect(store.label(of: a, for: "m") == nil)
    try #expect(store.undo(for: "m") == [])
    try #expect(store.label(of: d, for: "other") == .text("3"))
    try #expect(store.undo().map(\.photo) == ["d.jpg"])
    try #expect(store.undo() == [])
    try #expect(store.countsByModel == [:])
  }

  // MARK: - Moved and changed photos

  @Test func `a label follows a moved photo`() throws {
    let folder = try folder()
    let store = try store(folder)
    try store.setLabel(.text("cat"), of: folder.path + "/a.jpg", for: "m")
    try store.setLabel(.text("dog"), of: folder.path + "/d.jpg", for: "m")
    try FileManager.default.moveItem(
      atPath: folder.path + "/a.jpg", toPath: folder.path + "/sub/new.jpg")
    try #expect(store.state(of: store.labels(for: "m")[0]) == .missing)
    try #expect(store.label(of: folder.path + "/sub/new.jpg", for: "m") == .text("cat"))
    let moves = try store.findMoved()
    #expect(moves.map(\.from) == ["a.jpg"])
    #expect(moves.map(\.to) == ["sub/new.jpg"])
    try #expect(store.labels(for: "m").map(\.path) == ["d.jpg", "sub/new.jpg"])
    try #expect(store.findMoved().isEmpty)
    // A label that is set at the new path replaces the one that followed the photo.
    try FileManager.default.moveItem(
      atPath: folder.path + "/sub/new.jpg", toPath: folder.path + "/z.jpg")
    try store.setLabel(.text("puma"), of: folder.path + "/z.jpg", for: "m")
    try #expect(store.labels(for: "m").map(\.path) == ["d.jpg", "z.jpg"])
    try store.undo()
    try #expect(store.labels(for: "m").map(\.label) == [.text("dog"), .text("cat")])
  }

  @Test func `a label isn't passed on to another image with the same name`() throws {
    let folder = try folder()
    let store = try store(folder)
    try store.setLabel(.text("cat"), of: folder.path + "/a.jpg", for: "m")
    try folder.write("other", to: "a.jpg")
    try #expect(store.label(of: folder.path + "/a.jpg", for: "m") == nil)
    try #expect(store.state(of: store.labels(for: "m")[0]) == .changed)
    try store.setLabel(.text("dog"), of: folder.path + "/a.jpg", for: "m")
    try #expect(store.labels(for: "m").map(\.label) == [.text("dog")])
    try #expect(store.undo().count == 2)
    try #expect(store.labels(for: "m").map(\.label) == [.text("cat")])
  }

  @Test func `two copies of an image have separate labels`() throws {
    let folder = try DatasetFolder(["a.jpg": "same", "b.jpg": "same"])
    let store = try store(folder)
    try store.setLabel(.text("1"), of: folder.path + "/a.jpg", for: "m")
    try #expect(store.label(of: folder.path + "/b.jpg", for: "m") == nil)
    try store.setLabel(.text("2"), of: folder.path + "/b.jpg", for: "m")
    try #expect(store.labels(for: "m").map(\.label) == [.text("1"), .text("2")])
  }

  @Test func `a store and its photos can be moved together`() throws {
    let folder = try DatasetFolder(["x/a.jpg": "one", "x/s/b.jpg": "two"])
    let outside = try DatasetFolder(["o.jpg": "three"])
    do {
      let store = try LabelStore(path: folder.path + "/x/l.db")
      try store.setLabel(.text("1"), of: folder.path + "/x/s/../a.jpg", for: "m")
      try store.setLabel(.text("2"), of: outside.path + "/o.jpg", for: "m")
    }
    try FileManager.default.moveItem(atPath: folder.path + "/x", toPath: folder.path + "/y")
    let store = try LabelStore(path: folder.path + "/y/l.db")
    try #expect(store.label(of: folder.path + "/y/a.jpg", for: "m") == .text("1"))
    #expect(
      try store.labels(for: "m").map { try store.state(of: $0) } == [.present, .present])
    let root = try LabelStore(path: folder.path + "/y/m.db", root: folder.path)
    try root.setLabel(.text("1"), of: folder.path + "/y/a.jpg", for: "m")
    try #expect(root.labels(for: "m").map(\.path) == ["y/a.jpg"])
    // The file stores its root.
    let again = try LabelStore(path: folder.path + "/y/m.db")
    try #expect(again.label(of: folder.path + "/y/a.jpg", for: "m") == .text("1"))
    #expect(again.root == root.root)
    let other = #expect(throws: TensorIOError.self) {
      try LabelStore(path: folder.path + "/y/m.db", root: folder.path + "/y/s")
    }
    #expect(other?.message.contains("not to") == true)
  }

  // MARK: - Files

  @Test func `a file that isn't a store is an error and unchanged`() throws {
    let folder = try DatasetFolder(["text.db": String(repeating: "no database. ", count: 100)])
    let error = #expect(throws: TensorIOError.self) {
      try LabelStore(path: folder.path + "/text.db")
    }
    #expect(error?.message.contains("isn't a label store") == true, "\(error?.message ?? "")")
    try #expect(Data(contentsOf: URL(filePath: folder.path + "/text.db")).count == 1300)
    #expect(throws: TensorIOError.self) { try LabelStore(path: folder.path) }
    #expect(throws: TensorIOError.self) { try LabelStore(path: folder.path + "/no/l.db") }
    let missing = #expect(throws: TensorIOError.self) {
      try LabelStore(path: folder.path + "/new.db", creates: false)
    }
    #expect(missing?.code == .fileNotFound)
    #expect(!FileSystem.isFile(folder.path + "/new.db"))
  }

  @Test func `a truncated or damaged store gives an error or still has its labels`() throws {
    let folder = try DatasetFolder(["a.jpg": "one"])
    do {
      let store = try store(folder)
      try store.setLabel(.text("cat"), of: folder.path + "/a.jpg", for: "m")
    }
    let whole = try [UInt8](Data(contentsOf: URL(filePath: folder.path + "/labels.sqlite")))
    var refused = 0
    for number in 0..<40 {
      var bytes = whole
      if number % 2 == 0 {
        bytes.removeLast(bytes.count * number / 40)
      } else {
        for place in 0..<8 { bytes[(number * 911 + place * 4099) % bytes.count] ^= 0xFF }
      }
      let path = try folder.write(bytes, to: "copy\(number).sqlite")
      do {
        let store = try LabelStore(path: path, busyTimeout: 0.01)
        let labels = try store.labels(for: "m")
        #expect(labels.map(\.label) == [.text("cat")], "copy \(number)")
        for photo in labels { _ = try store.state(of: photo) }
        try store.setLabel(.text("dog"), of: folder.path + "/a.jpg", for: "m")
      } catch let error as TensorIOError {
        refused += 1
        #expect(error.message.contains("copy\(number).sqlite"), "\(error.message)")
      }
    }
    // The first copy isn't cut, and other damage may affect unused bytes.
    #expect((10...39).contains(refused), "\(refused) of 40")
  }

  @Test func `all labels are kept when the process dies`() throws {
    let folder = try folder()
    let store = try store(folder)
    for index in 0..<50 {
      try store.setLabel(.text("\(index)"), of: folder.path + "/a.jpg", for: "m\(index)")
    }
    // What a killed process leaves: the file and its log, without a checkpoint at the end.
    let copy = try DatasetFolder()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: store.path + suffix, toPath: copy.path + "/labels.sqlite" + suffix)
    }
    try #expect(self.store(copy).countsByModel.count == 50)
  }

  @Test func `many simultaneous writers lose no labels`() async throws {
    let folder = try folder()
    let path = folder.path + "/labels.sqlite"
    let photo = folder.path + "/a.jpg"
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<6 {
        group.addTask {
          // Each writer opens the file itself, as processes do, and some at the same time.
          let store = try LabelStore(path: path)
          for index in 0..<20 {
            try store.setLabel(.text("\(index)"), of: photo, for: "\(writer)-\(index)")
          }
        }
      }
      try await group.waitForAll()
    }
    try #expect(store(folder).countsByModel.count == 120)
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `foreign databases, newer stores and busy ones have different errors`() async throws {
    let folder = try folder()
    do {
      let store = try store(folder)
      try store.setLabel(.text("cat"), of: folder.path + "/a.jpg", for: "m")
    }
    func python(_ path: String, _ statement: String) async throws {
      try await Python.run([
        "-c",
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()",
        path, statement,
      ])
    }
    try await python(folder.path + "/other.db", "CREATE TABLE bookmarks (x)")
    let other = #expect(throws: TensorIOError.self) {
      try LabelStore(path: folder.path + "/other.db")
    }
    #expect(other?.message.contains("another program") == true)

    // Another process holds a lock.
    let store = try LabelStore(path: folder.path + "/labels.sqlite", busyTimeout: 0.1)
    let process = try ChildProcess(
      try #require(Python.path),
      [
        "-c",
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('BEGIN IMMEDIATE'); "
          + "print('locked', flush=True); sys.stdin.read()", folder.path + "/labels.sqlite",
      ])
    _ = process.output.availableData
    let busy = #expect(throws: TensorIOError.self) {
      try store.setLabel(.text("dog"), of: folder.path + "/a.jpg", for: "m")
    }
    #expect(busy?.message.contains("another process is using it") == true)
    // Reading still works.
    try #expect(store.labels(for: "m").map(\.label) == [.text("cat")])
    let ended = await process.finish()
    #expect(ended.status == 0, "\(ended.error)")
    try store.setLabel(.text("dog"), of: folder.path + "/a.jpg", for: "m")

    try await python(store.path, "INSERT INTO grdb_migrations VALUES ('99: the future')")
    let newer = #expect(throws: TensorIOError.self) { try self.store(folder) }
    #expect(newer?.message.contains("newer version") == true)
  }
}
