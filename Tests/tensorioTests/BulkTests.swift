// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `tensorio bulk`.
@Suite(.enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."))
struct BulkTests {
  private static let models = ["--model", "Demo/digits.tiobundle"]

  /// The model and the image of each row.
  private static func keys(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return "\(row?["model"] ?? "none") \(row?["image"] ?? "none")"
    }
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `images are fetched from URLs, and each failed download becomes an error row`() async throws
  {
    let server = try ImageServer()
    let folder = try TemporaryFolder()
    let paths = ["/digit-7-01.png", "/moved", "/none.png", "/round", "/cut", "/large"]
    let refused = "http://127.0.0.1:1/a.png"
    let result = try await CommandRunner.run(
      ["bulk", "-o", folder.path + "/rows.jsonl"] + Self.models + paths.map { server.address + $0 }
        + [refused, "http://no.such.host.invalid/a.png", "http://[/"])
    #expect(result.status == 0, "\(result.error)")
    let text = try String(contentsOfFile: folder.path + "/rows.jsonl", encoding: .utf8)
    let rows = try text.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(rows.map { $0["type"] as? String } == Array(repeating: "url", count: 9))
    #expect(
      rows.map { $0["predicted"] as? String } == ["seven", "seven"]
        + Array(repeating: nil, count: 7))
    let errors = rows.map { $0["error_description"] as? String ?? "" }
    #expect(errors[2].contains("none.png' can't be fetched: the server returned status 404"))
    #expect(errors[3].contains("/round' can't be fetched: "))
    #expect(errors[4].contains("/cut' can't be fetched: "))
    #expect(errors[5].contains("/large' is larger than 128 MiB"))
    #expect(errors[6].contains("refused"))
    #expect(errors[7].contains("no.such.host.invalid"))
    #expect(errors[8].contains("'http://[/'"))
  }

  @Test func `a run in which every image failed is an error`() async throws {
    let folder = try TemporaryFolder()
    let (good, bad) = ("Demo/images/digit-7-01.png", folder.path + "/bad.png")
    try Data("no image".utf8).write(to: URL(filePath: bad))
    func run(_ images: [String], _ name: String) async throws -> CommandRunner.Result {
      try await CommandRunner.run(["bulk", "-o", folder.path + "/" + name] + Self.models + images)
    }
    #expect(try await run([good, bad], "some.jsonl").status == 0)
    let result = try await run([bad], "none.jsonl")
    #expect(result.status == 65)
    let start = "error: 'digits' failed for every image, first with: "
    #expect(
      result.error.hasPrefix(start) && result.error.contains("bad.png"), "\(result.error)")
    #expect(try Self.keys(folder.path + "/none.jsonl").count == 1)
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite", "rows.csv"])
  func `a run resumes after kill -9 without losing or duplicating rows`(name: String) async throws {
    let folder = try TemporaryFolder()
    let arguments = ["bulk", "Demo/digits-training", "--model", "Demo/digits.tiobundle"]
    let results = ["-o", folder.path + "/" + name, "--resume", "--iterations", "50"]
    // On a fast machine some runs finish before the signal; the rows must still be right.
    for seconds in [0.15, 0.3, 0.45] {
      _ = try await CommandRunner.run(
        arguments + results, interruptedAfter: seconds, signal: SIGKILL)
    }
    let export = name == "rows.sqlite" ? ["-o", folder.path + "/export.jsonl"] : []
    let rest = try await CommandRunner.run(arguments + results + export)
    if rest.status == 0 {
      #expect(rest.output.contains("350   350"))
    } else {
      // A run finished before its signal, and rows can't be added to a complete table.
      #expect(name == "rows.csv" && rest.error.contains("rows.csv' is complete"))
    }
    switch name {
    case "rows.csv":
      let text = try String(contentsOfFile: folder.path + "/rows.csv", encoding: .utf8)
      let lines = text.split(separator: "\r\n")
      #expect(lines.count == 351)
      #expect(Set(lines.map { $0.prefix(60) }).count == 351)
      #expect(try !folder.contents.contains("rows.csv.rows.jsonl"))
    default:
      let path = folder.path + (name == "rows.jsonl" ? "/rows.jsonl" : "/export.jsonl")
      let keys = try Self.keys(path)
      #expect(keys.count == 350)
      #expect(Set(keys).count == 350)
    }
  }

  @Test func `Ctrl-C keeps the finished rows and suggests --resume`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/rows.jsonl"
    let arguments = ["bulk", "Demo/digits-training", "-o", path] + Self.models
    let result = try await CommandRunner.run(
      arguments + ["--iterations", "200"], interruptedAfter: 1.5)
    let count = try Self.keys(path).count
    #expect(count > 0)
    #expect(result.status == (count < 350 ? 130 : 0))
    if count < 350 { #expect(result.error.contains("--resume continues")) }
  }

  @Test func `existing results are overwritten only with --force`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/rows.jsonl"
    let arguments = ["bulk", "Demo/images", "-o", path] + Self.models
    #expect(try await CommandRunner.run(arguments).status == 0)
    let again = try await CommandRunner.run(arguments)
    #expect(again.status == 64)
    #expect(again.error.contains("--resume"))
    #expect(try await CommandRunner.run(arguments + ["--force"]).status == 0)
    #expect(try Self.keys(path).count == 20)
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite", "rows.csv"])
  func `files that aren't results are refused and left unchanged`(name: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/" + name
    for text in ["my notes, without a line's end", "line one\nprecious\n", "{\"error\": 1}\n"] {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let result = try await CommandRunner.run(
        ["bulk", "Demo/images", "-o", path, "--resume"] + Self.models)
      #expect(result.status != 0)
      #expect(result.error.contains(path))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
  }

  @Test(arguments: ["rows.jsonl", "rows.sqlite", "rows.csv"])
  func `two runs can't write the same results at once`(name: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/" + name
    // Hold the lock, as another run would.
    let lock = path + (name == "rows.csv" ? ".rows.jsonl.lock" : ".lock")
    let descriptor = open(lock, O_RDWR | O_CREAT, 0o644)
    try #require(flock(descriptor, LOCK_EX) == 0)
    let arguments = ["bulk", "Demo/images", "-o", path, "--resume"] + Self.models
    let refused = try await CommandRunner.run(arguments)
    #expect(refused.status == 65)
    #expect(refused.error.contains("Another run"))
    // Results that another run writes are not removed either.
    let files: Set = [path, String(lock.dropLast(5))]
    for file in files {
      try "kept".write(toFile: file, atomically: true, encoding: .utf8)
    }
    let forced = try await CommandRunner.run(arguments.map { $0 == "--resume" ? "--force" : $0 })
    #expect(forced.status == 65 && forced.error.contains("Another run"))
    for file in files {
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
      try FileManager.default.removeItem(atPath: file)
    }
    close(descriptor)
    #expect(try await CommandRunner.run(arguments).status == 0)
  }
}
