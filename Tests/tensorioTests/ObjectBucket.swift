// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Buckets with the demo's images, in the S3 server of `Tools/peers/s3.py`.
enum ObjectBucket {
  /// Removes the settings of the person who runs the tests.
  static let nobody: [String: String?] = [
    "AWS_ACCESS_KEY_ID": nil, "AWS_SECRET_ACCESS_KEY": nil, "AWS_SESSION_TOKEN": nil,
    "AWS_REGION": nil, "AWS_DEFAULT_REGION": nil, "AWS_ENDPOINT_URL": nil,
    "AWS_ENDPOINT_URL_S3": nil,
  ]

  /// The paths of the demo's images.
  static let photos: [String] = {
    let folder = Python.root.path + "/Demo/images"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { folder + "/" + $0 }
  }()

  /// Makes a bucket with the photos below `photos/`, and returns its name and the settings for it.
  static func make(
    _ name: String = "objects"
  ) async throws -> (name: String, settings: [String: String?]) {
    let bucket = "\(name)-\(UUID().uuidString.lowercased())"
    try await S3Peer.ask(["do": "make", "bucket": bucket])
    for path in photos {
      try await put(path, as: "photos/" + URL(filePath: path).lastPathComponent, bucket)
    }
    let address = try await S3Peer.address()
    let settings = nobody.merging([
      "AWS_ACCESS_KEY_ID": address.accessKey, "AWS_SECRET_ACCESS_KEY": address.secret,
      "AWS_SESSION_TOKEN": address.token, "AWS_REGION": address.region,
      "AWS_ENDPOINT_URL": address.endpoint,
    ]) { $1 }
    return (bucket, settings)
  }

  /// Puts a file into a bucket.
  static func put(_ path: String, as key: String, _ bucket: String) async throws {
    let bytes = try Data(contentsOf: URL(filePath: path)).base64EncodedString()
    try await S3Peer.ask(["do": "put", "bucket": bucket, "key": key, "bytes": bytes])
  }

  /// Returns the targets and statuses of the requests since the last call.
  static func requests(_ bucket: String) async throws -> [String] {
    let requests = try await S3Peer.ask(["do": "requests", "bucket": bucket])["requests"]
    return (requests as? [[Any]] ?? []).map { "\($0[1]) \($0[2])" }
  }
}
