// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// A client that sends exactly the bytes that a test wants, even invalid ones.
final class RawConnection: Sendable {
  private let channel: any Channel
  private let input: Shared<[UInt8]>

  /// - Parameters:
  ///   - port: A port of this computer.
  ///   - reads: Whether it reads what the server sends.
  ///   - text: The text that it sends as soon as it is connected.
  /// - Throws: An error if the client can't connect.
  init(_ port: Int?, reads: Bool = true, sends text: String = "") async throws {
    let input = Shared<[UInt8]>([])
    self.input = input
    channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelOption(.autoRead, value: reads)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Reading(input: input, text: text))
        }
      }
      .connect(host: "127.0.0.1", port: try #require(port)).get()
  }

  /// The text that was received so far.
  var received: String { String(decoding: input.withLock { $0 }, as: UTF8.self) }
  /// The number of bytes that were received so far.
  var count: Int { input.withLock { $0.count } }
  /// The complete responses that were received so far.
  var answers: [RawAnswer] { RawAnswer.all(in: input.withLock { $0 }) }
  /// Whether the connection is closed.
  var isClosed: Bool { !channel.isActive }

  func send(_ text: String) async throws {
    try await channel.writeAndFlush(ByteBuffer(string: text))
  }

  /// Sends a text repeatedly on the connection's event loop, so that other work doesn't delay it.
  ///
  /// - Parameters:
  ///   - text: The text to send.
  ///   - times: How often to send it.
  ///   - interval: The time between two sends.
  /// - Throws: The error of the last send.
  func send(_ text: String, times: Int, every interval: TimeAmount) async throws {
    let done = channel.eventLoop.makePromise(of: Void.self)
    @Sendable func send(_ times: Int) {
      channel.writeAndFlush(ByteBuffer(string: text), promise: times == 1 ? done : nil)
      guard times > 1 else { return }
      channel.eventLoop.scheduleTask(in: interval) { send(times - 1) }
    }
    channel.eventLoop.execute { send(times) }
    try await done.futureResult.get()
  }

  /// Starts reading what the server sends.
  func read() {
    channel.setOption(.autoRead, value: true).whenSuccess { [channel] in channel.read() }
  }

  func close() async throws { try await channel.close() }

  /// Waits until a condition is true, but only for a limited time.
  func wait(_ condition: () -> Bool) async throws -> Bool { try await eventually(condition) }
}

/// A response, byte for byte.
struct RawAnswer: Equatable {
  var status: String
  /// The header fields by lowercase name.
  var fields: [String: String] = [:]
  var body: [UInt8] = []

  /// Splits bytes into responses to GET, which state the lengths of their bodies.
  static func all(in bytes: [UInt8]) -> [RawAnswer] {
    var (answers, rest) = ([RawAnswer](), bytes[...])
    while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
      let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
        .components(separatedBy: "\r\n")
      var answer = RawAnswer(status: lines[0])
      for line in lines.dropFirst() {
        let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
        answer.fields[parts[0].lowercased()] = parts.count == 2 ? String(parts[1]) : ""
      }
      let count = answer.fields["content-length"].flatMap { Int($0) } ?? 0
      let body = rest[end.upperBound...].prefix(count)
      guard body.count == count else { break }
      answer.body = Array(body)
      answers.append(answer)
      rest = rest[body.endIndex...]
    }
    return answers
  }
}

private final class Reading: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  let input: Shared<[UInt8]>
  let text: String

  init(input: Shared<[UInt8]>, text: String) { (self.input, self.text) = (input, text) }

  func channelActive(context: ChannelHandlerContext) {
    if !text.isEmpty { context.channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    input.withLock { $0 += buffer.readableBytesView }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
#endif
