// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `tensorio bulk` and `tensorio worker` with objects in S3, on web servers and in tar archives.
@Suite(
  .enabled(if: hasLiteRT, "The LiteRT library is missing; run 'make setup'."),
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
struct BulkObjectTests {
  private typealias Row = [String: Any]
  private static let model = ["--model", "Demo/digits.tiobundle"]
  /// Runs `bulk`, and returns the rows.
  private static func rows(
    _ inputs: [String], _ environment: [String: String?] = ObjectBucket.nobody, status: Int32 = 0
  ) async throws -> [Row] {
    let folder = try TemporaryFolder()
    let path = folder.path + "/rows.jsonl"
    let result = try await CommandRunner.run(
      ["bulk", "-o", path] + model + inputs, environment: environment)
    #expect(result.status == status, "\(result.error)")
    return try read(path)
  }

  private static func read(_ path: String) throws -> [Row] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Row)
    }
  }

  /// What must be equal, wherever a photo comes from, and the end of its name.
  private static func comparable(_ rows: [Row]) throws -> [String] {
    try rows.map { row in
      let evaluation = row["evaluation"] as? Row
      let image = try #require(row["image"] as? String)
      let kept: Row = [
        "results": evaluation?["inference_results"] ?? "none", "run": row["run"] ?? "none",
        "predicted": row["predicted"] ?? "none", "index": row["index"] ?? "none",
        "error": row["error"] ?? "none", "score": row["score"] ?? "none",
        "image": URL(filePath: image).lastPathComponent,
      ]
      return String(
        decoding: try JSONSerialization.data(withJSONObject: kept, options: .sortedKeys),
        as: UTF8.self)
    }
  }

  private static func message(_ row: Row?) -> String { row?["error_description"] as? String ?? "" }

  // MARK: - S3

  @Test func `photos below a prefix in S3 have the rows of the folder`() async throws {
    let (bucket, settings) = try await ObjectBucket.make()
    // Names with characters that URLs and signatures escape, and what isn't a photo.
    let photo = try #require(ObjectBucket.photos.last)
    for key in [
      "photos/z ü+&%=~'(1).png", "photos/zz/x.png", "photos/a.txt", "photos/.b.png", "c.png",
    ] {
      try await ObjectBucket.put(photo, as: key, bucket)
    }
    try await S3Peer.ask(["do": "page", "bucket": bucket, "keys": 7])
    let rows = try await Self.rows(["s3://\(bucket)/photos/"], settings)
    let names = rows.compactMap { $0["image"] as? String }
    let special = ["z ü+&%=~'(1).png", "zz/x.png"].map { "s3://\(bucket)/photos/\($0)" }
    #expect(Array(names.suffix(2)) == special)
    #expect(rows.allSatisfy { $0["type"] as? String == "url" })
    let expected = try await Self.rows(["Demo/images"])
    #expect(try Self.comparable(Array(rows.dropLast(2))) == Self.comparable(expected))
    let last = expected.last?["score"] as? Double
    #expect(rows.suffix(2).allSatisfy { $0["score"] as? Double == last })
    let requests = try await ObjectBucket.requests(bucket)
    #expect(requests.count { $0.contains("list-type=2") } == 5)
    #expect(requests.allSatisfy { $0.hasSuffix(" 200") })
  }

  @Test func `a bucket that is public needs no keys`() async throws {
    let (bucket, settings) = try await ObjectBucket.make("public")
    var unsigned = settings
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] {
      unsigned[name] = .some(nil)
    }
    let rows = try await Self.rows(["s3://\(bucket)"], unsigned)
    #expect(rows.count == 20 && rows.allSatisfy { $0["error"] as? Bool == false })
  }

  @Test func `errors of S3 say what to set`() async throws {
    let (bucket, settings) = try await ObjectBucket.make()
    let photo = "s3://\(bucket)/photos/digit-7-01.png"
    func message(_ address: String, _ changes: [String: String?]) async throws -> String {
      let row = try await Self.rows([address], settings.merging(changes) { $1 }, status: 65).first
      return Self.message(row)
    }
    let noKey: [String: String?] = [
      "AWS_ACCESS_KEY_ID": nil, "AWS_SECRET_ACCESS_KEY": nil, "AWS_SESSION_TOKEN": nil,
    ]
    #expect(
      try await message(photo, noKey)
        == "'\(photo)' can't be fetched: the server returned status 403 (AccessDenied). "
        + "The signature is missing. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    let wrong = try await message(photo, ["AWS_SECRET_ACCESS_KEY": "another"])
    #expect(wrong.contains("403 (SignatureDoesNotMatch)"))
    #expect(wrong.hasSuffix("Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."))
    let expired = try await message(photo, ["AWS_SESSION_TOKEN": "old"])
    #expect(expired.contains("(InvalidToken)") && expired.contains("Set AWS_SESSION_TOKEN"))
    let missing = try await message("s3://\(bucket)/none.png", [:])
    #expect(missing.contains("'s3://\(bucket)/none.png'") && missing.contains("404 (NoSuchKey)"))
    #expect(try await message("s3://a b/c.png", [:]).contains("no valid bucket name"))
    #expect(
      try await message(photo, ["AWS_SECRET_ACCESS_KEY": nil])
        .hasPrefix("AWS_SECRET_ACCESS_KEY isn't set"))
    // What can't even be listed ends the command.
    let folder = try TemporaryFolder()
    let listed = try await CommandRunner.run(
      ["bulk", "s3://no-such-\(bucket)/", "-o", folder.path + "/a.jsonl"] + Self.model,
      environment: settings)
    #expect(listed.status == 66)
    #expect(
      listed.error.contains("404 (NoSuchBucket)") && listed.error.contains("AWS_ENDPOINT_URL_S3"))
  }

  @Test func `requests to S3 are repeated while it is busy`() async throws {
    let (bucket, settings) = try await ObjectBucket.make()
    let busy: [String: Any] = ["act": "status", "status": 503, "code": "SlowDown", "method": "GET"]
    func fault(_ match: String, _ times: Int) -> [String: Any] {
      busy.merging(["match": match, "times": times]) { $1 }
    }
    let faults: [[String: Any]] = [
      fault("list-type", 1), fault("digit-1-01", 1), fault("digit-2-01", 100),
      ["act": "cut", "match": "digit-3-01", "bytes_sent": 100, "times": 2],
      ["act": "drop", "match": "digit-4-01", "times": 1],
    ]
    try await S3Peer.ask(["do": "faults", "bucket": bucket, "faults": faults])
    let rows = try await Self.rows(["s3://\(bucket)/photos/"], settings)
    #expect(rows.count == 20)
    let failed = rows.filter { $0["error"] as? Bool == true }
    #expect(failed.count == 1)
    let message = Self.message(failed.first)
    #expect(message.contains("digit-2-01.png' can't be fetched: the server returned status 503"))
    #expect(message.contains("(SlowDown)") && message.hasSuffix("There were 4 attempts."))
  }

  @Test func `a worker fetches a photo from S3`() async throws {
    let (bucket, settings) = try await ObjectBucket.make()
    let item = #"{"type":"item","id":1,"url":"s3://\#(bucket)/photos/digit-7-01.png"}"#
    let result = try await CommandRunner.run(
      ["worker", "Demo/digits.tiobundle", "--json-lines"], environment: settings,
      input: item + "\n")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains(#""predicted":"seven""#))
  }

  // MARK: - Archives

  @Test func `archives of Python and of webdataset have the rows of the folder`() async throws {
    let folder = try TemporaryFolder()
    try await Python.run(["Tools/peers/shards.py", "photos", folder.path] + ObjectBucket.photos)
    let expected = try await Self.rows(["Demo/images"])
    let (bucket, settings) = try await ObjectBucket.make()
    let server = try FlakyServer(folder.path)
    for name in ["ustar.tar", "gnu.tar", "pax.tar", "webdataset.tar"] {
      let path = folder.path + "/" + name
      try await ObjectBucket.put(path, as: "shards/" + name, bucket)
      let rows = try await Self.rows([path])
      #expect(try Self.comparable(rows) == Self.comparable(expected), "\(name)")
      #expect(rows.first?["image"] as? String == path + "/digit-0-01.png")
      #expect(rows.first?["type"] as? String == "file")
      #expect(rows.first?["test_bundle"] as? String == path)
    }
    let all = try await Self.rows(["s3://\(bucket)/shards/"], settings)
    #expect(all.count == 80 && all.allSatisfy { $0["error"] as? Bool == false })
    let one = try await Self.rows([server.address + "/plain/pax.tar"])
    #expect(try Self.comparable(one) == Self.comparable(expected))
  }

  @Test func `an archive whose connection ends is read on from the same byte`() async throws {
    let folder = try TemporaryFolder()
    try await Python.run(["Tools/peers/shards.py", "photos", folder.path] + ObjectBucket.photos)
    let server = try FlakyServer(folder.path)
    let expected = try await Self.rows([folder.path + "/gnu.tar"])
    for how in ["cut", "cut-whole", "recovers", "breaks"] {
      let rows = try await Self.rows(["\(server.address)/\(how)/gnu.tar"])
      #expect(try Self.comparable(rows) == Self.comparable(expected), "\(how)")
    }
    let replaced = try await Self.rows(["\(server.address)/replaced/gnu.tar"])
    #expect(replaced.count > 2 && replaced.count < 20)
    #expect(Self.message(replaced.last).contains("gnu.tar' was replaced while it was read"))
    let counts = try await server.finish()
    // The first request only finds out what the archive has.
    #expect(counts["/cut/gnu.tar"] == 3)
  }

  // MARK: - Web servers

  @Test func `a photo is fetched again after a failure, with the pause that the server asks for`()
    async throws
  {
    let server = try FlakyServer(Python.root.path + "/Demo/images")
    let hows = ["plain", "recovers", "breaks", "cut", "busy", "cut-always"]
    let clock = ContinuousClock()
    let start = clock.now
    let rows = try await Self.rows(hows.map { "\(server.address)/\($0)/digit-7-01.png" })
    #expect(clock.now - start > .seconds(1))
    #expect(
      rows.map { $0["predicted"] as? String } == ["seven", "seven", "seven", "seven", nil, nil])
    #expect(
      Self.message(rows[4]).hasSuffix(
        "digit-7-01.png' can't be fetched: the server returned status 503. There were 4 attempts."))
    #expect(Self.message(rows[5]).contains("closed the connection too early"))
    let counts = try await server.finish()
    #expect(hows.map { counts["/\($0)/digit-7-01.png"] } == [1, 3, 2, 3, 4, 4])
  }
}
