// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import NIOCore
import NetRunner
import Synchronization
import TensorIO
import TensorIOImageCodecs

/// Runs models on the images, recordings and values that clients send.
struct InferenceRunner: Sendable {
  let catalogue: ModelCatalogue
  let queue: WorkQueue
  let sources = LiveSources()
  let formats: OutputFormats
  /// Returns what runs the model with the given path.
  let accelerator: @Sendable (_ modelPath: String) -> (name: String, reason: String?)?
  /// The maximum size of an image, in bytes and in pixels.
  static let maximumImageBytes = 32 << 20
  private static let maximumPixels = 64_000_000

  static let decoder = ImageDecoder(
    limits: ImageDecoder.Limits(
      maximumPixels: maximumPixels, maximumFileBytes: maximumImageBytes))

  /// What a client sends to run a model on.
  enum Body: Sendable {
    /// The bytes of an image or a recording.
    case file(ByteBuffer)
    /// Values by the names of the model's fields.
    case values(JSONValue)
  }

  func run(
    _ model: ServedModel, on body: Body, _ options: InferenceOptions
  ) async throws -> JSONObject {
    let evaluator = try await catalogue.evaluator(of: model)
    let arrival = ContinuousClock.now
    return try await queue.run(from: options.source ?? "") { token in
      let wait = ContinuousClock.now - arrival
      return try answer(model, evaluator, body, options, wait, until: token).json()
    }
  }

  private func answer(
    _ model: ServedModel, _ evaluator: Evaluator, _ body: Body, _ options: InferenceOptions,
    _ wait: Duration, until token: CancellationToken
  ) throws -> InferenceAnswer {
    let inputs = try evaluator.model.loadSignature().inputs
    var source = try Self.source(of: body, for: model, inputs)
    var previews: [String: PixelBuffer]?
    var decoding = Duration.zero
    if options.previews, model.subject == .image, case .bytes(let bytes, let name) = source {
      // The result and the previews share one decoding of the whole image, which gives the model
      // the same pixels as decoding only what it sees.
      let clock = ContinuousClock()
      let start = clock.now
      let image = try Self.decoder.decode(bytes, named: name)
      decoding = clock.now - start
      source = .pixels(image, name: name)
      previews = try inputs[0].previews(of: image, includesAlpha: options.alpha)
    }
    let evaluation = evaluator.evaluate(source, iterations: options.iterations, until: token)
    var prediction = try evaluation.result.get()
    var latency = evaluation.latency
    latency.decode += decoding
    let format = formats.format(for: model.bundle.manifest)
    if let source = options.source {
      prediction = sources.apply(prediction, shownAs: format, from: source, model: model.id)
    }
    return InferenceAnswer(
      model: model, prediction: prediction, latency: latency, wait: wait,
      text: format.text(for: prediction), options: options, input: inputs[0], previews: previews,
      accelerator: model.bundle.modelPath.flatMap(accelerator))
  }

  private static func source(
    of body: Body, for model: ServedModel, _ inputs: [TensorSpec]
  ) throws -> ImageSource {
    switch body {
    case .file(let bytes):
      let isRecording = model.subject == .recording
      guard model.subject != .fields else {
        throw WebError.badRequest(
          "This model takes values. Send them as JSON, like {\"values\": {\"NAME\": 1}}.")
      }
      guard bytes.readableBytes > 0 else {
        throw WebError(
          status: .badRequest, code: isRecording ? "not_a_recording" : "not_a_picture",
          message: "The body is empty. Send the bytes of a "
            + (isRecording ? "WAV, FLAC or Ogg file." : "JPEG, PNG, BMP or WebP image."))
      }
      return .bytes(
        Array(bytes.readableBytesView), name: isRecording ? "The recording" : "The image")
    case .values(let document):
      guard model.subject == .fields else {
        throw WebError.badRequest(
          "This model takes \(model.subject == .recording ? "a recording" : "an image"). Send the "
            + "bytes of the file instead of JSON.")
      }
      guard case .object(let values)? = try JSONObjectReader(document, "The body")["values"] else {
        throw WebError.badRequest(
          "The body needs 'values', an object with the values by the names of the model's fields.")
      }
      return .row(try TableRow(values, InputField.fields(of: inputs)), name: "The values")
    }
  }
}

/// Fades the labelled values of live sources into those of their next image.
///
/// A source is a name that a client chooses. The least recently used sources are removed, so that
/// clients can't fill the memory with names.
final class LiveSources: Sendable {
  private struct Source {
    var decay = LiveDecay()
    var lastUse: UInt64
  }

  private struct State {
    var sources: [String: Source] = [:]
    var uses: UInt64 = 0
  }

  private let state = Mutex(State())

  private static let limit = 256

  /// Mixes a prediction's labelled values with those of the source's last image by the same model.
  func apply(
    _ prediction: Prediction, shownAs format: any OutputFormat, from source: String,
    model: String
  ) -> Prediction {
    state.withLock { state in
      state.uses += 1
      var entry = state.sources[source] ?? Source(lastUse: 0)
      let mixed = entry.decay.apply(prediction, shownAs: format, from: model)
      entry.lastUse = state.uses
      state.sources[source] = entry
      if state.sources.count > Self.limit,
        let oldest = state.sources.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.sources[oldest.key] = nil
      }
      return mixed
    }
  }
}
#endif
