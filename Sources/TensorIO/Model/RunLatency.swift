// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How long the parts of a run took.
public struct RunLatency: Sendable, Hashable {
  /// Converting the values and writing them into the model's memory.
  public var preprocess: Duration
  /// Running the model.
  public var inference: Duration
  /// Reading the outputs' bytes.
  public var postprocess: Duration

  /// Makes a latency of its parts.
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
