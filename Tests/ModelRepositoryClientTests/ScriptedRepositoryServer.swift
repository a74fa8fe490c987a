// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import NIOCore
import NIOPosix
import Synchronization

/// A server that sends exactly the bytes that a test wants, even invalid ones.
final class ScriptedRepositoryServer: Sendable {
  /// A request as it was received.
  struct Request: Sendable {
    var path: String
    var fields: [String: String]
  }

  /// What the server sends after a request.
  enum Answer: Sendable {
    /// These bytes. Then it closes the connection if `closes` is true.
    case bytes([UInt8], closes: Bool)
    /// These bytes, then zeros forever.
    case endless([UInt8])
    /// These bytes, then a zero at each interval.
    case drip([UInt8], every: TimeAmount)

    /// A complete response.
    static func reply(_ status: String, _ fields: [String] = [], body: [UInt8] = []) -> Answer {
      .bytes(head(status, fields + ["Content-Length: \(body.count)"]) + body, closes: false)
    }

    /// A response whose body may not match its fields, followed by the end of the connection.
    static func cut(_ status: String, _ fields: [String], body: [UInt8]) -> Answer {
      .bytes(head(status, fields) + body, closes: true)
    }

    static func head(_ status: String, _ fields: [String]) -> [UInt8] {
      Array((["HTTP/1.1 \(status)"] + fields + ["", ""]).joined(separator: "\r\n").utf8)
    }
  }

  let port: Int
  private let channel: any Channel
  private let log = Log()

  init(_ answers: @escaping @Sendable (Request) -> Answer) async throws {
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { [log] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Answering(answers: answers, log: log))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  deinit { channel.close(promise: nil) }

  /// Returns the requests since the last call.
  func takeRequests() -> [Request] {
    log.requests.withLock { requests in
      defer { requests = [] }
      return requests
    }
  }
}

private final class Log: Sendable {
  let requests = Mutex<[ScriptedRepositoryServer.Request]>([])
}

private final class Answering: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  typealias Server = ScriptedRepositoryServer

  private let answers: @Sendable (Server.Request) -> Server.Answer
  private let log: Log
  private var text = ""

  init(answers: @escaping @Sendable (Server.Request) -> Server.Answer, log: Log) {
    self.answers = answers
    self.log = log
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    text += String(buffer: unwrapInboundIn(data))
    guard text.contains("\r\n\r\n") else { return }
    let lines = text.split(separator: "\r\n")
    text = ""
    let fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (
        parts[0].lowercased(),
        String(parts.count > 1 ? parts[1].drop { $0 == " " } : "")
      )
    }
    let path = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    let request = Server.Request(path: path, fields: Dictionary(fields) { first, _ in first })
    log.requests.withLock { $0.append(request) }
    let channel = context.channel
    switch answers(request) {
    case .bytes(let bytes, let closes):
      let written = channel.writeAndFlush(ByteBuffer(bytes: bytes))
      if closes { written.whenComplete { _ in channel.close(promise: nil) } }
    case .endless(let bytes):
      Self.sendZeros(after: channel.writeAndFlush(ByteBuffer(bytes: bytes)), channel)
    case .drip(let bytes, let delay):
      channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
      context.eventLoop.scheduleRepeatedTask(initialDelay: delay, delay: delay) { task in
        guard channel.isActive else { return task.cancel() }
        channel.writeAndFlush(ByteBuffer(bytes: [0]), promise: nil)
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private static func sendZeros(after written: EventLoopFuture<Void>, _ channel: any Channel) {
    written.whenSuccess {
      let zeros = ByteBuffer(repeating: 0, count: 1 << 16)
      sendZeros(after: channel.writeAndFlush(zeros), channel)
    }
  }
}
#endif
