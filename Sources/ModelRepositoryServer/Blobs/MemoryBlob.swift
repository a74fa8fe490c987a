// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelRepositoryAPI
import NIOCore

/// A small blob, in memory.
struct MemoryBlob: BlobContent {
  let bytes: ByteBuffer

  /// How many bytes a blob may have to be kept in memory, as manifests and descriptions are.
  static let maximumSize = 64 << 10

  var size: Int { bytes.readableBytes }
  var digest: BlobDigest { BlobDigest(of: bytes.readableBytesView) }

  func bytes(in range: Range<Int>) async throws -> ByteBuffer { part(range) }

  /// Some of its bytes; the range is within them.
  func part(_ range: Range<Int>) -> ByteBuffer {
    bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) ?? ByteBuffer()
  }
}
