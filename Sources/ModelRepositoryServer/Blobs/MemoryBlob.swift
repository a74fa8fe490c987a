// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import ModelRepositoryAPI
import NIOCore
import WebServing

/// A small blob, in memory.
///
/// It is an object, because two threads that count the users of each of its parts wait for each other.
final class MemoryBlob: BlobContent {
  let bytes: ByteBuffer
  /// The lines of the head of the answer to a request for all of it, but for the date's.
  private let head: ByteBuffer

  /// Takes bytes; nil where their digest is another.
  init?(_ bytes: ByteBuffer, _ digest: BlobDigest, isPublic: Bool) {
    guard BlobDigest(of: bytes.readableBytesView) == digest else { return nil }
    self.bytes = bytes
    let answer = BlobAnswer(digest, size: bytes.readableBytes, isPublic: isPublic)
    var headers = answer.headers
    SafetyHeaders.add(to: &headers)
    headers[.server] = ModelRepositoryServer.name
    var head = ByteBuffer(string: "HTTP/1.1 \(answer.status)\r\n")
    for field in headers { head.writeString("\(field.name): \(field.value)\r\n") }
    self.head = head
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

  /// The answer to a request for all of it, as it goes over the connection.
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
