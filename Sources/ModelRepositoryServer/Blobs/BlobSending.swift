// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import Logging
import ModelRepositoryAPI
import WebServing

/// Sends the bytes of a blob piece by piece.
struct BlobSending: Sendable {
  let context: WebContext
  let metrics: ServerMetrics

  /// The number of bytes of a file to send before other connections get their turn.
  private static let sendfileSize = 1 << 20

  /// Creates the body of a response, which reads the bytes when it is written.
  ///
  /// - Throws: ``RepositoryError`` if the blob is already known to be unreadable. It is thrown here
  ///   because a response can't be taken back once it has begun.
  func body(_ content: any BlobContent, _ range: Range<Int>) async throws -> ResponseBody {
    if let file = content as? FileContent, let sender = try await FileSender(context.channel) {
      return body(range) { writer in
        sender.hold()
        try await send(file, range, sender, &writer)
        sender.push()
      }
    }
    let pieces = try await content.pieces(in: range)
    return body(range) { writer in
      for try await piece in pieces { try await send(piece, &writer) }
    }
  }

  private func body(
    _ range: Range<Int>,
    _ send: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
  ) -> ResponseBody {
    ResponseBody(contentLength: range.count) { writer in
      do {
        try await send(&writer)
      } catch let error as RepositoryError {
        context.logger.error("a response was aborted: \(error)")
        throw error
      }
      try await writer.finish(nil)
    }
  }

  private func send(
    _ file: FileContent, _ range: Range<Int>, _ sender: FileSender,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    let (metrics, notes) = (metrics, context.notes)
    var rest = range
    while true {
      rest = try await sender.send(file.handle, rest) { rest in
        try file.beginningInMemory(of: rest.prefix(Self.sendfileSize))
      } sent: { count in
        metrics.sent(count)
        notes.addSent(count)
      }
      guard !rest.isEmpty else { return }
      let piece = rest.prefix(blobPieceSize)
      try await send(try await file.bytes(in: piece), &writer)
      rest = piece.upperBound..<rest.upperBound
    }
  }

  private func send(_ piece: ByteBuffer, _ writer: inout any ResponseBodyWriter) async throws {
    try Task.checkCancellation()
    try await writer.write(piece)
    // The writer waits for the client only after the event loop has seen the bytes. Without this, a
    // fast disk would put about 30 MB of a blob into memory for every client.
    try await settle()
    metrics.sent(piece.readableBytes)
  }

  /// Waits until the event loop has handled everything that was submitted so far.
  private func settle() async throws {
    guard context.channel.isActive else { return }
    try await context.channel.eventLoop.submit {}.get()
  }
}
#endif
