// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TensorIO
import TensorIOLiteRT
import Testing

@testable import NetRunner

@Suite struct BulkRunTests {
  private static let demo = EvaluatorTests.demo

  private static func folder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
  }

  private static func log(_ path: String) throws -> any BulkLog {
    path.hasSuffix(".sqlite") ? try SQLiteLog(path) : try JSONLinesLog(path)
  }

  private static func rows(_ path: String) throws -> [BulkRow] {
    var rows: [BulkRow] = []
    try log(path).forEachRow { rows.append($0) }
    return rows
  }

  private static func run(
    _ path: String, stoppingAt stop: Int = .max, options: EvaluationOptions = EvaluationOptions()
  ) throws -> [BulkRun.Progress] {
    let images = try Dataset(images: ["\(demo)/images", "nowhere.png"])
    let bundles = try ["digits", "digits-int8"].map { try ModelBundle("\(demo)/\($0).tiobundle") }
    var seen = 0
    return try BulkRun(images, options: options, log: log(path)).run(
      bundles, with: [.liteRT], until: { seen >= stop }, onProgress: { _ in seen += 1 })
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite"])
  func `every model has a row for every image, in order`(name: String) throws {
    let path = try Self.folder() + "/" + name
    var options = EvaluationOptions()
    options.threads = 3
    let progress = try Self.run(path, options: options)
    #expect(progress.map(\.done) == [21, 21])
    #expect(progress.map(\.failed) == [1, 1])
    let rows = try Self.rows(path)
    #expect(rows.count == 42)
    #expect(rows.map(\.result.index) == Array(0..<21) + Array(0..<21))
    #expect(rows[20].result.errorDescription?.contains("nowhere.png") == true)
    let seven = try #require(rows.first { $0.result.image.hasSuffix("digit-7-01.png") })
    #expect(seven.result.predicted == "seven")
    #expect(seven.result.evaluation?.inferenceResults.count == 1)
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite"])
  func `a stopped run continues without losing or duplicating a row`(name: String) throws {
    let path = try Self.folder() + "/" + name
    let expected = try Self.folder() + "/" + name
    _ = try Self.run(expected)
    _ = try Self.run(path, stoppingAt: 5)
    let before = try Self.rows(path).count
    #expect((5...30).contains(before))
    _ = try Self.run(path, stoppingAt: 9)
    let progress = try Self.run(path)
    #expect(progress.map(\.done) == [21, 21])
    let key = { (row: BulkRow) in "\(row.result.model) \(row.result.image) \(row.run)" }
    #expect(try Self.rows(path).map(key) == Self.rows(expected).map(key))
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite"])
  func `failed images are retried on request`(name: String) throws {
    let folder = try Self.folder()
    let path = folder + "/" + name
    let late = folder + "/late.png"
    let images = try Dataset(images: ["\(Self.demo)/images/digit-7-01.png", late])
    let bundles = [try ModelBundle("\(Self.demo)/digits.tiobundle")]
    func run(retrying: Bool) throws -> BulkRun.Progress {
      let run = BulkRun(images, log: try Self.log(path), retriesFailures: retrying)
      return try #require(run.run(bundles, with: [.liteRT]).first)
    }
    try #expect(run(retrying: false).failed == 1)
    try FileManager.default.copyItem(
      atPath: "\(Self.demo)/images/digit-3-01.png", toPath: late)
    let untouched = try run(retrying: false)
    #expect(untouched.failed == 1 && untouched.resumed == 2)
    let retried = try run(retrying: true)
    #expect(retried.failed == 0 && retried.resumed == 1 && retried.done == 2)
    let rows = try Self.rows(path)
    #expect(rows.map(\.result.error) == [false, false])
    #expect(rows.map(\.result.predicted) == ["seven", "three"])
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite"])
  func `names that only look the same are different images`(name: String) throws {
    let folder = try Self.folder()
    let path = folder + "/" + name
    // An e with an accent as one character, and as two.
    let images = ["\(folder)/\u{E9}.png", "\(folder)/e\u{301}.png"]
    for image in images {
      try Data(contentsOf: URL(filePath: "\(Self.demo)/images/digit-7-01.png"))
        .write(to: URL(filePath: image))
    }
    let bundles = [try ModelBundle("\(Self.demo)/digits.tiobundle")]
    for count in 1...2 {
      let run = BulkRun(try Dataset(images: Array(images.prefix(count))), log: try Self.log(path))
      let progress = try #require(run.run(bundles, with: [.liteRT]).first)
      #expect(progress.done == count && progress.resumed == count - 1)
    }
    #expect(
      try Self.rows(path).map { Array($0.result.image.utf8) } == images.map { Array($0.utf8) })
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite"])
  func `retrying failures keeps the rows of other settings`(name: String) throws {
    let path = try Self.folder() + "/" + name
    _ = try Self.run(path)
    var options = EvaluationOptions()
    options.kept = .all
    let bundles = [try ModelBundle("\(Self.demo)/digits.tiobundle")]
    #expect(throws: TensorIOError.self) {
      try BulkRun(
        Dataset(images: ["nowhere.png"]), options: options, log: Self.log(path),
        retriesFailures: true
      ).run(bundles, with: [.liteRT])
    }
    try #expect(Self.rows(path).count == 42)
  }

  @Test func `a truncated line is removed`() throws {
    let path = try Self.folder() + "/rows.jsonl"
    _ = try Self.run(path)
    let whole = try Data(contentsOf: URL(filePath: path))
    let rows = try Self.rows(path)
    for cut in [1, 2, 300, whole.count / 2, whole.count - 1, whole.count] {
      try whole.dropLast(cut).write(to: URL(filePath: path))
      _ = try Self.run(path)
      #expect(try Self.rows(path).map(\.result.image) == rows.map(\.result.image))
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "/proc/self/mem"),
      "The system has no file that can be opened, but not read."))
  func `a file that can't be read is an error instead of the end of the rows`() throws {
    let path = try Self.folder() + "/rows.jsonl"
    let log = try JSONLinesLog(path)
    let files = FileManager.default
    // This file can be opened, but its beginning can't be read.
    let unreadable = "/proc/self/mem"
    try files.removeItem(atPath: path)
    try files.createSymbolicLink(atPath: path, withDestinationPath: unreadable)
    let error = #expect(throws: TensorIOError.self) { try log.forEachRow { _ in } }
    #expect(error?.code == .unreadableFile)
    #expect(throws: TensorIOError.self) { try log.removeFailures(of: ["digits"]) }
    #expect(try files.destinationOfSymbolicLink(atPath: path) == unreadable)
    let other = try Self.folder() + "/rows.jsonl"
    try files.createSymbolicLink(atPath: other, withDestinationPath: unreadable)
    let opening = #expect(throws: TensorIOError.self) { _ = try JSONLinesLog(other) }
    #expect(opening?.code == .unreadableFile)
  }

  /// The number of locks that are held.
  private final class Holders: Sendable {
    private let count = Mutex(0)

    func add(_ number: Int) -> Int {
      count.withLock {
        $0 += number
        return $0
      }
    }
  }

  @Test func `only one run at a time holds the lock of the results`() async throws {
    let path = try Self.folder() + "/rows.jsonl"
    let holders = Holders()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<50 {
            // Others can be faster for a second, which is not what this tests.
            guard let lock = try? LogLock(for: path) else { continue }
            let number = holders.add(1)
            #expect(number == 1)
            _ = holders.add(-1)
            withExtendedLifetime(lock) {}
          }
        }
      }
    }
    #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
    // A lock file that a killed run left is harmless.
    try Data().write(to: URL(filePath: path + ".lock"))
    let lock = try LogLock(for: path)
    let error = #expect(throws: TensorIOError.self) { _ = try LogLock(for: path) }
    #expect(error?.message.contains("Another run is writing") == true)
    withExtendedLifetime(lock) {}
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite"])
  func `rows of other settings are rejected`(name: String) throws {
    let path = try Self.folder() + "/" + name
    _ = try Self.run(path)
    var options = EvaluationOptions()
    options.kept = .all
    let error = #expect(throws: TensorIOError.self) { try Self.run(path, options: options) }
    #expect(error?.message.contains("a different 'digits'") == true)
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite"])
  func `a file of another kind is rejected and unchanged`(name: String) throws {
    let path = try Self.folder() + "/" + name
    let text = "this is a letter, not a table of results, and it is longer than a header is.\n"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let error = #expect(throws: TensorIOError.self) { try Self.run(path) }
    #expect(error?.message.contains(path) == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test(arguments: BulkExport.allCases)
  func `exports have every row`(format: BulkExport) throws {
    let folder = try Self.folder()
    _ = try Self.run(folder + "/rows.sqlite")
    let path = folder + "/export." + format.rawValue
    try format.write(Self.log(folder + "/rows.sqlite"), to: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    switch format {
    case .jsonLines: #expect(try Self.rows(path).count == 42)
    case .csv: #expect(text.split(separator: "\r\n").count == 43)
    case .json:
      struct Document: Decodable { var results: [ResultRow] }
      let document = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
      #expect(document.results.count == 42)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy {
        !$0.hasSuffix(".part")
      })
  }
}
