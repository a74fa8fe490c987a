// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Crypto
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1

/// A request to an S3-compatible store before it is signed.
struct S3Request: Sendable {
  /// The body of a request.
  enum Body: Sendable {
    case none
    case bytes(ByteBuffer)
    /// A range of a file, and the hash of its bytes.
    case file(FileContent, Range<Int>, BlobDigest)

    /// The SHA-256 of the bytes, which is signed so that the store rejects other bytes.
    var digest: String {
      switch self {
      case .none: BlobDigest(of: []).hexadecimal
      case .bytes(let bytes): BlobDigest(of: bytes.readableBytesView).hexadecimal
      case .file(_, _, let digest): digest.hexadecimal
      }
    }
  }

  var method = HTTPMethod.GET
  /// The object's key; nil for the bucket.
  var key: String?
  var query: [(name: String, value: String)] = []
  var fields: [(name: String, value: String)] = []
  var body = Body.none
  /// What happens to the object, for errors such as "'s3://bucket/key' cannot be read".
  var purpose: String

  init(
    _ method: HTTPMethod, _ key: String?, _ purpose: String,
    query: [(name: String, value: String)] = [], fields: [(name: String, value: String)] = [],
    body: Body = .none
  ) {
    self.method = method
    self.key = key
    self.purpose = purpose
    self.query = query
    self.fields = fields
    self.body = body
  }
}
#endif
