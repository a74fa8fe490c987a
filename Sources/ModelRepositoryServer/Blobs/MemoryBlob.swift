// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ModelRepositoryAPI
import NIOCore

/// A small blob, in memory.
struct MemoryBlob: BlobContent {
  let bytes: ByteBuffer
  /// What a request for all of it gets, but for the date.
  let head: HTTPResponse

  /// Takes bytes; nil where their digest is another.
  init?(_ bytes: ByteBuffer, _ digest: BlobDigest, isPublic: Bool) {
    guard BlobDigest(of: bytes.readableBytesView) == digest else { return nil }
    self.bytes = bytes
    let answer = BlobAnswer(digest, size: bytes.readableBytes, isPublic: isPublic)
    var headers = answer.headers
    SafetyHeaders.add(to: &headers)
    headers[.server] = ModelRepositoryServer.name
    head = HTTPResponse(status: answer.status, headerFields: headers)
  }

  /// How many bytes a blob may have to be kept in memory, as manifests and descriptions are.
  static let maximumSize = 64 << 10
  /// About how many bytes it takes beside its own.
  static let overhead = 1 << 10

  var size: Int { bytes.readableBytes }

  func bytes(in range: Range<Int>) async throws -> ByteBuffer { part(range) }

  /// Some of its bytes; the range is within them.
  func part(_ range: Range<Int>) -> ByteBuffer {
    bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) ?? ByteBuffer()
  }
}
