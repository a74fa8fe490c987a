// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoredRows
import TensorIO
import Testing

@testable import NetRunner

/// Tests results and labels in damaged SQLite files.
@Suite struct DamagedFileTests {
  private func damage(_ path: String, _ sql: String) throws {
    try SQLiteConnection(path, busySeconds: 10).execute(script: sql)
  }

  @Test(arguments: [
    "UPDATE results SET picture_index = 'x'", "UPDATE results SET picture_index = -1",
    "UPDATE results SET error = 'x'", "UPDATE results SET inference_results = '{'",
    "UPDATE results SET decode_latency = 9e999", "UPDATE results SET image = x'00'",
    "UPDATE results SET run = 3.5, model = x'00'",
  ])
  func `a damaged row of results is an error that names it`(_ sql: String) throws {
    let folder = try DatasetFolder([:])
    let path = folder.path + "/rows.sqlite"
    let record = EvaluationRecord(
      decodeLatency: 1, preprocessorLatency: 1, inferenceLatency: 1, postprocessLatency: 1,
      inferenceResults: [:])
    do {
      let log = try SQLiteLog(path)
      let row = ResultRow(
        index: 0, type: "file", image: "a.jpg", model: "m", testBundle: "", error: false,
        evaluation: record, score: .infinity)
      try log.append([BulkRow(result: row, run: "0123456789abcdef")])
      var rows: [BulkRow] = []
      try log.forEachRow { rows.append($0) }
      #expect(rows.map(\.result) == [row])
      try log.flush()
    }
    try damage(path, sql)
    let log = try SQLiteLog(path)
    let error = #expect(throws: TensorIOError.self) { try log.forEachRow { _ in } }
    #expect(error?.code == .unreadableFile)
    #expect(error?.message.contains("row 1") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "UPDATE label SET label = x'00'", "UPDATE photo SET path = x'00'",
    "UPDATE photo SET sha256 = 1.5, path = x'01'",
  ])
  func `a damaged row of labels is an error that names the file`(_ sql: String) throws {
    let folder = try DatasetFolder(["a.jpg": "one", "b.jpg": "two"])
    let path = folder.path + "/labels.sqlite"
    do {
      try LabelStore(path: path).setLabel(.text("cat"), of: folder.path + "/a.jpg", for: "m")
    }
    try damage(path, sql)
    let store = try LabelStore(path: path)
    let error = #expect(throws: TensorIOError.self) { try store.labels(for: "m") }
    #expect(error?.message.contains(path) == true, "\(error?.message ?? "")")
    // Operations that don't need the row still work.
    try store.setLabel(.text("dog"), of: folder.path + "/b.jpg", for: "other")
    #expect(try store.labels(for: "other").count == 1)
  }

  @Test func `undoing a damaged change is an error`() throws {
    let folder = try DatasetFolder(["a.jpg": "one"])
    let path = folder.path + "/labels.sqlite"
    try LabelStore(path: path).setLabel(.text("cat"), of: folder.path + "/a.jpg", for: "m")
    try damage(path, "UPDATE change SET model = x'00'")
    #expect(throws: TensorIOError.self) { try LabelStore(path: path).undo() }
    try damage(path, "UPDATE change SET step = 9223372036854775807")
    #expect(throws: TensorIOError.self) {
      try LabelStore(path: path).setLabel(.text("dog"), of: folder.path + "/a.jpg", for: "m")
    }
  }
}
