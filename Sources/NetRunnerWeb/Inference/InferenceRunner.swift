// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import NIOCore
import NetRunner
import TensorIO
import TensorIOImageCodecs

/// Runs models on the images that clients send.
struct InferenceRunner: Sendable {
  let catalogue: ModelCatalogue
  let queue: WorkQueue
  let sources = LiveSources()
  let formats: OutputFormats
  /// The maximum size of an image, in bytes and in pixels.
  static let maximumPictureBytes = 32 << 20
  private static let maximumPixels = 64_000_000

  /// Decodes the images that clients send.
  static let decoder = ImageDecoder(
    limits: ImageDecoder.Limits(
      maximumPixels: maximumPixels, maximumFileBytes: maximumPictureBytes))

  /// Runs a model on an image.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - picture: The bytes of a JPEG, PNG, BMP or WebP image.
  ///   - options: The client's options.
  /// - Returns: The response's JSON document.
  /// - Throws: ``WebError`` or `TensorIOError`, which say what is wrong with the model or the
  ///   image.
  func run(
    _ model: VisionModel, on picture: ByteBuffer, _ options: InferenceOptions
  ) async throws -> JSONValue {
    guard picture.readableBytes > 0 else {
      throw WebError(
        status: .badRequest, code: "not_a_picture",
        message: "The body is empty. Send the bytes of a JPEG, PNG, BMP or WebP image.")
    }
    return try await queue.run {
      try answer(model, Array(picture.readableBytesView), options).json()
    }
  }

  private func answer(
    _ model: VisionModel, _ bytes: [UInt8], _ options: InferenceOptions
  ) throws -> InferenceAnswer {
    let evaluator = try catalogue.evaluator(of: model)
    let name = "The image"
    let evaluation = evaluator.evaluate(
      .bytes(bytes, name: name), iterations: options.iterations)
    var prediction = try evaluation.result.get()
    let format = formats.format(for: model.bundle.manifest)
    if let source = options.source {
      prediction = sources.apply(prediction, shownAs: format, from: source, model: model.id)
    }
    let input = try evaluator.model.loadSignature().inputs[0]
    let preview =
      options.previews
      ? try Preview(of: bytes, named: name, for: input, includesAlpha: options.alpha) : nil
    return InferenceAnswer(
      model: model, prediction: prediction, latency: evaluation.latency,
      text: format.text(for: prediction), options: options, input: input, preview: preview)
  }
}
#endif
