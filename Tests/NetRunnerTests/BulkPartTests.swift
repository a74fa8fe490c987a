// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunner

/// Parts of a bulk run, and their merging.
@Suite struct BulkPartTests {
  private static let demo = EvaluatorTests.demo
  private static let inputs = ["\(demo)/images", "nowhere.png"]

  /// A folder with a manifest of 21 items, of which one doesn't exist.
  private struct Parts {
    let folder: TemporaryFolder
    let manifest: Manifest

    init(_ inputs: [String] = BulkPartTests.inputs) throws {
      folder = try TemporaryFolder()
      let path = folder.path + "/photos.manifest"
      _ = try ManifestListing.list(inputs, in: path)
      manifest = try Manifest(path)
    }

    /// Runs a part, and returns its file.
    func run(
      _ index: Int, of count: Int, as ending: String, models: [String] = ["digits", "digits-int8"],
      stoppingAt stop: Int = .max, retrying: Bool = false, kept: KeptOutputs? = nil
    ) throws -> String {
      let path = folder.path + "/part-\(index)-of-\(count).\(ending)"
      let samples = BulkSamples.manifest(manifest, PartRecord(index: index, count: count))
      let log = try BulkMerge.log(path)
      try log.begin(samples.part)
      var options = EvaluationOptions()
      options.kept = kept
      var seen = 0
      _ = try BulkRun(samples, options: options, log: log, retriesFailures: retrying).run(
        models.map { try ModelBundle("\(BulkPartTests.demo)/\($0).tiobundle") }, with: [.liteRT],
        until: { seen >= stop }, onProgress: { _ in seen += 1 })
      return path
    }
  }

  private static func rows(_ path: String) throws -> [BulkRow] {
    var rows: [BulkRow] = []
    try BulkMerge.log(path).forEachRow { rows.append($0) }
    return rows
  }

  private static func withoutTimes(_ rows: [BulkRow]) -> [BulkRow] {
    rows.map { row in
      var row = row
      row.part = nil
      row.result.evaluation = row.result.evaluation.map {
        EvaluationRecord(
          decodeLatency: 0, preprocessorLatency: 0, inferenceLatency: 0, postprocessLatency: 0,
          inferenceResults: $0.inferenceResults)
      }
      return row
    }
  }

  @Test(arguments: [1, 2, 7, 64], ["jsonl", "sqlite"])
  func `merged parts have the rows of one run`(count: Int, ending: String) throws {
    let parts = try Parts()
    let files = try (1...count).map { try parts.run($0, of: count, as: ending) }
    let merged = parts.folder.path + "/all." + ending
    let merge = try BulkMerge(files.reversed())
    try merge.write(to: merged)
    #expect(merge.counts.map(\.rows) == [21, 21])
    #expect(merge.counts.map(\.failed) == [1, 1])

    let whole = parts.folder.path + "/whole." + ending
    _ = try BulkRun(Dataset(images: Self.inputs), log: BulkMerge.log(whole)).run(
      ["digits", "digits-int8"].map { try ModelBundle("\(Self.demo)/\($0).tiobundle") },
      with: [.liteRT])
    let rows = try Self.rows(merged)
    #expect(try Self.withoutTimes(rows) == Self.withoutTimes(Self.rows(whole)))
    // Rows keep their own latencies.
    let latencies = try Set(files.flatMap(Self.rows).map(\.result))
    #expect(rows.allSatisfy { latencies.contains($0.result) })
    // A merged file is the only part of its manifest, so it can be exported.
    try BulkMerge([merged]).write(to: parts.folder.path + "/again." + ending)
    #expect(try Self.rows(parts.folder.path + "/again." + ending) == rows)
  }

  @Test(arguments: ["jsonl", "sqlite"])
  func `a part that was stopped and retried is merged in order`(ending: String) throws {
    let folder = try TemporaryFolder()
    let late = folder.path + "/late.png"
    let parts = try Parts([late, "\(Self.demo)/images"])
    _ = try parts.run(1, of: 2, as: ending, stoppingAt: 4)
    let second = try parts.run(2, of: 2, as: ending)
    let first = try parts.run(1, of: 2, as: ending)
    #expect(try Self.rows(first).count { $0.result.error } == 2)
    try FileManager.default.copyItem(atPath: "\(Self.demo)/images/digit-3-01.png", toPath: late)
    _ = try parts.run(1, of: 2, as: ending, retrying: true)
    #expect(try BulkMerge.log(first).storedPart()?.index == 1)
    let merged = parts.folder.path + "/all.jsonl"
    try BulkMerge([first, second]).write(to: merged)
    let rows = try Self.rows(merged)
    #expect(rows.map(\.result.index) == Array(0..<21) + Array(0..<21))
    #expect(rows[0].result.predicted == "three")
  }

