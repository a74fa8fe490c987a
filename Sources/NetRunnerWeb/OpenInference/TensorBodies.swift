// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import TensorIO

/// Reads the bodies of requests with tensors, and processes large ones on their own thread.
///
/// Large requests must not delay images. They share one thread, which is separate from the threads
/// for images, and a memory budget. It counts the part of a body that has arrived, and the elements
/// once the body is complete. If too little of the budget is free, a request waits, and its
/// connection receives no more of the body in the meantime. Small requests don't need the budget.
struct TensorBodies: Sendable {
  private let budget = ByteBudget(total: 256 << 20, limit: 256)
  private let queue = WorkQueue(threads: 1, limit: 256)
  /// The reader of these bodies, which is separate from the one for images.
  private let reader = BodyReader(budget: 1 << 30)
  /// The queue for images, which also processes requests that are no larger than an image.
  let images: WorkQueue

  /// The maximum size of a small request, in bytes.
  private static let small = 256 << 10

  init(images: WorkQueue) { self.images = images }

  /// The number of large requests that wait for memory or for their thread.
  var waitingCount: Int { budget.waitingCount + queue.waitingCount }

  /// Reads a request's body, and processes it with a closure, which gets the threads for it.
  func withBody<Result: Sendable>(
    of request: Request, _ limits: TensorLimits, hasBinary: Bool,
    _ work: (ByteBuffer, WorkQueue) async throws -> Result
  ) async throws -> Result {
    let limit = hasBinary ? limits.binary : limits.json
    let size = request.headers[.contentLength].flatMap(Int.init) ?? 0
    // Refuse the request before it waits.
    guard size <= limit else {
      throw WebError(
        status: .contentTooLarge, code: "body_too_large",
        message: "The request has \(ByteCount(size)), but tensors of '\(limits.model)' take at "
          + "most \(ByteCount(limit)) as \(hasBinary ? "binary data" : "JSON").",
        endsConnection: true)
    }
    return try await budget.withReservation { memory in
      var small = Self.small
      return try await reader.withBody(
        of: request, limit: limit, as: "The request",
        reserving: { count in
          let free = min(small, count)
          small -= free
          try await memory.grow(by: count - free)
        }
      ) { body in
        let size = body.readableBytes
        if size > Self.small {
          try await memory.grow(by: limits.elements(in: size, isBinary: hasBinary))
        }
        return try await work(body, queue(for: size))
      }
    }
  }

  /// Processes a request that is in memory already.
  func withRequest<Result: Sendable>(
    of size: Int, _ limits: TensorLimits, _ work: (WorkQueue) async throws -> Result
  ) async throws -> Result {
    guard size <= limits.binary else {
      throw WebError(
        status: .contentTooLarge, code: "body_too_large",
        message: "The request has \(ByteCount(size)), but tensors of '\(limits.model)' take at "
          + "most \(ByteCount(limits.binary)).")
    }
    guard size > Self.small else { return try await work(images) }
    return try await budget.withBytes(size + limits.elements(in: size, isBinary: true)) {
      try await work(queue)
    }
  }

  private func queue(for size: Int) -> WorkQueue { size > Self.small ? queue : images }
}

/// The limits of requests with tensors, which follow from a model's inputs.
struct TensorLimits: Sendable {
  let model: String
  /// The maximum size of a request that is only JSON, in bytes.
  let json: Int
  /// The maximum size of a request with binary tensors, in bytes.
  let binary: Int
  /// The total size of one item's elements in bytes, and the maximum size of their JSON.
  private let (tensors, itemJSON): (Int, Int)

  /// The bytes of a double with a sign, 17 digits, an exponent, a comma and a space.
  private static let bytesPerNumber = 26
  /// The bytes for names, brackets and parameters.
  private static let overhead = 256 << 10
  /// The maximum size of the strings of an input, in bytes.
  private static let texts = 4 << 20

  /// The maximum number of items that a request's size is meant for, and what they take together.
  private static let (items, allItems) = (64, 64 << 20)

  /// Derives the limits from a model's inputs, unless the server's options set a limit.
  init(_ id: String, _ inputs: [TensorSpec], limit: Int?) {
    model = id
    var (json, binary, tensors, itemJSON) = (Self.overhead, Self.overhead, 0, 0)
    for input in inputs {
      let count = max(1, input.wireShape.reduce(1) { $0 * max(1, $1) })
      if input.dataType == .string {
        json += Self.texts
        binary += Self.texts
      } else {
        json += Self.several(count * Self.bytesPerNumber)
        itemJSON += count * Self.bytesPerNumber
        tensors += count * max(input.dataType.byteWidth, input.wireType.byteWidth)
        binary += input.isImage ? InferenceRunner.maximumImageBytes : 0
      }
    }
    self.json = limit ?? json
    self.binary = limit ?? binary + Self.several(tensors)
    self.tensors = tensors
    self.itemJSON = itemJSON
  }

  /// Returns the size of several items, or of one if it is already large.
  private static func several(_ size: Int) -> Int { max(size, min(size * items, allItems)) }

  /// The memory for the elements of a request of this size, which are here and in the model.
  func elements(in size: Int, isBinary: Bool) -> Int {
    let item = max(1, isBinary ? tensors : itemJSON)
    let items = (max(0, size - Self.overhead) + item - 1) / item
    return 2 * tensors * min(max(1, items), Self.items)
  }
}
#endif
