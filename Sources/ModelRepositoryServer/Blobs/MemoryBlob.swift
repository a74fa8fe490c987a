// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import ModelRepositoryAPI
import NIOCore
import WebServing

/// A small blob in memory.
///
/// It is a class, so that a copy counts a single reference. With a struct, threads would wait for
/// each other to count the references to each of its parts.
final class MemoryBlob: BlobContent {
  let bytes: ByteBuffer
  /// The header lines of the response to a request for the whole blob, except the date.
  private let head: ByteBuffer

  /// Creates a blob from its bytes; nil if they don't match the digest.
  init?(_ bytes: ByteBuffer, _ digest: BlobDigest, isPublic: Bool) {
    guard BlobDigest(of: bytes.readableBytesView) == digest else { return nil }
    self.bytes = bytes
    let answer = BlobAnswer(digest, size: bytes.readableBytes, isPublic: isPublic)
    var headers = answer.headers
    for field in ModelRepositoryServer.safetyFields { headers[field.name] = field.value }
    headers[.server] = ModelRepositoryServer.name
    var head = ByteBuffer(string: "HTTP/1.1 \(answer.status)\r\n")
    for field in headers { head.writeString("\(field.name): \(field.value)\r\n") }
    self.head = head
  }

  /// The maximum size of a blob that is kept in memory; manifests and descriptions are this small.
  static let maximumSize = 64 << 10
  /// The approximate memory that a blob needs in addition to its bytes.
  static let overhead = 1 << 10

  var size: Int { bytes.readableBytes }

  func bytes(in range: Range<Int>) async throws -> ByteBuffer { part(range) }

  /// Returns some of its bytes; the range must be within the blob.
  func part(_ range: Range<Int>) -> ByteBuffer {
    bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) ?? ByteBuffer()
  }

  /// Returns the complete response to a request for the whole blob, as it is sent over the
  /// connection.
  func answer(_ allocator: ByteBufferAllocator) -> ByteBuffer {
    let date = ClockText.http
    var answer = allocator.buffer(capacity: head.readableBytes + 64 + size)
    answer.writeImmutableBuffer(head)
    answer.writeStaticString("Date: ")
    answer.writeString(date)
    answer.writeStaticString("\r\n\r\n")
    answer.writeImmutableBuffer(bytes)
    return answer
  }
}
#endif
