// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Logging
import ModelRepositoryAPI
import NIOCore
import NIOHTTPTypes
import WebServing

/// Answers for small blobs that are in memory, on their connection's own thread.
///
/// Everything else goes on to the router, and so do requests with a token, a range or a condition.
/// What the answer is, ``BlobAnswer`` says for both.
final class SmallBlobHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let repository: Repository
  private let metrics: ServerMetrics
  private let logger: Logger
  /// How many requests the router has not answered yet: answers go out in the order of requests.
  private var pending = 0
  /// The request that is being read, and its answer; nil where the router gets it.
  private var exchange: (request: HTTPRequest, blob: MemoryBlob)?
  /// The server closes connections that it thinks silent, and what is answered here it does not see.
  private var shown = NIODeadline.now()

  init(_ repository: Repository, _ metrics: ServerMetrics, _ logger: Logger) {
    self.repository = repository
    self.metrics = metrics
    self.logger = logger
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let request):
      // Who does not take its answers waits at the router, which reads no further.
      if pending == 0, context.channel.isWritable, let blob = blob(for: request) {
        exchange = (request, blob)
      } else {
        pending += 1
        shown = .now()
        context.fireChannelRead(data)
      }
    case .body:
      if exchange == nil { context.fireChannelRead(data) }
    case .end:
      guard let (request, blob) = exchange.take() else { return context.fireChannelRead(data) }
      send(blob, to: request, context)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { pending -= 1 }
    context.write(data, promise: promise)
  }

  /// The answer, where there is nothing to find out, to check or to wait for.
  private func blob(for request: HTTPRequest) -> MemoryBlob? {
    guard request.method == .get, let path = request.path, path.hasPrefix(Self.prefix),
      let digest = BlobDigest(String(path.utf8.dropFirst(Self.prefix.utf8.count)) ?? ""),
      !request.headerFields.contains(where: { Self.fieldsForRouter.contains($0.name) }),
      NIODeadline.now() - shown < .milliseconds(Int64(repository.options.idleTime * 250))
    else { return nil }
    return repository.smallBlobs[digest]
  }

  private func send(_ blob: MemoryBlob, to request: HTTPRequest, _ context: ChannelHandlerContext) {
    let record = RequestRecord(request, route: Self.route, logger, metrics)
    let count = blob.size
    var head = blob.head
    // There is none yet.
    head.headerFields.append(HTTPField(name: .date, value: ClockText.http))
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(blob.bytes)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    metrics.sent(count)
    record.end(status: head.status.code, bytes: count, isWhole: true)
  }

  private static let prefix = "/v1/blobs/"
  private static let route = "/v1/blobs/{digest}"
  private static let fieldsForRouter: Set<HTTPField.Name> = [
    .authorization, .connection, .contentLength, .transferEncoding, .expect,
    .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range,
  ]
}
