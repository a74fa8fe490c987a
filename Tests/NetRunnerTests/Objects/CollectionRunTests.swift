// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunner

/// Bulk runs on archives and on objects that a test keeps in memory.
@Suite struct CollectionRunTests {
  private static let demo = EvaluatorTests.demo
  private static let prefix = "s3://bucket/photos/"

  private static func run(
    _ dataset: Dataset, _ options: EvaluationOptions, _ path: String, stoppingAt stop: Int = .max,
    retrying: Bool = false
  ) throws -> (rows: [BulkRow], progress: BulkRun.Progress) {
    var dataset = dataset
    try dataset.findContent(with: options.objects)
    var seen = 0
    let log = try JSONLinesLog(path)
    let progress = try BulkRun(dataset, options: options, log: log, retriesFailures: retrying).run(
      [ModelBundle("\(demo)/digits.tiobundle")], with: [.liteRT], until: { seen >= stop },
      onProgress: { _ in seen += 1 })
    var rows: [BulkRow] = []
    try log.forEachRow { rows.append($0) }
    return (rows, try #require(progress.first))
  }

  private static func temporaryPath() -> String {
    FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl").path
  }

  private static let words = ["zero", "one", "two", "three", "four", "five", "six", "seven"]

  @Test func `objects below a prefix and the files of its archives are rows in order`() throws {
    let shard = MemoryObjects.archive([
      ("x/2.png", try MemoryObjects.photo(2)), ("x/2.cls", [50]),
      ("../y/./3.png", try MemoryObjects.photo(3)),
      (".hidden.png", [1]), ("4.wav", [1]), ("5.npy", [1]),
    ])
    let options = MemoryObjects.options([
      Self.prefix + "a.png": try MemoryObjects.photo(0), Self.prefix + "b.json": [],
      Self.prefix + "c.tar": shard, Self.prefix + "d.tar": Array(shard.prefix(700)),
      Self.prefix + "e.png": try MemoryObjects.photo(1), Self.prefix + "f.wav": [],
    ])
    let paths = [Self.prefix, "\(Self.demo)/images/digit-7-01.png"]
    let (rows, progress) = try Self.run(Dataset(images: paths), options, Self.temporaryPath())
    let members = ["c.tar/x/2.png", "c.tar/../y/./3.png"]
    let names = (["a.png"] + members + ["d.tar", "e.png"]).map { Self.prefix + $0 }
    #expect(rows.map(\.result.image) == names + [paths[1]])
    #expect(rows.map(\.result.predicted) == ["zero", "two", "three", nil, "one", "seven"])
    #expect(rows.map(\.result.index) == Array(0..<6))
    #expect(rows.map(\.result.type) == ["url", "url", "url", "url", "url", "file"])
    #expect(rows[1].result.testBundle == Self.prefix + "c.tar/x")
    let error = try #require(rows[3].result.errorDescription)
    #expect(error.contains("'\(Self.prefix)d.tar' is damaged at byte 512: a file of "))
    #expect(progress.counts == [6, 6, 1])
  }

  @Test func `archives that a table lists are opened by their paths`() throws {
    let shard = MemoryObjects.archive([("2.png", try MemoryObjects.photo(2))])
    let folder = try DatasetFolder(["photos.csv": "path,label\nshard.tar,a\n"])
    try folder.write(shard, to: "shard.tar")
    let dataset = try folder.dataset("photos.csv")
    #expect(dataset.samples.map(\.id) != [folder.path + "/shard.tar"])
    let (rows, progress) = try Self.run(
      dataset, EvaluationOptions(), Self.temporaryPath())
    #expect(rows.map(\.result.image) == [folder.path + "/shard.tar/2.png"])
    #expect(rows.map(\.result.predicted) == ["two"])
    #expect(progress.counts == [1, 1, 0])
  }

  @Test(arguments: [1, 3, 4, 6])
  func `a stopped run on archives continues without losing or repeating a row`(stop: Int) throws {
    let photos = try (0..<8).map { (name: "\($0).png", bytes: try MemoryObjects.photo($0)) }
    let options = MemoryObjects.options([
      Self.prefix + "1.tar": MemoryObjects.archive(Array(photos[..<3])),
      Self.prefix + "2.tar": Array(MemoryObjects.archive(Array(photos[3..<6])).dropLast(1024)),
      Self.prefix + "3.tar": MemoryObjects.archive(Array(photos[6...])),
    ])
    let path = Self.temporaryPath()
    let dataset = try Dataset(images: [Self.prefix])
    let (before, stopped) = try Self.run(dataset, options, path, stoppingAt: stop)
    #expect(before.count >= stop && stopped.count >= stopped.done)
    for retrying in [false, true] {
      let (rows, progress) = try Self.run(dataset, options, path, retrying: retrying)
      #expect(rows.count == 9)
      #expect(Set(rows.map(\.result.image)).count == 9)
      #expect(Set(rows.map(\.result.index)) == Set(0..<9))
      #expect(rows.compactMap(\.result.predicted).sorted() == Self.words.sorted())
      #expect(progress.counts == [9, 9, 1])
    }
  }

  @Test func `parts take every object once, and an archive as a whole`() throws {
    let shard = MemoryObjects.archive([
      ("2.png", try MemoryObjects.photo(2)), ("3.png", try MemoryObjects.photo(3)),
    ])
    let options = MemoryObjects.options([
      Self.prefix + "a.png": try MemoryObjects.photo(0), Self.prefix + "b.tar": shard,
      Self.prefix + "c.png": try MemoryObjects.photo(1),
      Self.prefix + "d.png": try MemoryObjects.photo(4),
    ])
    let dataset = try Dataset(images: [Self.prefix, "\(Self.demo)/images/digit-7-01.png"])
    var images: [String] = []
    for part in 1...2 {
      images += try Self.run(dataset.part(part, of: 2), options, Self.temporaryPath()).rows
        .map { $0.result.predicted ?? "none" }
    }
    #expect(images == ["zero", "one", "two", "three", "four", "seven"])
  }

  @Test func `a name that occurs twice in an archive is run once and reported`() throws {
    let shard = MemoryObjects.archive([
      ("2.png", try MemoryObjects.photo(2)), ("2.png", try MemoryObjects.photo(3)),
    ])
    let options = MemoryObjects.options([Self.prefix + "b.tar": shard])
    let dataset = try Dataset(images: [Self.prefix + "b.tar"])
    let rows = try Self.run(dataset, options, Self.temporaryPath()).rows
    #expect(rows.map(\.result.predicted) == ["two", nil])
    #expect(rows[1].result.errorDescription?.contains("more than one file '2.png'") == true)
  }

  @Test func `a file that is larger than an image may be is an error`() throws {
    let large = MemoryObjects.header("large.png", 200 << 20)
    let photo = MemoryObjects.archive([("2.png", try MemoryObjects.photo(2))]).dropLast(1024)
    let options = MemoryObjects.options(["https://host/b.tar?key=a": photo + large])
    let dataset = try Dataset(images: ["https://host/b.tar?key=a"])
    let rows = try Self.run(dataset, options, Self.temporaryPath()).rows
    #expect(
      rows.map(\.result.image)
        == ["/2.png", "/large.png", ""].map { "https://host/b.tar?key=a" + $0 })
    #expect(rows[1].result.errorDescription?.hasSuffix("is larger than 128 MiB.") == true)
    #expect(rows[2].result.errorDescription?.contains("cut short") == true)
  }

