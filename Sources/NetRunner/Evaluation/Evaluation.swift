// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// What became of one picture: a prediction or an error, and how long each stage took.
public struct Evaluation: Sendable {
  /// The picture's identifier.
  public var id: String
  /// The prediction, or why there is none.
  ///
  /// One picture's error ends nothing.
  public var result: Result<Prediction, TensorIOError>
  /// How long each stage took; the means where the model ran several times.
  public var latency: StageLatency
  /// The upright picture's size in pixels; nil where it was not read.
  public var size: (width: Int, height: Int)?

  /// Makes an evaluation.
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

/// How long the stages from a picture to a prediction took.
///
/// Decoding and preprocessing go hand in hand, row by row; their times are still apart.
public struct StageLatency: Sendable, Hashable {
  /// Reading the file and decoding the picture.
  public var decode: Duration
  /// Cropping, resizing and normalizing into the model's memory.
  public var preprocess: Duration
  /// Running the model.
  public var inference: Duration
  /// Making values of the outputs.
  public var postprocess: Duration

  /// Makes a latency of its parts.
  public init(
    decode: Duration = .zero, preprocess: Duration = .zero, inference: Duration = .zero,
    postprocess: Duration = .zero
  ) {
    self.decode = decode
    self.preprocess = preprocess
    self.inference = inference
    self.postprocess = postprocess
  }

  /// The sum of the parts.
  public var total: Duration { decode + preprocess + inference + postprocess }
}
