// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

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
  public var latency: StageLatency
  /// The size of the upright image in pixels, or nil if the image wasn't read.
  public var size: (width: Int, height: Int)?

  /// Creates an evaluation.
  public init(
    id: String, result: Result<Prediction, TensorIOError>,
    latency: StageLatency = StageLatency(), size: (width: Int, height: Int)? = nil
  ) {
    self.id = id
    self.result = result
    self.latency = latency
    self.size = size
  }
}

/// The durations of the stages from an image to a prediction.
///
/// Decoding and preprocessing are interleaved row by row, but are measured separately.
public struct StageLatency: Sendable, Hashable {
  /// Reading the file and decoding the image.
  public var decode: Duration
  /// Cropping, resizing and normalizing the image into the model's memory.
  public var preprocess: Duration
  /// Running the model.
  public var inference: Duration
  /// Converting the outputs to values.
  public var postprocess: Duration

  /// Creates a latency from its stages.
  public init(
    decode: Duration = .zero, preprocess: Duration = .zero, inference: Duration = .zero,
    postprocess: Duration = .zero
  ) {
    self.decode = decode
    self.preprocess = preprocess
    self.inference = inference
    self.postprocess = postprocess
  }

  /// The sum of all stages.
  public var total: Duration { decode + preprocess + inference + postprocess }
}
