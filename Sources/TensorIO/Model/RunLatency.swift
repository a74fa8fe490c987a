// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The duration of each part of a run.
public struct RunLatency: Sendable, Hashable {
  /// The time for converting the values and writing them into the model's memory.
  public var preprocess: Duration
  /// The time for running the model.
  public var inference: Duration
  /// The time for reading the outputs' bytes.
  public var postprocess: Duration

  /// Makes a latency from the durations of its parts.
  public init(
    preprocess: Duration = .zero, inference: Duration = .zero, postprocess: Duration = .zero
  ) {
    self.preprocess = preprocess
    self.inference = inference
    self.postprocess = postprocess
  }

  /// The sum of the parts.
  public var total: Duration { preprocess + inference + postprocess }
}
