// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunner

/// Parts of bulk runs on archives, and their merging.
@Suite struct ArchivePartTests {
  private static let demo = EvaluatorTests.demo
  private static let prefix = "s3://bucket/photos/"
  private static let inputs = [
    prefix, "\(demo)/images/digit-7-01.png", "s3://other/none.tar", "s3://other/twice.tar",
  ]

  /// Objects of which archives are whole, empty, damaged, missing, or have a name twice.
  private static func objects() throws -> [String: [UInt8]] {
    func archive(_ digits: ClosedRange<Int>) throws -> [UInt8] {
      MemoryObjects.archive(
        try digits.flatMap { digit in
          [(name: "\(digit).png", bytes: try MemoryObjects.photo(digit)), ("\(digit).cls", [48])]
        })
    }
    return [
      prefix + "a.png": try MemoryObjects.photo(0), prefix + "b.tar": try archive(0...3),
      prefix + "c.tar": MemoryObjects.archive([("x.txt", [1])]),
      prefix + "d.tar": Array(try archive(4...7).dropLast(1024)),
      prefix + "e.png": try MemoryObjects.photo(1), prefix + "f.tar": try archive(2...6),
      "s3://other/twice.tar": try archive(2...2).dropLast(1024) + archive(2...2),
    ]
  }

  /// The samples of a run without a manifest, in order.
  private static let images =
    ["a.png", "b.tar/0.png", "b.tar/1.png", "b.tar/2.png", "b.tar/3.png"].map { prefix + $0 }
    + ["d.tar/4.png", "d.tar/5.png", "d.tar/6.png", "d.tar/7.png", "d.tar"].map { prefix + $0 }
    + ["e.png", "f.tar/2.png", "f.tar/3.png", "f.tar/4.png", "f.tar/5.png", "f.tar/6.png"]
    .map { prefix + $0 }
    + [inputs[1], inputs[2], inputs[3] + "/2.png", inputs[3]]

  private struct Run {
    let folder: TemporaryFolder
    let manifest: Manifest
    var options: EvaluationOptions

    init() throws {
      folder = try TemporaryFolder()
      options = MemoryObjects.options(try ArchivePartTests.objects())
      let path = folder.path + "/photos.manifest"
      _ = try ManifestListing.list(ArchivePartTests.inputs, in: path, with: options.objects)
      manifest = try Manifest(path)
    }

    /// Runs samples, and returns the progress of the models.
    @discardableResult
    func run(
      _ samples: BulkSamples, in path: String, models: [String] = ["digits"],
      stoppingAt stop: Int = .max, retrying: Bool = false
    ) throws -> [BulkRun.Progress] {
      let log = try BulkMerge.log(path)
      try log.begin(samples.part)
      var seen = 0
      return try BulkRun(samples, options: options, log: log, retriesFailures: retrying).run(
        models.map { try ModelBundle("\(ArchivePartTests.demo)/\($0).tiobundle") },
        with: [.liteRT], until: { seen >= stop }, onProgress: { _ in seen += 1 })
    }

    func part(_ index: Int, of count: Int) -> BulkSamples {
      .manifest(manifest, PartRecord(index: index, count: count))
    }

    /// Runs on one machine, without a manifest.
    func whole(_ ending: String, models: [String] = ["digits"]) throws -> [BulkRow] {
      var dataset = try Dataset(images: ArchivePartTests.inputs)
      try dataset.findContent(with: options.objects)
      let path = folder.path + "/whole." + ending
      try run(.dataset(dataset), in: path, models: models)
      return try ArchivePartTests.rows(path)
    }
  }

  /// The rows of a file without what differs between any two runs.
  private static func rows(_ path: String) throws -> [BulkRow] {
    var rows: [BulkRow] = []
    try BulkMerge.log(path).forEachRow { row in
      var row = row
      row.part = nil
      row.result.evaluation = row.result.evaluation.map {
        EvaluationRecord(
          decodeLatency: 0, preprocessorLatency: 0, inferenceLatency: 0, postprocessLatency: 0,
          inferenceResults: $0.inferenceResults)
      }
      rows.append(row)
    }
    return rows
  }

