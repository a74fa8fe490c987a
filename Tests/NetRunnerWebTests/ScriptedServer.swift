// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server that sends exactly the bytes that a test wants, even invalid ones.
///
/// It runs until the tests end or until it is closed.
final class ScriptedServer: Sendable {
  /// What the server sends after a request.
  enum Answer: Sendable {
    /// These bytes. Then it closes the connection if `closes` is true.
    case bytes([UInt8], closes: Bool = true)
    /// These bytes, then zeros forever.
    case endless([UInt8])
    /// These bytes, then a zero at each interval.
    case drip([UInt8], every: TimeAmount)

    /// A complete response.
    static func reply(
      _ status: String, _ fields: [String] = [], body: [UInt8] = []
    ) -> Answer {
      let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
      return .bytes(Array(head.joined(separator: "\r\n").utf8) + body)
    }

    /// A response with exactly this text.
    static func text(_ text: String, closes: Bool = true) -> Answer {
      .bytes(Array(text.utf8), closes: closes)
    }
  }

  /// The first lines and fields of all requests.
  var requests: [String] { log.withLock { $0 } }
  let port: Int
  private let channel: any Channel
  private let log = Log()

  /// - Parameters:
  ///   - host: The address at which it listens.
  ///   - tls: The certificate, or nil for plain HTTP.
  ///   - answers: Returns what to send for the path of a request.
  /// - Throws: An error if it can't listen.
  init(
    host: String = "127.0.0.1", tls: NIOSSLContext? = nil,
    _ answers: @escaping @Sendable (_ path: String) -> Answer
  ) async throws {
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { [log] channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
          }
          try channel.pipeline.syncOperations.addHandler(Answering(answers: answers, log: log))
        }
      }
      .bind(host: host, port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  /// Stops accepting connections.
  func close() async throws { try await channel.close() }

  func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }
}

/// The requests of all connections.
private final class Log: Sendable {
  private let lines = Mutex<[String]>([])

  func withLock<Result: Sendable>(_ body: (inout sending [String]) -> sending Result) -> Result {
    lines.withLock(body)
  }
}

private final class Answering: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let answers: @Sendable (String) -> ScriptedServer.Answer
  private let log: Log
  private var request = ""

  init(answers: @escaping @Sendable (String) -> ScriptedServer.Answer, log: Log) {
    self.answers = answers
    self.log = log
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    request += String(buffer: unwrapInboundIn(data))
    guard request.contains("\r\n\r\n") else { return }
    let whole = request
    request = ""
    log.withLock { $0.append(whole) }
    let path = whole.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    switch answers(path) {
    case .bytes(let bytes, let closes):
      let written = send(bytes, context)
      let channel = context.channel
      if closes { written.whenComplete { _ in channel.close(promise: nil) } }
    case .endless(let bytes):
      Self.sendZeros(after: send(bytes, context), context.channel)
    case .drip(let bytes, let delay):
      _ = send(bytes, context)
      let channel = context.channel
      context.eventLoop.scheduleRepeatedTask(initialDelay: delay, delay: delay) { task in
        guard channel.isActive else { return task.cancel() }
        channel.writeAndFlush(ByteBuffer(bytes: [0]), promise: nil)
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)))
  }

  private static func sendZeros(after written: EventLoopFuture<Void>, _ channel: any Channel) {
    written.whenSuccess {
      let zeros = ByteBuffer(repeating: 0, count: 1 << 16)
      sendZeros(after: channel.writeAndFlush(zeros), channel)
    }
  }
}
#endif
