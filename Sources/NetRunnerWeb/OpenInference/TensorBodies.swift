// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import NIOCore
import TensorIO

/// Reads the bodies of requests that bring tensors, and reads their tensors on a thread of its own.
///
/// Large ones must not hold up pictures: they share one thread, apart from the threads that run
/// pictures, and a budget of memory. A request that finds too little of it
/// free waits, and its connection takes no more of the body meanwhile.
struct TensorBodies: Sendable {
  private let budget = ByteBudget(total: 256 << 20, limit: 256)
  private let queue = WorkQueue(threads: 1, limit: 256)
  /// Reads bodies; pictures have a reader of their own.
  private let reader = BodyReader(budget: 1 << 30)
  /// Where requests are worked on that are no larger than a picture.
  let pictures: WorkQueue

  /// What counts as small.
  private static let small = 256 << 10

  init(pictures: WorkQueue) { self.pictures = pictures }

  /// Reads a request's body, and works on it.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limits: What its model may be sent.
  ///   - hasBinary: Whether binary tensors follow the JSON.
  ///   - work: Gets the body; it may block.
  /// - Returns: What the work returned.
  /// - Throws: ``WebError`` for a body over the limit, and where too many wait; what the work throws.
  func withBody<Result: Sendable>(
    of request: Request, _ limits: TensorLimits, hasBinary: Bool,
    _ work: @escaping @Sendable (ByteBuffer) throws -> Result
  ) async throws -> Result {
    let limit = hasBinary ? limits.binary : limits.json
    let announced = request.headers[.contentLength].flatMap(Int.init)
    let size = announced ?? limit
    // Refused before it waits.
    guard size <= limit else {
      throw WebError(
        status: .contentTooLarge, code: "body_too_large",
        message: "The request has \(ByteCount(size)). Tensors of '\(limits.model)' take at most "
          + "\(ByteCount(limit)) as \(hasBinary ? "binary data" : "JSON").",
        endsConnection: true)
    }
    // The body, and the elements in two places: here and in the model.
    return try await budget.withBytes(size + limits.tensors * 2) {
      try await reader.withBody(of: request, limit: limit, as: "The request") { body in
        let queue = body.readableBytes > Self.small ? queue : pictures
        return try await queue.run { try work(body) }
      }
    }
  }
}

/// What a model may be sent as tensors; it follows from the model's inputs.
struct TensorLimits: Sendable {
  /// The model's id.
  let model: String
  /// The bytes of a request that is all JSON.
  let json: Int
  /// The bytes of a request with binary tensors.
  let binary: Int
  /// The bytes of the elements.
  let tensors: Int

  /// A double with a sign, 17 digits, an exponent, a comma and a space.
  private static let bytesPerNumber = 26
  /// Names, brackets, parameters.
  private static let overhead = 256 << 10
  /// The texts that an input of texts may have.
  private static let texts = 4 << 20

  /// - Parameters:
  ///   - id: The model's id.
  ///   - inputs: The model's inputs, from which the limits follow.
  ///   - limit: The bytes of any request, where the server's options say so.
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
        tensors += count * max(input.dataType.byteWidth, input.wireType.byteWidth ?? 0)
        binary += input.isImage ? InferenceRunner.maximumPictureBytes : 0
      }
    }
    self.json = limit ?? json
    self.binary = limit ?? binary + tensors
    self.tensors = tensors
  }
}
#endif