  private static func message(_ paths: [String]) -> String {
    #expect(throws: TensorIOError.self) { try BulkMerge(paths) }?.message ?? ""
  }

  @Test(arguments: [1, 2, 7, 64], ["jsonl", "sqlite"])
  func `merged parts with archives have the rows of one run`(count: Int, ending: String) throws {
    let run = try Run()
    let models = ["digits", "digits-int8"]
    #expect(run.manifest.count == 9)
    var progress: [BulkRun.Progress] = []
    let files = try (1...count).map { part in
      let path = "\(run.folder.path)/\(part)-of-\(count).\(ending)"
      progress += try run.run(run.part(part, of: count), in: path, models: models)
      return path
    }
    let whole = try run.whole(ending, models: models)
    #expect(whole.map(\.result.image) == Self.images + Self.images)
    #expect(progress.reduce(0) { $0 + $1.count } == 2 * Self.images.count)
    #expect(progress.reduce(0) { $0 + $1.done } == 2 * Self.images.count)
    #expect(progress.reduce(0) { $0 + $1.failed } == 6)
    let merged = run.folder.path + "/merged." + ending
    let merge = try BulkMerge(files.reversed())
    try merge.write(to: merged)
    #expect(merge.counts.map(\.rows) == [20, 20] && merge.counts.map(\.failed) == [3, 3])
    #expect(try Self.rows(merged) == whole)
    // No sample is in two parts.
    let images = try files.flatMap { try Self.rows($0).filter { !$0.isEnd } }.map(\.result)
    #expect(Set(images.map { $0.model + $0.image }).count == images.count)
    // Merged rows can be written in other formats, and read again.
    let again = run.folder.path + "/again.jsonl"
    try BulkMerge([merged]).write(to: again)
    #expect(try Self.rows(again) == whole)
    try BulkMerge([again]).write(to: merged)
    #expect(try Self.rows(merged) == whole)
    // They don't say which files of an archive have a row, so a part can't continue them.
    let error = #expect(throws: TensorIOError.self) {
      try run.run(run.part(1, of: 1), in: merged, models: models)
    }
    #expect(error?.message.contains("has the merged parts of the manifest") == true)
    #expect(error?.message.contains("--retry-failed with each part") == true)
  }

  @Test(arguments: ["jsonl", "sqlite"])
  func `a part with archives that was stopped anywhere continues`(ending: String) throws {
    let run = try Run()
    let whole = try run.whole(ending)
    for stop in [1, 2, 4, 5, 6, 9, 10, 11, 13, 17, 19, 20] {
      let path = "\(run.folder.path)/\(stop).\(ending)"
      let before = try run.run(run.part(1, of: 1), in: path, stoppingAt: stop)
      #expect(before[0].done >= stop - 3 && before[0].count >= before[0].done)
      for retrying in [false, true, false] {
        let progress = try run.run(run.part(1, of: 1), in: path, retrying: retrying)
        #expect(progress[0].counts == [20, 20, 3])
        let merged = "\(run.folder.path)/merged-\(stop).\(ending)"
        try BulkMerge([path]).write(to: merged)
        #expect(try Self.rows(merged) == whole, "\(stop)")
      }
      // Complete archives aren't read again.
      var resumed = run
      resumed.options.objects?.open = { address in
        Issue.record("\(address) is read again.")
        throw TensorIOError(.unreadableFile, address)
      }
      let progress = try resumed.run(run.part(1, of: 1), in: path)
      #expect(progress[0].counts == [20, 20, 3] && progress[0].resumed == 20)
    }
  }

  @Test(arguments: ["jsonl", "sqlite"])
  func `files of archives that failed are run again`(ending: String) throws {
    let run = try Run()
    var broken = run
    var objects = try Self.objects()
    let name = Self.prefix + "b.tar"
    let shard = try #require(objects[name])
    // A photo is damaged at first, and the connection ends within another archive.
    objects[name] = Array(shard[..<520]) + [0, 0, 0, 0] + shard[524...]
    objects[Self.prefix + "f.tar"]?.removeLast(3000)
    broken.options = MemoryObjects.options(objects)
    let path = run.folder.path + "/rows." + ending
    let first = try broken.run(run.part(1, of: 1), in: path)
    #expect(first[0].failed == 5 && first[0].done == first[0].count)
    // Until the archive is there, its other rows stay.
    objects[name] = []
    broken.options = MemoryObjects.options(objects)
    let second = try broken.run(run.part(1, of: 1), in: path, retrying: true)
    #expect(second[0].failed == 5)
    let merged = run.folder.path + "/merged.jsonl"
    try BulkMerge([path]).write(to: merged)
    let rows = try Self.rows(merged).map(\.result)
    #expect(rows[1...4].map(\.image) == ["/1.png", "/2.png", "/3.png", ""].map { name + $0 })
    #expect(rows[1...4].map(\.error) == [false, false, false, true])
    let third = try run.run(run.part(1, of: 1), in: path, retrying: true)
    #expect(third[0].counts == [20, 20, 3])
    try BulkMerge([path]).write(to: merged)
    #expect(try Self.rows(merged) == run.whole(ending))
  }

  @Test func `archives that lack rows are noticed`() throws {
    let run = try Run()
    let path = run.folder.path + "/1.jsonl"
    try run.run(run.part(1, of: 2), in: path)
    let other = run.folder.path + "/2.jsonl"
    try run.run(run.part(2, of: 2), in: other)
    let text = try String(contentsOfFile: other, encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init)
    func message(_ lines: [String]) throws -> String {
      try (lines.joined(separator: "\n") + "\n").write(
        toFile: other, atomically: true, encoding: .utf8)
      return Self.message([path, other])
    }
    let isEnd = { (line: String) in
      line.contains("\"members\":") && line.contains("\"error\":false")
    }
    let end = try #require(lines.first(where: isEnd))
    #expect(end.contains("\"image\":\"\(Self.prefix)b.tar\"") && end.contains("\"members\":4"))
    let expected =
      "Part 2 of 2 ('\(other)') has all rows of 'digits' for 3 of 4 items, where an archive is one. "
      + "Complete it with 'tensorio bulk MANIFEST --part 2/2 --resume'."
    #expect(try message(lines.filter { $0 != end }) == expected)
    #expect(try message(lines.filter { !$0.contains("b.tar/2.png") }) == expected)
    #expect(try message(lines + [lines[2]]) == expected)
    let twice = lines.map { $0.contains("b.tar/3.png") ? lines[2] : $0 }
    #expect(try message(twice).contains("it has two rows with the index 1"))
    #expect(
      try message(Array(lines.prefix(2))).contains("has all rows of 'digits' for 0 of 4 items"))
    // Only files that can be merged have the rows that end archives.
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: other, atomically: true, encoding: .utf8)
    let csv = run.folder.path + "/2.csv"
    try BulkExport.csv.write(BulkMerge.log(other), to: csv)
    let exported = try String(contentsOfFile: csv, encoding: .utf8).split(separator: "\r\n")
    #expect(exported.count == 1 + lines.count { !isEnd($0) })
    let merged = run.folder.path + "/merged.jsonl"
    try BulkMerge([path, other]).write(to: merged)
    let rows = try String(contentsOfFile: merged, encoding: .utf8).split(separator: "\n")
    try (rows.dropLast().joined(separator: "\n") + "\n").write(
      toFile: merged, atomically: true, encoding: .utf8)
    #expect(
      Self.message([merged])
        == "'\(merged)' is damaged: it had 20 rows when it was merged, but now it has 19. Merge the parts "
        + "again.")
  }
}
