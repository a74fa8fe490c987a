// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A stream between two processes that carries messages.
///
/// Each message consists of its length in four bytes, followed by JSON. The empty message requests
/// a run, or replies that a run succeeded.
struct MessageChannel {
  let descriptor: Int32

  /// The maximum size of a message in bytes.
  ///
  /// The strings of tensors are the longest messages.
  ///
  /// Reading a message takes about ten times its size in memory.
  private static let mostBytes = 64 << 20

  /// Turns writing to a closed stream into an error instead of a signal.
  #if os(Linux)
  private static let withoutSignal = Int32(MSG_NOSIGNAL)
  #else
  private static let withoutSignal: Int32 = 0
  #endif

  /// The reason why a message could not be received.
  enum Failure: Error {
    /// The other side closed the stream, or sent something that isn't a message.
    case ended
    case timedOut
    case cancelled
  }

  /// Sends a message.
  ///
  /// Nil stands for the empty message.
  ///
  /// - Throws: ``Failure``; `TensorIOError` for a message that is too long, in which case nothing
  ///   was sent.
  func sendMessage<Message: Encodable>(_ message: Message?) throws {
    var bytes = [UInt8](repeating: 0, count: 4)
    if let message {
      let encoder = JSONEncoder()
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      bytes += try encoder.encode(message)
    }
    guard bytes.count - 4 <= Self.mostBytes else {
      throw TensorIOError(
        .unsupportedModel,
        "The strings of a tensor take \(ByteCount(bytes.count)). At most "
          + "\(ByteCount(Self.mostBytes)) can be passed to or from a model that runs in a "
          + "process of its own.")
    }
    let count = UInt32(bytes.count - 4)
    withUnsafeBytes(of: count.littleEndian) { bytes.replaceSubrange(0..<4, with: $0) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Self.withoutSignal)
      }
      if sent < 0 && errno == EINTR { continue }
      guard sent > 0 else { throw Failure.ended }
      rest = rest.dropFirst(sent)
    }
  }

  /// Waits for a message.
  ///
  /// Nil stands for the empty message.
  ///
  /// - Parameters:
  ///   - type: The type of the message.
  ///   - seconds: The maximum time to wait, or nil to wait without a limit.
  ///   - cancellation: Tokens, each of which ends the wait.
  /// - Returns: The message.
  /// - Throws: ``Failure``.
  func receiveMessage<Message: Decodable>(
    _ type: Message.Type, within seconds: Double? = nil, cancellation: [CancellationToken] = []
  ) throws -> Message? {
    let clock = ContinuousClock()
    let deadline = seconds.map { clock.now + .seconds($0) }
    var header = [UInt8](repeating: 0, count: 4)
    try read(into: &header, until: deadline, cancellation)
    let count = header.withUnsafeBytes {
      Int(UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)))
    }
    guard count > 0 else { return nil }
    guard count <= Self.mostBytes else { throw Failure.ended }
    var bytes = [UInt8](repeating: 0, count: count)
    try read(into: &bytes, until: deadline, cancellation)
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: Data(bytes))
  }

  private func read(
    into bytes: inout [UInt8], until deadline: ContinuousClock.Instant?,
    _ cancellation: [CancellationToken]
  ) throws {
    var count = 0
    while count < bytes.count {
      try wait(until: deadline, cancellation)
      let got = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count, 0)
      }
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { throw Failure.ended }
      count += got
    }
  }

  /// Waits until there is something to read.
  ///
  /// If the wait can be cancelled, it polls in short intervals.
  private func wait(
    until deadline: ContinuousClock.Instant?, _ cancellation: [CancellationToken]
  ) throws {
    guard deadline != nil || !cancellation.isEmpty else { return }
    while true {
      var slice: Int32 = cancellation.isEmpty ? -1 : 20
      if let deadline {
        let left = ContinuousClock().now.duration(to: deadline).milliseconds
        guard left > 0 else { throw Failure.timedOut }
        slice =
          slice < 0 ? Int32(min(left.rounded(.up), 1e9)) : min(slice, Int32(left.rounded(.up)))
      }
      var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&one, 1, slice) > 0 { return }
      if cancellation.contains(where: \.isCancelled) { throw Failure.cancelled }
    }
  }
}
