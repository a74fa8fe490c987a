// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ArgumentParser
import Foundation
import ModelCommands
import ModelRepositoryServer

/// The options that say where a repository's blobs are stored.
struct BlobLocationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where to store the models' files: s3://BUCKET/PREFIX, with the credentials in "
        + "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. The repository's "
        + "folder remembers it (default: in the folder itself).", valueName: "place"))
  var blobs: String?

  @Option(
    help: ArgumentHelp(
      "The URL of an S3-compatible store (default: Amazon's).", valueName: "address"))
  var s3Endpoint: String?

  @Option(
    help: ArgumentHelp(
      "The bucket's region (default: AWS_REGION, AWS_DEFAULT_REGION or us-east-1).",
      valueName: "region"))
  var s3Region: String?

  func validate() throws {
    guard blobs != nil || (s3Endpoint == nil && s3Region == nil) else {
      throw ValidationError("--s3-endpoint and --s3-region need --blobs s3://BUCKET/PREFIX.")
    }
  }

  /// Returns the location of the blobs, or nil if none was given.
  ///
  /// - Throws: `RepositoryError` if the location is invalid.
  func location() throws -> BlobLocation? {
    guard let blobs else { return nil }
    let environment = ProcessInfo.processInfo.environment
    let named = ["AWS_REGION", "AWS_DEFAULT_REGION"].compactMap { environment[$0] }
    return .s3(
      try S3Location(
        blobs, endpoint: s3Endpoint,
        region: s3Region ?? named.first { !$0.isEmpty } ?? "us-east-1"))
  }
}
#endif
