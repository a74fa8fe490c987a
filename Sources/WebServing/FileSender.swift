// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Sends parts of files as an answer's body: from the system's memory, without a copy into ours.
///
/// The server's own writer takes bytes in memory only. This one writes to the connection behind it,
/// in the same order: the head goes before through the server's writer, and the end after.
package struct FileSender: Sendable {
  private typealias Connection = HTTP1ToHTTPServerCodec
  private let channel: any Channel

  /// Looks at a connection.
  ///
  /// nil comes of one with TLS, whose bytes must be encrypted in our memory, and of one that is not
  /// HTTP/1.1.
  ///
  /// - Parameter channel: The connection.
  /// - Throws: What went wrong, as where its thread has ended.
  package init?(_ channel: any Channel) async throws {
    let isPossible = try await channel.eventLoop.submit {
      let handlers = channel.pipeline.syncOperations
      return (try? handlers.context(handlerType: Connection.self)) != nil
        && (try? handlers.context(handlerType: NIOSSLServerHandler.self)) == nil
    }.get()
    guard isPossible else { return nil }
    self.channel = channel
  }

  /// Holds back what does not fill a packet, until ``push()``.
  package func hold() { set(true) }

  /// Sends what is held back.
  package func push() { set(false) }

  private func set(_ isHeld: Bool) {
    #if os(Linux)
    // Nobody waits for it: what is sent later is done later. Where the system refuses, packets are
    // smaller, and the bytes the same.
    channel.eventLoop.execute { [channel] in
      let option = ChannelOptions.Types.SocketOption(
        level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_CORK))
      try? channel.syncOptions?.setOption(option, value: isHeld ? 1 : 0)
    }
    #endif
  }

  /// Sends a part of a file, piece by piece, as long as the next piece is ready.
  ///
  /// The system must have a piece in memory: the connection's thread would wait for the disk. It must
  /// be in the file, which stays open until this returns.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - range: The part, in bytes.
  ///   - ready: Called with what is left of it; returns the piece at its beginning that is ready.
  ///   - sent: Called with the number of bytes that were sent.
  /// - Returns: What is left, whose beginning is not ready.
  /// - Throws: What went wrong, as where the client has closed the connection; and where the task is
  ///   cancelled, which closes it.
  package func send(
    _ file: NIOFileHandle, _ range: Range<Int>,
    ready: @escaping @Sendable (Range<Int>) throws -> Range<Int>,
    sent: @escaping @Sendable (Int) -> Void
  ) async throws -> Range<Int> {
    try await withTaskCancellationHandler {
      try await channel.eventLoop.flatSubmit { [channel] in
        let rest = channel.eventLoop.makePromise(of: Range<Int>.self)
        Self.send(file, range, channel, rest, ready, sent)
        return rest.futureResult
      }.get()
    } onCancel: {
      channel.close(promise: nil)
    }
  }

  /// Sends a piece and then, once others' turn was, what is left.
  private static func send(
    _ file: NIOFileHandle, _ range: Range<Int>, _ channel: any Channel,
    _ rest: EventLoopPromise<Range<Int>>,
    _ ready: @escaping @Sendable (Range<Int>) throws -> Range<Int>,
    _ sent: @escaping @Sendable (Int) -> Void
  ) {
    do {
      let piece = try ready(range)
      guard !piece.isEmpty else { return rest.succeed(range) }
      let done = channel.eventLoop.makePromise(of: Void.self)
      let region = FileRegion(
        fileHandle: file, readerIndex: piece.lowerBound, endIndex: piece.upperBound)
      try channel.pipeline.syncOperations.context(handlerType: Connection.self).writeAndFlush(
        NIOAny(HTTPServerResponsePart.body(.fileRegion(region))), promise: done)
      done.futureResult.whenComplete { result in
        if case .failure(let error) = result { return rest.fail(error) }
        sent(piece.count)
        channel.eventLoop.execute {
          send(file, piece.upperBound..<range.upperBound, channel, rest, ready, sent)
        }
      }
    } catch {
      rest.fail(error)
    }
  }
}
#endif
