// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import TestSupport
import Testing

/// Damaged blobs that a server fetches again from a mirror.
@Suite struct RepositoryMirrorTests {
  private static let digits = CommandRunner.packageFolder.path + "/Demo/digits.tiobundle"

  /// The status and the size of the response for a blob, as curl reports them.
  private static func get(_ digest: String, _ server: RunningRepository) async throws -> String {
    try await CommandRunner.run(
      [
        "-s", "-o", "/dev/null", "-w", "%{http_code} %{size_download}",
        "\(server.address)/v1/blobs/sha256:\(digest)",
      ], executable: URL(filePath: "/usr/bin/curl")
    ).output
  }

  @Test func `a damaged blob is replaced from the mirror`() async throws {
    let push = ["push", Self.digits, "--model", "digits", "--as", "1"]
    let first = try await RunningRepository()
    try await first.run(push)
    let second = try await RunningRepository(["--mirror", first.address])
    try await second.run(push)

    let model = try Data(contentsOf: URL(filePath: Self.digits + "/model.tflite"))
    let digest = BlobDigest(of: model).hexadecimal
    let file = "\(second.data)/blobs/sha256/\(digest.prefix(2))/\(digest)"
    var damaged = model
    damaged[1000] ^= 1
    try damaged.write(to: URL(filePath: file))
    #expect(try await Self.get(digest, second).hasPrefix("500"))
    var answer = ""
    for _ in 0..<3000 where answer != "200 \(model.count)" {
      try await Task.sleep(for: .milliseconds(100))
      answer = try await Self.get(digest, second)
    }
    #expect(answer == "200 \(model.count)")
    #expect(try Data(contentsOf: URL(filePath: file)) == model)
    let audit = try await second.run("audit", "--limit", "1")
    #expect(audit.output.contains("blob.recover") && audit.output.contains(first.address))
  }
}
#endif
