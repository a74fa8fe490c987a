// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import TensorIO
import WebServing

/// Sends `100 Continue` to clients that wait for it, and ends bodies that arrive too slowly.
struct BodyMiddleware: RequestFilter {
  typealias Context = WebContext

  let pace: MinimumRate

  func prepare(_ request: inout Request, _ context: inout WebContext) async throws {
    guard request.hasBody else { return }
    let waits = request.headers[.expect]?.lowercased() == "100-continue"
    request.body = RequestBody(
      asyncSequence: WatchedBody(
        body: request.body, pace: pace, channel: waits ? context.channel : nil))
  }
}

/// The minimum rate at which a body must arrive.
struct MinimumRate: Sendable {
  /// The minimum number of bytes per second, on average.
  var rate = 1024
  /// The time spent waiting for the client after which the average is checked.
  var patience = Duration.seconds(10)
}

/// A request's body, whose next part is requested only after the previous one has been used.
private struct WatchedBody: AsyncSequence, Sendable {
  let body: RequestBody
  let pace: MinimumRate
  /// The connection if the client waits for `100 Continue` before it sends its body, otherwise nil.
  let channel: (any Channel)?

  func makeAsyncIterator() -> Iterator {
    Iterator(body: body.makeAsyncIterator(), pace: pace, channel: channel)
  }

  struct Iterator: AsyncIteratorProtocol {
    var body: RequestBody.AsyncIterator
    let pace: MinimumRate
    var channel: (any Channel)?
    /// The time spent waiting for the client, which is the only time that counts.
    var waited = Duration.zero
    var count = 0

    mutating func next() async throws -> ByteBuffer? {
      if let channel {
        self.channel = nil
        Self.sendContinue(channel)
      }
      let start = ContinuousClock.now
      guard let part = try await body.next() else { return nil }
      waited += ContinuousClock.now - start
      count += part.readableBytes
      guard waited < pace.patience || Double(count) >= Double(pace.rate) * (waited / .seconds(1))
      else {
        throw WebError(
          status: .requestTimeout, code: "body_too_slow",
          message:
            "The body arrives at less than \(ByteCount(pace.rate)) a second. Send it faster.",
          endsConnection: true)
      }
      return part
    }

    /// Sends `100 Continue` past the server's own writer, which accepts only final responses.
    private static func sendContinue(_ channel: any Channel) {
      channel.eventLoop.execute {
        let pipeline = channel.pipeline.syncOperations
        // A test's connection has no such handler, and no client that waits for this response.
        guard let codec = try? pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self) else {
          return
        }
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        codec.writeAndFlush(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
      }
    }
  }
}
#endif
