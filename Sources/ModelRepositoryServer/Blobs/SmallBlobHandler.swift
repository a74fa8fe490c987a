// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Logging
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
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

/// Responds to requests for small blobs in memory, on the connection's own thread.
///
/// All other requests go to the router, including those with a token, a range or a condition. The
/// router and this handler both use ``BlobAnswer`` to make the response.
final class SmallBlobHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let repository: Repository
  private let metrics: ServerMetrics
  private let logger: Logger
  private let counter: RequestMetrics.Counter
  /// The context of the response encoder.
  ///
  /// Complete responses are already encoded, so they are written from there and skip the encoder.
  private var encoder: ChannelHandlerContext?
  /// The number of requests that the router hasn't answered yet.
  ///
  /// Responses have to be sent in the order of the requests.
  private var pending = 0
  /// The request that is being read and the blob to respond with; nil if the router handles it.
  private var exchange: (request: HTTPRequestHead, blob: MemoryBlob)?
  /// The time of the last request that went to the router.
  ///
  /// The server closes idle connections, but doesn't see the requests that this handler answers.
  /// Therefore, a request goes to the router whenever a quarter of the idle time has passed.
  private var shown = NIODeadline.now()

  init(_ repository: Repository, _ metrics: ServerMetrics, _ logger: Logger) {
    self.repository = repository
    self.metrics = metrics
    counter = metrics.requests.counter(method: "GET", route: Self.route, status: "200")
    // Each handler gets its own copy of the logger's storage. Otherwise, threads would wait for
    // each other to count the references to a shared one. Setting a property makes the copy.
    var logger = logger
    logger.logLevel = logger.logLevel
    self.logger = logger
  }

  func handlerAdded(context: ChannelHandlerContext) {
    encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
  }

  func handlerRemoved(context: ChannelHandlerContext) { encoder = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let request):
      // A client that doesn't read its responses has to wait at the router, which stops reading.
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

  /// Returns the blob to respond with if the request needs no further checks and no waiting.
  private func blob(for request: HTTPRequestHead) -> MemoryBlob? {
    let target = request.uri
    guard request.method == .GET, request.version == .http1_1, encoder != nil,
      target.hasPrefix(Self.prefix),
      let digest = BlobDigest(target.utf8.dropFirst(Self.prefix.utf8.count)),
      Self.isPlain(request.headers),
      NIODeadline.now() - shown < .milliseconds(Int64(repository.options.idleTime * 250))
    else { return nil }
    return repository.smallBlobs[digest]
  }

  private func send(
    _ blob: MemoryBlob, to request: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    let start = ContinuousClock.now
    encoder?.writeAndFlush(NIOAny(blob.answer(context.channel.allocator)), promise: nil)
    let duration = ContinuousClock.now - start
    metrics.sent(blob.size)
    counter.add(duration)
    logger.info(
      "request",
      metadata: RequestNotes.metadata(
        method: "GET", target: request.uri, status: "200", bytes: blob.size, duration))
  }

  /// Whether a request has exactly one host and no header field that the router has to handle.
  private static func isPlain(_ headers: HTTPHeaders) -> Bool {
    var hosts = 0
    for field in headers {
      if isForRouter(field.name) { return false }
      if field.name.utf8.count == 4, field.name.lowercased() == "host" { hosts += 1 }
    }
    return hosts == 1
  }

  private static func isForRouter(_ field: String) -> Bool {
    switch field.lowercased() {
    case "authorization", "connection", "content-length", "transfer-encoding", "expect",
      "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "range":
      true
    default: false
    }
  }

  private static let prefix = "/v1/blobs/"
  private static let route = "/v1/blobs/{digest}"
}
#endif
