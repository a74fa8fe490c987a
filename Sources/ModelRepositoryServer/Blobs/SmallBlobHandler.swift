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
/// Everything else goes on to the router, and so do requests with a token. What the answer is,
/// ``BlobAnswer`` says for both.
final class SmallBlobHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private struct Reply {
    let answer: BlobAnswer
    let blob: MemoryBlob
    let record: RequestRecord
  }

  private let repository: Repository
  private let metrics: ServerMetrics
  private let logger: Logger
  /// How many requests the router has not answered yet: answers go out in the order of requests.
  private var pending = 0
  /// The answer to the request that is being read; nil where the router gets it.
  private var reply: Reply?
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
      reply = pending == 0 ? reply(to: request) : nil
      if reply == nil {
        pending += 1
        shown = .now()
        context.fireChannelRead(data)
      }
    case .body:
      if reply == nil { context.fireChannelRead(data) }
    case .end:
      guard let reply else { return context.fireChannelRead(data) }
      self.reply = nil
      send(reply, context)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { pending -= 1 }
    context.write(data, promise: promise)
  }

  /// The answer, where there is nothing to find out, to check or to wait for.
  private func reply(to request: HTTPRequest) -> Reply? {
    guard request.method == .get, let path = request.path, path.hasPrefix(Self.prefix),
      let digest = BlobDigest(String(path.dropFirst(Self.prefix.count))),
      let blob = repository.smallBlobs[digest],
      !Self.fieldsForRouter.contains(where: { request.headerFields[$0] != nil }),
      NIODeadline.now() - shown < .seconds(Int64(repository.options.idleTime) / 4),
      let answer = try? BlobAnswer(request, digest, size: blob.size, isPublic: true)
    else { return nil }
    var logger = logger
    logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
    return Reply(
      answer: answer, blob: blob,
      record: RequestRecord(request, route: Self.prefix + "{digest}", logger, metrics))
  }

  private func send(_ reply: Reply, _ context: ChannelHandlerContext) {
    var headers = reply.answer.headers
    SafetyHeaders.add(to: &headers)
    headers[.date] = HTTPDate.now
    headers[.server] = ModelRepositoryServer.name
    let head = HTTPResponse(status: reply.answer.status, headerFields: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if let part = reply.answer.part {
      context.write(wrapOutboundOut(.body(reply.blob.part(part))), promise: nil)
      reply.record.sent(part.count)
      metrics.sent(part.count)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    reply.record.end(status: reply.answer.status.code, isWhole: true)
  }

  private static let prefix = "/v1/blobs/"
  private static let fieldsForRouter: [HTTPField.Name] = [
    .authorization, .connection, .contentLength, .transferEncoding,
  ]
}