  @Test func `addresses below a prefix aren't run a second time`() throws {
    let dataset = try Dataset(images: [
      "s3://bucket", "s3://bucket/a.jpg", "s3://bucket/b/", "s3://bucket/data",
      "s3://bucket2/a.jpg",
    ])
    #expect(
      dataset.samples.map(\.id) == ["s3://bucket/", "s3://bucket/data", "s3://bucket2/a.jpg"])
    #expect(dataset.notes.contains { $0.contains("2 repeated paths") })
  }

  @Test func `what an archive has is found by its first sample, and errors before it are thrown`()
    throws
  {
    let good = MemoryObjects.archive([("a.txt", [1]), ("a.flac", [1])])
    let options = MemoryObjects.options([
      "s3://b/1.tar": [1], "s3://b/2.tar": good, "s3://b/3.tar": [],
    ])
    func content(_ paths: String...) throws -> Dataset.Content {
      var dataset = try Dataset(images: paths)
      try dataset.findContent(with: options.objects)
      return dataset.content
    }
    #expect(try content("s3://b/1.tar", "s3://b/2.tar") == .recordings)
    #expect(try content("s3://b/") == .recordings)
    #expect(try content("s3://b/1.tar", "a.npy") == .values)
    #expect(try content("a.png", "s3://b/1.tar") == .images)
    let error = #expect(throws: TensorIOError.self) { try content("s3://b/1.tar", "s3://b/3.tar") }
    #expect(error?.message.contains("'s3://b/1.tar' is damaged at byte 0") == true)
    #expect(throws: TensorIOError.self) { try content("s3://nothing/") }
  }
}

extension BulkRun.Progress {
  var counts: [Int] { [done, count, failed] }
}
