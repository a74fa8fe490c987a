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
/// for images, and a memory budget. If too little of the budget is free, a request waits, and its
/// connection receives no more of the body in the meantime.
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

  /// Reads a request's body, and processes it with a closure that may block.
  func withBody<Result: Sendable>(
    of request: Request, _ limits: TensorLimits, hasBinary: Bool,
    _ work: @escaping @Sendable (ByteBuffer) throws -> Result
  ) async throws -> Result {
    let limit = hasBinary ? limits.binary : limits.json
    let announced = request.headers[.contentLength].flatMap(Int.init)
    let size = announced ?? limit
    // Refuse the request before it waits.
    guard size <= limit else {
      throw WebError(
        status: .contentTooLarge, code: "body_too_large",
        message: "The request has \(ByteCount(size)), but tensors of '\(limits.model)' take at "
          + "most \(ByteCount(limit)) as \(hasBinary ? "binary data" : "JSON").",
        endsConnection: true)
    }
    // Reserve memory for the body, and for the elements twice: here and in the model.
    return try await budget.withBytes(size + limits.tensors * 2) {
      try await reader.withBody(of: request, limit: limit, as: "The request") { body in
        let queue = body.readableBytes > Self.small ? queue : images
        return try await queue.run { try work(body) }
      }
    }
  }
}

/// The limits of requests with tensors, which follow from a model's inputs.
struct TensorLimits: Sendable {
  let model: String
  /// The maximum size of a request that is only JSON, in bytes.
  let json: Int
  /// The maximum size of a request with binary tensors, in bytes.
  let binary: Int
  /// The total size of the elements, in bytes.
  let tensors: Int

  /// The bytes of a double with a sign, 17 digits, an exponent, a comma and a space.
  private static let bytesPerNumber = 26
  /// The bytes for names, brackets and parameters.
  private static let overhead = 256 << 10
  /// The maximum size of the strings of an input, in bytes.
  private static let texts = 4 << 20

  /// Derives the limits from a model's inputs, unless the server's options set a limit.
  init(_ id: String, _ inputs: [TensorSpec], limit: Int?) {
    model = id
    var (json, binary, tensors) = (Self.overhead, Self.overhead, 0)
    for input in inputs {
      let count = max(1, input.wireShape.reduce(1) { $0 * max(1, $1) })
      if input.dataType == .string {
        json += Self.texts
        binary += Self.texts
      } else {
        json += count * Self.bytesPerNumber
        tensors += count * max(input.dataType.byteWidth, input.wireType.byteWidth)
        binary += input.isImage ? InferenceRunner.maximumImageBytes : 0
      }
    }
    self.json = limit ?? json
    self.binary = limit ?? binary + tensors
    self.tensors = tensors
  }
}
#endif
