// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO
import TensorIODecoding
import TensorIOEncoding
public import TensorIOImageCodecs

/// Runs a model on images, recordings or values, and measures each stage.
///
/// ```swift
/// let evaluator = try Evaluator(model)
/// let evaluation = evaluator.evaluate(.file("cat.jpg"))
/// print(evaluation.latency.inference, evaluation.result)
/// ```
///
/// A problem with an image is stored in its ``Evaluation``. It is never thrown, so it doesn't stop
/// a batch. An evaluator can be used from many threads. It processes as many images at the same
/// time as the model has sessions.
public struct Evaluator: Sendable {
  /// Fetches the bytes at a URL.
  public typealias Fetch = @Sendable (_ address: String) throws -> [UInt8]

  /// The model.
  public let model: InferenceModel
  /// The names of the model's classes, in order.
  ///
  /// Empty if the model has none.
  public let labels: [String]

  private let inputs: [TensorSpec]
  private let input: TensorSpec
  private let decoder: ImageDecoder
  private let fetch: Fetch?
  private let reader: PredictionReader

  /// Creates an evaluator and loads the model.
  ///
  /// - Parameters:
  ///   - model: A model. If it takes images or recordings, it has a single input.
  ///   - decoder: Decodes the images.
  ///   - fetch: Fetches images that have a URL. If nil, those images are errors.
  /// - Throws: `TensorIOError` if the model can't be loaded, or if it has no inputs.
  public init(
    _ model: InferenceModel, decoder: ImageDecoder = ImageDecoder(), fetch: Fetch? = nil
  ) throws {
    let signature = try model.loadSignature()
    guard let input = signature.inputs.first else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(model.bundle.manifest.name)' takes no input, so it can't be evaluated.")
    }
    inputs = signature.inputs
    self.model = model
    self.input = input
    self.decoder = decoder
    self.fetch = fetch
    labels = try Self.labels(of: model.bundle, signature)
    reader = PredictionReader(signature.outputs, input: input, labels: labels)
  }

  /// Runs the model on an image, a recording or values.
  ///
  /// A recording with several windows gets the mean of their results.
  ///
  /// - Parameters:
  ///   - source: The image, the recording or the values.
  ///   - id: The image's identifier in results. If nil, the source's own is used.
  ///   - iterations: How often all stages are repeated, starting with decoding. The latencies are
  ///     means.
  ///   - token: Ends the runs when it is cancelled or its deadline passes. The result is then an
  ///     error with the code `.cancelled` or `.deadlineExceeded`.
  /// - Returns: The prediction or the error, and the latencies.
  public func evaluate(
    _ source: ImageSource, id: String? = nil, iterations: Int = 1,
    until token: CancellationToken? = nil
  ) -> Evaluation {
    precondition(iterations > 0, "An image must be evaluated at least once.")
    return evaluation(id: id ?? source.id, path: source.path) { evaluation in
      let image = try fetched(source)
      var sum = RunLatency()
      for _ in 0..<iterations {
        let (prediction, latency, size) = try evaluate(image, until: token)
        sum += latency
        evaluation.result = .success(prediction)
        evaluation.size = size
      }
      evaluation.latency = sum / iterations
    }
  }

  /// Runs the model once on values that a closure reads, whose time counts as decoding.
  package func evaluateValues(
    id: String, reading: () throws -> [ModelInputs]
  ) -> Evaluation {
    evaluation(id: id, path: nil) { evaluation in
      let (prediction, latency, _) = try evaluate(values: reading, until: nil)
      evaluation.result = .success(prediction)
      evaluation.latency = latency
    }
  }

  private func evaluation(
    id: String, path: String?, _ fill: (inout Evaluation) throws -> Void
  ) -> Evaluation {
    var evaluation = Evaluation(id: id, result: .success(Prediction()))
    do {
      try fill(&evaluation)
    } catch let error as TensorIOError {
      var failure = error.about(model.bundle.path)
      if let path { failure = failure.about(path) }
      evaluation.result = .failure(failure)
    } catch is CancellationError {
      evaluation.result = .failure(TensorIOError(.cancelled, "The run was cancelled."))
    } catch {
      evaluation.result = .failure(TensorIOError(.inferenceFailed, "\(error)", cause: error))
    }
    return evaluation
  }

  /// Fetches an image that has a URL, which isn't measured.
  private func fetched(_ source: ImageSource) throws -> ImageSource {
    guard case .url(let address) = source else { return source }
    guard let fetch else {
      throw TensorIOError(
        .unreadableFile, "'\(address)' is a URL, but this evaluator doesn't download images.")
    }
    return .bytes(try fetch(address), name: "'\(address)'")
  }

  private func evaluate(
    _ source: ImageSource, until token: CancellationToken?
  ) throws -> (Prediction, RunLatency, (width: Int, height: Int)?) {
    switch source {
    case _ where isValues(source):
      return try evaluate(values: { try source.inputs(for: inputs) }, until: token)
    case _ where isRecording: return try evaluateRecording(source, until: token)
    case .pixels(let pixels, _):
      return try run(try imageInputs(source), DecodeTimer(), size: pixels.uprightSize, until: token)
    default:
      let timer = DecodeTimer()
      return try run(try imageInputs(source, timer), timer, size: nil, until: token)
    }
  }

  /// Returns what the model would be run on: the inputs of one run, or of one for each window of a
  /// recording.
  ///
  /// An image is decoded only when its inputs are encoded.
  ///
  /// - Throws: `TensorIOError` if the source can't be read, or isn't what the model takes.
  package func inputs(of source: ImageSource) throws -> [ModelInputs] {
    let source = try fetched(source)
    if isValues(source) { return try source.inputs(for: inputs) }
    if isRecording { return try clip(source).windows(for: input).map { ModelInputs($0) } }
    return [try imageInputs(source)]
  }

  private func isValues(_ source: ImageSource) -> Bool {
    switch source {
    case .tensor, .row, .numbers: true
    case .file(let path): ImageFolder.isArray(path)
    case .bytes(let bytes, _): bytes.starts(with: NumPyFile.magic)
    default: false
    }
  }

  private var isRecording: Bool { inputs.count == 1 && input.isAudio }

  private func imageInputs(
    _ source: ImageSource, _ timer: DecodeTimer? = nil
  ) throws -> ModelInputs {
    var file: ImageFile
    switch source {
    case .refused(let reason, _): throw TensorIOError(.unreadableFile, reason)
    case .pixels(let pixels, _):
      try checkTakesImage()
      return ModelInputs(pixels)
    case .file(let path), .url(let path): file = ImageFile(path, decoder: decoder)
    case .bytes(let bytes, let name): file = ImageFile(bytes: bytes, named: name, decoder: decoder)
    case .tensor, .row, .numbers:
      throw TensorIOError.wrongKind(input, expected: "an image", found: "another sample")
    }
    try checkTakesImage()
    file.timer = timer
    return ModelInputs(file)
  }

  private func checkTakesImage() throws {
    guard inputs.count == 1, input.isImage else {
      throw TensorIOError(
        .unsupportedModel,
        "'\(model.bundle.manifest.name)' takes "
          + inputs.map { "'\($0.name)' (\($0.kindName))" }.joined(separator: ", ")
          + ", but the sample is an image or a recording.")
    }
  }

  private func clip(_ source: ImageSource) throws -> AudioClip {
    switch source {
    case .file(let path), .url(let path): try AudioClip(contentsOf: path)
    case .bytes(let bytes, let name): try AudioClip(bytes: bytes, named: name)
    case .pixels, .tensor, .row, .numbers:
      throw TensorIOError.wrongKind(input, expected: "a recording", found: "another sample")
    case .refused(let reason, _): throw TensorIOError(.unreadableFile, reason)
    }
  }

  private func evaluateRecording(
    _ source: ImageSource, until token: CancellationToken?
  ) throws -> (Prediction, RunLatency, (width: Int, height: Int)?) {
    let clock = ContinuousClock()
    let start = clock.now
    let clip = try clip(source)
    var latency = RunLatency()
    let decoded = clock.now
    let windows = try clip.windows(for: input)
    latency.decode = decoded - start
    latency.preprocess = clock.now - decoded
    let inputs = windows.map { ModelInputs($0) }
    return (try meanPrediction(inputs, until: token, &latency), latency, nil)
  }

  private func evaluate(
    values: () throws -> [ModelInputs], until token: CancellationToken?
  ) throws -> (Prediction, RunLatency, (width: Int, height: Int)?) {
    let clock = ContinuousClock()
    let start = clock.now
    let windows = try values()
    var latency = RunLatency(decode: clock.now - start)
    return (try meanPrediction(windows, until: token, &latency), latency, nil)
  }

  /// Runs the model on windows, and takes the mean of the predictions.
  private func meanPrediction(
    _ windows: [ModelInputs], until token: CancellationToken?, _ latency: inout RunLatency
  ) throws -> Prediction {
    let clock = ContinuousClock()
    var predictions: [Prediction] = []
    var sum = RunLatency()
    try model.measure(parts: windows, until: token) { outputs, measured in
      let measuredUntil = clock.now
      predictions.append(try reader.prediction(outputs, size: nil))
      sum += measured
      sum.postprocess += clock.now - measuredUntil
    }
    latency += sum
    return try Prediction(meanOf: predictions)
  }

  private func run(
    _ inputs: ModelInputs, _ timer: DecodeTimer, size: (width: Int, height: Int)?,
    until token: CancellationToken?
  ) throws -> (Prediction, RunLatency, (width: Int, height: Int)?) {
    let (outputs, measured) = try model.measure(inputs, until: token)
    let clock = ContinuousClock()
    let start = clock.now
    let prediction = try reader.prediction(outputs, size: size ?? timer.size)
    var latency = measured
    latency.decode = min(timer.time, latency.preprocess)
    latency.preprocess -= latency.decode
    latency.postprocess += clock.now - start
    return (prediction, latency, prediction.imageSize)
  }

  /// The labels of the outputs, or those in the file that a detection model's `options.labels`
  /// names.
  private static func labels(of bundle: ModelBundle, _ signature: ModelSignature) throws -> [String]
  {
    let labels = signature.outputs.lazy.compactMap { $0.labels ?? $0.coding?.labels }
    if let labels = labels.first { return labels.names }
    guard case .string(let file)? = bundle.manifest.options.values["labels"] else { return [] }
    guard !file.contains("/"), file != ".." else {
      throw TensorIOError(
        .invalidBundle,
        "'options.labels' of '\(bundle.path)' is '\(file)', but it must name a file in assets.")
    }
    let bytes = try FileSystem.read(bundle.assetPath(file))
    return Labels(text: String(decoding: bytes, as: UTF8.self)).names
  }
}

extension PixelBuffer {
  fileprivate var uprightSize: (width: Int, height: Int) {
    orientation.swapsAxes ? (height, width) : (width, height)
  }
}

extension TensorSpec {
  fileprivate var kindName: String {
    switch kind {
    case .vector: "numbers"
    case .scalar: "a number"
    case .imageInput, .imageOutput: "an image"
    case .classMap: "a class map"
    case .bytes: "bytes"
    }
  }
}

/// The result of one image: a prediction or an error, and the duration of each stage.
public struct Evaluation: Sendable {
  /// The image's identifier.
  public var id: String
  /// The prediction, or the error.
  ///
  /// An error with one image doesn't stop the evaluation.
  public var result: Result<Prediction, TensorIOError>
  /// The duration of each stage.
  ///
  /// If the model ran several times, these are means.
  public var latency = RunLatency()
  /// The size of the upright image in pixels, or nil if the image wasn't read.
  public var size: (width: Int, height: Int)?
}
