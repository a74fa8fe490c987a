// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TestSupport
import Testing

/// The repository with its blobs in S3, used on the command line.
@Suite(.enabled(if: S3Peer.isThere, "TENSORIO_PYTHON isn't set."))
struct RepositoryS3CommandTests {
  private static let digits = CommandRunner.packageFolder.path + "/Demo/digits.tiobundle"
  /// Removes the credentials of the person who runs the tests.
  private static let nobody: [String: String?] = [
    "AWS_ACCESS_KEY_ID": nil, "AWS_SECRET_ACCESS_KEY": nil, "AWS_SESSION_TOKEN": nil,
    "AWS_REGION": nil, "AWS_DEFAULT_REGION": nil,
  ]

  @Test func `models are served from a bucket, and the maintenance commands work on it`()
    async throws
  {
    let address = try await S3Peer.address()
    let bucket = "command-\(UUID().uuidString.lowercased())"
    try await S3Peer.ask(["do": "make", "bucket": bucket])
    let secrets = [
      "AWS_ACCESS_KEY_ID": address.accessKey, "AWS_SECRET_ACCESS_KEY": address.secret,
      "AWS_SESSION_TOKEN": address.token, "AWS_DEFAULT_REGION": address.region,
    ]
    let place = ["--blobs", "s3://\(bucket)/models", "--s3-endpoint", address.endpoint]
    let repository = try await RunningRepository(place, secrets: secrets)
    let folder = try TemporaryFolder()
    // The server gives up on the first blob after five attempts, and the client retries.
    try await S3Peer.ask([
      "do": "faults", "bucket": bucket,
      "faults": [
        [
          "method": "PUT", "match": "/sha256/", "act": "status", "status": 503,
          "code": "SlowDown", "times": 7,
        ]
      ],
    ])
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    #expect(try await repository.pull("digits", into: folder.path) == "1.0")
    for name in ["model.json", "model.tflite"] {
      #expect(
        try Data(contentsOf: URL(filePath: folder.path + "/digits.tiobundle/" + name))
          == Data(contentsOf: URL(filePath: Self.digits + "/" + name)))
    }
    // The folder records the bucket; the credentials come from the environment.
    let with = Self.nobody.merging(secrets.mapValues { $0 }) { $1 }
    // Back up while the server runs, then restore to a folder and to another prefix.
    let backup = folder.path + "/backup"
    func maintain(_ arguments: String...) async throws -> String {
      let result = try await CommandRunner.run(["repository"] + arguments, environment: with)
      #expect(result.status == 0, "\(arguments): \(result.error)")
      return result.output
    }
    _ = try await maintain("backup", backup, "--with-keys", "--data", repository.data)
    for (name, place) in [("folder", []), ("bucket", ["--blobs", "s3://\(bucket)/2"])] {
      let data = folder.path + "/" + name
      let endpoint = place.isEmpty ? [] : ["--s3-endpoint", address.endpoint]
      let result = try await CommandRunner.run(
        ["repository", "restore", backup, "--data", data] + place + endpoint, environment: with)
      #expect(result.status == 0, "\(result.error)")
      #expect(try await maintain("fsck", "--rehash", "--data", data).contains("sound"))
    }
    #expect(await repository.end(with: SIGTERM) == 0)
    let keys = try await S3Peer.ask(["do": "list", "bucket": bucket])["keys"] as? [String]
    #expect(keys?.contains("models/repository.json") == true)
    #expect(keys?.count { $0.hasPrefix("models/sha256/") } ?? 0 > 2)

    func run(
      _ arguments: [String], _ environment: [String: String?], status: Int32
    ) async throws -> String {
      let result = try await CommandRunner.run(
        ["repository"] + arguments + ["--data", repository.data], environment: environment)
      #expect(result.status == status, "\(arguments): \(result.output)\(result.error)")
      #expect(!(result.output + result.error).contains(address.secret))
      return result.output + result.error
    }
    #expect(try await run(["fsck", "--rehash"], with, status: 0).contains("sound"))
    #expect(try await run(["gc"], with, status: 0).hasPrefix("0 blobs"))
    #expect(try await run(["fsck"], Self.nobody, status: 65).contains("AWS_ACCESS_KEY_ID"))
    // A token is created without access to the store.
    _ = try await run(["token", "create", "x", "--scope", "read"], Self.nobody, status: 0)
    let other = try await run(
      ["serve", "--blobs", "s3://\(bucket)/other", "--s3-endpoint", address.endpoint], with,
      status: 65)
    #expect(other.contains("s3://\(bucket)/models") && other.contains("s3://\(bucket)/other"))
  }

  @Test(arguments: [
    (["--s3-endpoint", "https://a"], 64, "--blobs"), (["--blobs", "models"], 65, "s3://BUCKET"),
    (["--blobs", "s3://models", "--s3-endpoint", "http://example.com"], 65, "https"),
    (["--blobs", "s3://models", "--s3-endpoint", "http://127.0.0.1:1"], 65, "127.0.0.1:1"),
  ])
  func `wrong arguments for the blob store are refused`(
    arguments: [String], status: Int32, word: String
  ) async throws {
    let folder = try TemporaryFolder()
    let result = try await CommandRunner.run(
      ["repository", "serve", "--data", folder.path + "/data", "--port", "0"] + arguments,
      environment: Self.nobody.merging([
        "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
      ]) { $1 })
    #expect(result.status == status && result.error.contains(word), "\(result.error)")
  }
}
#endif
