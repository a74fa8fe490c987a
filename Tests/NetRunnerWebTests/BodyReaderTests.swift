// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import NetRunnerWeb

/// Tests bodies that arrive slowly, or of which nothing arrives.
@Suite(.timeLimit(.minutes(5))) struct BodyReaderTests {
  /// Makes a request that announces a body, and sends some parts of it.
  private static func request(
    announcing count: Int, parts: [Int], pause: Duration = .zero, ends: Bool = true
  ) -> Request {
    let (stream, source) = AsyncStream<ByteBuffer>.makeStream()
    Task {
      for part in parts {
        try await Task.sleep(for: pause)
        source.yield(ByteBuffer(repeating: 0x20, count: part))
      }
      if ends { source.finish() }
    }
    return Request(
      head: HTTPRequest(
        method: .post, scheme: nil, authority: nil, path: "/",
        headerFields: [.contentLength: "\(count)"]),
      body: RequestBody(asyncSequence: stream))
  }

  /// Reads a body until the test ends it.
  private static func hold(_ read: @escaping @Sendable (Request) async throws -> Void) -> Task<
    Void, any Error
  > {
    Task { try await read(request(announcing: 64 << 20, parts: [1000], ends: false)) }
  }

  @Test func `only what has arrived of a body counts`() async throws {
    let reader = BodyReader(budget: 64 << 20)
    let slow = (0..<20).map { _ in
      Self.hold { try await reader.withBody(of: $0, limit: 64 << 20, as: "The request") { _ in } }
    }
    try await Task.sleep(for: .milliseconds(100))
    let size = try await reader.withBody(
      of: Self.request(announcing: 5 << 20, parts: Array(repeating: 1 << 20, count: 5)),
      limit: 64 << 20, as: "The request"
    ) { $0.readableBytes }
    #expect(size == 5 << 20)
    for task in slow {
      task.cancel()
      _ = await task.result
    }
    // Nothing is left of the bodies above.
    _ = try await reader.withBody(
      of: Self.request(announcing: 64 << 20, parts: [64 << 20]), limit: 64 << 20, as: "The request"
    ) { _ in }
    let refused = await #expect(throws: WebError.self) {
      try await reader.withBody(
        of: Self.request(announcing: 0, parts: [65 << 20]), limit: 65 << 20, as: "The request"
      ) { _ in }
    }
    #expect(refused?.code == "too_busy")
  }

  @Test func `a body that takes too long is refused`() async throws {
    let reader = BodyReader(
      budget: 1 << 20, pace: MinimumRate(rate: 10_000, patience: .milliseconds(100)))
    let slow = await #expect(throws: WebError.self) {
      try await reader.withBody(
        of: Self.request(
          announcing: 1000, parts: Array(repeating: 10, count: 100), pause: .milliseconds(50)),
        limit: 1 << 20, as: "The image"
      ) { _ in }
    }
    #expect(slow?.code == "body_too_slow" && slow?.status == .requestTimeout)
    #expect(slow?.message.hasPrefix("The image") == true)
  }

  @Test func `slow clients with large tensors don't keep others from being answered`() async throws
  {
    let bodies = TensorBodies(images: WorkQueue(threads: 1, limit: 10))
    let limits = TensorLimits("model", [], limit: 64 << 20)
    let slow = (0..<20).map { _ in
      Self.hold { try await bodies.withBody(of: $0, limits, hasBinary: true) { _, _ in } }
    }
    try await Task.sleep(for: .milliseconds(100))
    let start = ContinuousClock.now
    for count in [1, 300 << 10, 8 << 20] {
      let size = try await bodies.withBody(
        of: Self.request(announcing: count, parts: [count]), limits, hasBinary: true
      ) { body, _ in body.readableBytes }
      #expect(size == count)
    }
    #expect(ContinuousClock.now - start < .seconds(20))
    for task in slow { task.cancel() }
  }
}
#endif
