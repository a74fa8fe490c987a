// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import CSystemCalls
package import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOSSL

/// Sends parts of files as a response's body, without copying them into this process's memory.
///
/// The server's own writer accepts only bytes in memory. This type writes to the connection behind
/// it in the same order: the server's writer sends the head before the parts, and the end after
/// them.
package struct FileSender: Sendable {
  private typealias Connection = HTTP1ToHTTPServerCodec
  private let channel: any Channel

  /// Makes a sender for a connection.
  ///
  /// Returns nil if the connection uses TLS, because its bytes must be encrypted in this process's
  /// memory, or if it isn't HTTP/1.1.
  package init?(_ channel: any Channel) async throws {
    let isPossible = try await channel.eventLoop.submit {
      let handlers = channel.pipeline.syncOperations
      return (try? handlers.context(handlerType: Connection.self)) != nil
        && (try? handlers.context(handlerType: NIOSSLServerHandler.self)) == nil
    }.get()
    guard isPossible else { return nil }
    self.channel = channel
  }

  /// Holds back data that doesn't fill a packet, until ``push()``.
  package func hold() { set(true) }

  /// Sends the data that is held back.
  package func push() { set(false) }

  private func set(_ isHeld: Bool) {
    #if os(Linux)
    // There is no need to wait, because later sends are done later too. If the system refuses,
    // packets are smaller but the bytes are the same.
    channel.eventLoop.execute { [channel] in
      let option = ChannelOptions.Types.SocketOption(
        level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_CORK))
      try? channel.syncOptions?.setOption(option, value: isHeld ? 1 : 0)
    }
    #endif
  }

  /// Sends a part of a file in pieces, as long as the next piece is ready.
  ///
  /// A ready piece must be in the system's memory, because otherwise the connection's thread would
  /// wait for the disk. It must also be in the file, which must stay open until this method
  /// returns.
  ///
  /// If the task is cancelled, the connection is closed.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - range: The part, in bytes.
  ///   - ready: Called with the remaining range. Returns the piece at its start that is ready.
  ///   - sent: Called with the number of bytes that were sent.
  /// - Returns: The remaining range, whose start isn't ready.
  /// - Throws: An error if sending fails, such as when the client has closed the connection.
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

  /// Sends a piece, lets other connections take their turn, and then sends the rest.
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
