// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `tensorio list` with objects in S3 and with archives, and parts of `bulk` on what it lists.
@Suite(
  .enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."),
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
struct ListObjectTests {
  private static let model = ["--model", "Demo/digits.tiobundle"]

  /// Runs a command that must succeed.
  @discardableResult
  private static func run(
    _ arguments: [String], _ settings: [String: String?]
  ) async throws -> CommandRunner.Result {
    let result = try await CommandRunner.run(arguments, environment: settings)
    #expect(result.status == 0, "\(arguments): \(result.error)")
    return result
  }

  /// The columns of each row that aren't times.
  private static func columns(_ path: String) throws -> [[Substring]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\r\n").map {
      Array($0.split(separator: ",", omittingEmptySubsequences: false).prefix(11))
    }
  }

  /// Checks that 1, 2 and 7 parts of listed inputs have the rows of a run on the inputs.
  private static func compareParts(
    of inputs: [String], items: Int, rows: Int, _ settings: [String: String?]
  ) async throws {
    let folder = try TemporaryFolder()
    let manifest = folder.path + "/photos.manifest"
    let listed = try await run(["list", "-o", manifest] + inputs, settings)
    #expect(listed.output == "\(manifest): \(items) items\n")
    let whole = folder.path + "/whole.csv"
    try await run(["bulk", "-o", whole] + inputs + model, settings)
    #expect(try columns(whole).count == rows + 1)
    for count in [1, 2, 7] {
      let ending = count == 2 ? "sqlite" : "jsonl"
      for part in 1...count {
        let output = folder.path + "/{part}." + ending
        try await run(
          ["bulk", manifest, "--part", "\(part)/\(count)", "-o", output] + model, settings)
      }
      let parts = (1...count).map { "\(folder.path)/\($0)-of-\(count).\(ending)" }
      let merged = folder.path + "/merged-\(count)"
      try await run(
        ["merge", "-o", merged + ".csv", "-o", merged + ".db"] + parts.reversed(), settings)
      #expect(try columns(merged + ".csv") == columns(whole), "\(count)")
      try await run(["merge", merged + ".db", "-o", merged + "-again.csv"], settings)
      #expect(try columns(merged + "-again.csv") == columns(whole), "\(count)")
    }
  }

  @Test func `parts of a listed prefix have the rows of one run`() async throws {
    let (bucket, settings) = try await ObjectBucket.make()
    let photo = try #require(ObjectBucket.photos.last)
    for key in [
      "photos/z ü+&%=~'(1).png", "photos/zz/x.png", "photos/a.txt", "photos/.b.png", "c.png",
    ] {
      try await ObjectBucket.put(photo, as: key, bucket)
    }
    try await S3Peer.ask(["do": "page", "bucket": bucket, "keys": 7])
    let busy: [String: Any] = [
      "act": "status", "status": 503, "code": "SlowDown", "method": "GET", "match": "list-type",
      "after": 2, "times": 2,
    ]
    try await S3Peer.ask(["do": "faults", "bucket": bucket, "faults": [busy]])
    try await Self.compareParts(
      of: ["s3://\(bucket)/photos/", "Demo/images", "s3://\(bucket)/c.png"], items: 43, rows: 43,
      settings)
    let requests = try await ObjectBucket.requests(bucket)
    #expect(requests.count { $0.hasSuffix(" 503") } == 2)
  }

  @Test func `parts of listed archives have the rows of one run`() async throws {
    let folder = try TemporaryFolder()
    try await Python.run(["Tools/peers/shards.py", "photos", folder.path] + ObjectBucket.photos)
    let (bucket, settings) = try await ObjectBucket.make()
    for name in ["ustar.tar", "gnu.tar"] {
      try await ObjectBucket.put(folder.path + "/" + name, as: "photos/\(name)", bucket)
    }
    let cut = try Data(contentsOf: URL(filePath: folder.path + "/gnu.tar")).prefix(30_000)
    try cut.write(to: URL(filePath: folder.path + "/cut.tar"))
    let server = try FlakyServer(folder.path)
    let inputs =
      ["webdataset.tar", "cut.tar"].map { folder.path + "/" + $0 } + [
        server.address + "/plain/pax.tar", "s3://\(bucket)/photos/",
        server.address + "/busy/ustar.tar",
      ]
    let last = try #require(try Self.lastCut(folder.path))
    try await Self.compareParts(
      of: inputs, items: 4 + 22, rows: 20 + last + 1 + 20 + 20 + 40 + 1, settings)
  }

  /// The number of photos in the archive that is cut short, as Python finds them.
  private static func lastCut(_ folder: String) throws -> Int? {
    let size = try Data(contentsOf: URL(filePath: folder + "/cut.tar")).count
    var offset = 0
    var count = 0
    for path in ObjectBucket.photos {
      let bytes = try Data(contentsOf: URL(filePath: path)).count
      offset += 512 + bytes
      if offset > size { return count }
      count += 1
      offset += (-bytes & 511) + 1024
    }
    return nil
  }

  @Test func `a listing of objects that is killed or interrupted is continued`() async throws {
    let (bucket, settings) = try await ObjectBucket.make()
    // Long keys fill the buffer of the listing often.
    let name = String(repeating: "long-", count: 160)
    for number in 100..<400 {
      let object = ["do": "put", "bucket": bucket, "key": "p/\(number)-\(name).png", "bytes": ""]
      try await S3Peer.ask(object)
    }
    try await S3Peer.ask(["do": "page", "bucket": bucket, "keys": 10])
    let folder = try TemporaryFolder()
    func listing(_ name: String) -> [String] {
      ["list", "s3://\(bucket)/p/", "-o", folder.path + "/" + name, "--resume"]
    }
    try await Self.run(listing("whole.manifest"), settings)
    let path = folder.path + "/all.manifest"
    let variables = ProcessInfo.processInfo.environment.merging(["NO_COLOR": "1"]) { $1 }
      .filter { settings[$0.key] == nil }
      .merging(settings.compactMapValues(\.self)) { $1 }
    for (signal, pages, seconds) in [(SIGINT, 10, 5), (SIGKILL, 10, 60)] {
      // A page in the middle takes long, so that the signal comes there.
      let slow: [String: Any] = [
        "act": "slow", "seconds": seconds, "match": "list-type", "after": pages,
      ]
      try await S3Peer.ask(["do": "faults", "bucket": bucket, "faults": [slow]])
      let size = (try? Data(contentsOf: URL(filePath: path)).count) ?? 0
      let process = try ChildProcess(
        CommandRunner.binary.path, listing("all.manifest"), environment: variables)
      let hasWritten = try await eventually {
        (try? Data(contentsOf: URL(filePath: path)).count) ?? 0 > size
      }
      #expect(hasWritten)
      kill(process.identifier, signal)
      let result = await process.finish()
      #expect(result.status == (signal == SIGINT ? 130 : signal))
      if signal == SIGINT { #expect(result.error == "interrupted; --resume continues\n") }
      #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("sha256"))
    }
    try await S3Peer.ask(["do": "faults", "bucket": bucket, "faults": [] as [[String: Any]]])
    _ = try await ObjectBucket.requests(bucket)
    try await Self.run(listing("all.manifest"), settings)
    let texts = try ["all", "whole"].map {
      try Data(contentsOf: URL(filePath: "\(folder.path)/\($0).manifest"))
    }
    #expect(texts[0] == texts[1])
    let requests = try await ObjectBucket.requests(bucket)
    #expect(requests.count < 25)
    #expect(requests.contains { $0.contains("&start-after=p%2F") })
    // The server may record a request of the killed listing late. None lists from the beginning.
    #expect(
      requests.allSatisfy { $0.contains("&start-after=p%2F") || $0.contains("continuation-token=") }
    )
  }

  @Test func `what can't be listed is an error, and leaves no manifest`() async throws {
    let (bucket, settings) = try await ObjectBucket.make()
    let folder = try TemporaryFolder()
    func message(
      _ input: String, _ changes: [String: String?] = [:], status: Int32 = 66
    ) async throws -> String {
      let result = try await CommandRunner.run(
        ["list", input, "-o", folder.path + "/x.manifest"],
        environment: settings.merging(changes) { $1 })
      #expect(result.status == status)
      #expect(try folder.contents.isEmpty)
      return result.error
    }
    let nothing = try await message("s3://\(bucket)/nothing/")
    #expect(nothing.hasPrefix("error: There are no images (.jpg,"))
    #expect(nothing.hasSuffix(" in 's3://\(bucket)/nothing/'.\n"))
    let missing = try await message("s3://no-such-\(bucket)/")
    #expect(missing.contains("404 (NoSuchBucket)"))
    let wrong = try await message(
      "s3://\(bucket)", ["AWS_SECRET_ACCESS_KEY": "another"], status: 65)
    #expect(wrong.contains("403 (SignatureDoesNotMatch)"))
  }
}
