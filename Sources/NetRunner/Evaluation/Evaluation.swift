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
  public var latency: RunLatency
  /// The size of the upright image in pixels, or nil if the image wasn't read.
  public var size: (width: Int, height: Int)?

  /// Creates an evaluation.
  public init(
    id: String, result: Result<Prediction, TensorIOError>,
    latency: RunLatency = RunLatency(), size: (width: Int, height: Int)? = nil
  ) {
    self.id = id
    self.result = result
    self.latency = latency
    self.size = size
  }
}
