// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The duration of each stage of a run, from the input to the outputs' values.
public struct RunLatency: Sendable, Hashable {
  /// The time for reading an image's file and decoding it.
  ///
  /// ``InferenceModel/measure(_:)`` counts it as preprocessing. Net Runner's evaluator measures it
  /// separately, although decoding and preprocessing are interleaved row by row.
  public var decode: Duration
  /// The time for converting the values and writing them into the model's memory.
  public var preprocess: Duration
  /// The time for running the model.
  public var inference: Duration
  /// The time for reading the outputs.
  public var postprocess: Duration

  /// Makes a latency from the durations of its stages.
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

  /// Adds each stage of another run, to compute a mean.
  package static func += (sum: inout RunLatency, other: RunLatency) {
    sum.decode += other.decode
    sum.preprocess += other.preprocess
    sum.inference += other.inference
    sum.postprocess += other.postprocess
  }

  /// Divides each stage by the number of runs.
  package static func / (sum: RunLatency, count: Int) -> RunLatency {
    RunLatency(
      decode: sum.decode / count, preprocess: sum.preprocess / count,
      inference: sum.inference / count, postprocess: sum.postprocess / count)
  }
}