  private func message(_ paths: [String]) -> String {
    #expect(throws: TensorIOError.self) { try BulkMerge(paths) }?.message ?? ""
  }

  @Test(arguments: ["jsonl", "sqlite"])
  func `parts that are missing, doubled or foreign are named`(ending: String) throws {
    let parts = try Parts()
    let models = ["digits"]
    let files = try (1...3).map { try parts.run($0, of: 3, as: ending, models: models) }
    #expect(
      message([files[0], files[2]])
        == "2 of 3 parts were given. Missing: 2. 'tensorio bulk MANIFEST --part 2/3' makes part 2.")
    let copy = parts.folder.path + "/copy." + ending
    try FileManager.default.copyItem(atPath: files[1], toPath: copy)
    #expect(
      message(files + [copy])
        == "Part 2 of 3 was given twice, as '\(files[1])' and '\(copy)'; give each part once.")
    let others = try Parts(["\(Self.demo)/images"])
    let other = try others.run(2, of: 3, as: ending, models: models)
    #expect(
      message([files[0], other, files[2]])
        == "Part 2 of 3 ('\(other)') is of the manifest \(others.manifest.sha256.prefix(16)) with "
        + "20 items, but '\(files[0])' is of \(parts.manifest.sha256.prefix(16)) with 21 items. Run "
        + "the parts with the same manifest.")
    let half = try parts.run(2, of: 2, as: ending, models: models)
    #expect(message([files[0], half]).contains("they aren't parts of the same bulk run"))
  }

  @Test(arguments: ["jsonl", "sqlite"])
  func `parts that are incomplete or of another model are named`(ending: String) throws {
    let parts = try Parts()
    let first = try parts.run(1, of: 2, as: ending, models: ["digits"])
    let second = try parts.run(2, of: 2, as: ending, models: ["digits"], stoppingAt: 1)
    let count = try Self.rows(second).count
    if count < 10 {
      #expect(
        message([first, second])
          == "Part 2 of 2 ('\(second)') has \(count) of 10 rows of 'digits'. Complete it with "
          + "'tensorio bulk MANIFEST --part 2/2 --resume'.")
    }
    _ = try parts.run(2, of: 2, as: ending)
    #expect(
      message([first, second])
        == "Part 2 of 2 ('\(second)') has rows of 'digits-int8', but '\(first)' doesn't. Run all "
        + "parts with the same models.")
    try FileManager.default.removeItem(atPath: second)
    _ = try parts.run(2, of: 2, as: ending, models: ["digits"], kept: .all)
    #expect(message([first, second]).contains("has rows of a different 'digits'"))
  }

  @Test func `files that aren't parts are refused`() throws {
    let parts = try Parts()
    let whole = parts.folder.path + "/whole.jsonl"
    _ = try BulkRun(Dataset(images: Self.inputs), log: BulkMerge.log(whole)).run(
      [ModelBundle("\(Self.demo)/digits.tiobundle")], with: [.liteRT])
    #expect(message([whole]).hasPrefix("'\(whole)' isn't a part: its run was without a manifest."))
    #expect(message([parts.folder.path + "/none.jsonl"]).hasPrefix("There is no file"))
    let empty = parts.folder.path + "/empty.jsonl"
    try Data().write(to: URL(filePath: empty))
    #expect(message([empty]).hasPrefix("None of the files '\(empty)' has a row."))

    let row = try #require(Self.rows(whole).first)
    let log = try BulkMerge.log(whole)
    let error = #expect(throws: TensorIOError.self) {
      try log.begin(BulkSamples.manifest(parts.manifest, PartRecord(index: 1, count: 2)).part)
    }
    #expect(error?.message.contains("has rows of a run without a manifest") == true)

    // Numbers of damaged files can be anything.
    for (items, index, count) in [
      (Int.max, 1, 1), (0, 1, 1), (5, 0, 1), (5, 2, 1), (Int.max, Int.max, Int.max), (-1, -1, -1),
    ] {
      var row = row
      row.part = BulkPart(manifest: "0", items: items, index: index, count: count)
      let path = parts.folder.path + "/odd.jsonl"
      try (row.line() + "\n").write(toFile: path, atomically: true, encoding: .utf8)
      #expect(!message([path]).isEmpty)
    }
  }

  @Test(arguments: ["jsonl", "sqlite"])
  func `a part whose first row is long is opened again and merged`(ending: String) throws {
    let parts = try Parts()
    let path = try parts.run(1, of: 1, as: ending, models: ["digits"])
    var rows = try Self.rows(path)
    let long = String(repeating: "x", count: 2 << 20)
    rows[0].result.evaluation?.inferenceResults["x"] = .string(long)
    do {
      let log = try BulkMerge.log(path, replacing: true)
      try log.begin(BulkSamples.manifest(parts.manifest, PartRecord(index: 1, count: 1)).part)
      try log.append(rows)
    }
    #expect(try BulkMerge.log(path).storedPart()?.count == 1)
    #expect(try BulkMerge([path]).counts.map(\.rows) == [21])
    guard ending == "jsonl" else { return }
    // A first row that a kill cut short is removed, however long it is.
    let bytes = try Data(contentsOf: URL(filePath: path))
    try bytes.prefix(3 << 19).write(to: URL(filePath: path))
    #expect(try BulkMerge.log(path).isEmpty)
  }

  @Test func `an index that occurs twice is noticed`() throws {
    let parts = try Parts()
    let path = try parts.run(1, of: 1, as: "jsonl", models: ["digits"])
    var rows = try Self.rows(path)
    rows[3] = rows[4]
    let lines = try rows.map { try $0.line() + "\n" }.joined()
    try lines.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(
      message([path])
        == "Part 1 of 1 ('\(path)') is damaged: it has two rows with the index 4. Make it again with "
        + "'tensorio bulk MANIFEST --part 1/1 --force'.")
  }

  @Test func `a row that was added, and a file without rows, are named`() throws {
    let parts = try Parts()
    let paths = try (1...2).map { try parts.run($0, of: 2, as: "jsonl", models: ["digits"]) }
    let empty = parts.folder.path + "/empty.jsonl"
    try Data().write(to: URL(filePath: empty))
    #expect(
      message([paths[0], empty])
        == "1 of 2 parts was given. Missing: 2. 'tensorio bulk MANIFEST --part 2/2' makes part 2. "
        + "'\(empty)' has no rows.")
    #expect(message([empty]).hasPrefix("None of the files '\(empty)' has a row. "))
    let lines = try String(contentsOfFile: paths[0], encoding: .utf8).split(separator: "\n")
    try (lines + [lines[lines.count - 1], ""]).joined(separator: "\n")
      .write(toFile: paths[0], atomically: true, encoding: .utf8)
    #expect(
      message(paths)
        == "Part 1 of 2 ('\(paths[0])') is damaged: it has 12 rows of 'digits', but its part has only "
        + "11 items. Make it again with 'tensorio bulk MANIFEST --part 1/2 --force'.")
  }

  @Test func `every part has its share, and each sample once`() throws {
    let parts = try Parts()
    for count in [1, 2, 5, 20, 21, 22, 64] {
      var indices: [Int] = []
      for part in 1...count {
        indices += try self.indices(parts, part, of: count)
      }
      #expect(indices.sorted() == Array(0..<21))
    }
    var stored = BulkSamples.manifest(parts.manifest, PartRecord(index: 2, count: 3)).makeStored()
    // Samples with a row are left out, unless the row is of another part.
    var rows = try Self.rows(parts.run(2, of: 3, as: "jsonl", models: ["digits"]))
    rows[2].result.error = true
    rows.append(rows[3])
    rows[rows.count - 1].result.index = 0
    for row in [rows[1], rows[2], rows[rows.count - 1]] { stored.add(row) }
    #expect((stored.counts.done, stored.counts.failed) == (2, 1))
    #expect(try indices(parts, 2, of: 3, without: stored) == [1, 10, 13, 16, 19])
    stored.dropFailures()
    #expect(try indices(parts, 2, of: 3, without: stored) == [1, 7, 10, 13, 16, 19])
  }

  /// The indices that a part of the manifest hands out, apart from those that have a row.
  private func indices(
    _ parts: Parts, _ part: Int, of count: Int, without stored: StoredSamples? = nil
  ) throws -> [Int] {
    let samples = BulkSamples.manifest(parts.manifest, PartRecord(index: part, count: count))
    let feed = samples.makeFeed(without: stored ?? samples.makeStored(), nil)
    var found: [Int] = []
    while let item = try feed.next(until: { false }) { found.append(item.index) }
    return found
  }
}
