// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIOImageCodecs

/// How models are evaluated.
public struct EvaluationOptions: Sendable {
  /// How often each picture is run; the latencies are the means.
  public var iterations = 1
  /// How many runs of each thread go before, unmeasured.
  public var warmup = 1
  /// How many pictures are under way at once, each with a session of its own.
  public var threads = 1
  /// The metrics by name; empty takes the dataset's, and those that suit its labels.
  public var metrics: [String] = []
  /// The k of top-k accuracy.
  public var topK = 5
  /// What is added to classes that a dataset gives as numbers.
  public var labelOffset = 0
  /// The class of pixels that segmentation does not judge; nil judges all.
  public var ignoredClass: Int? = 255
  /// Where resampled intervals begin.
  public var seed: UInt64 = 0
  /// What of the outputs the rows keep; nil keeps all of a test bundle, five values of others.
  public var kept: KeptOutputs?
  /// The metrics that can be asked for by name.
  public var registry = MetricRegistry.standard
  /// How pictures are decoded.
  public var decoder = ImageDecoder()
  /// Fetches pictures that have an address; nil makes those error rows.
  public var fetch: Evaluator.Fetch?

  /// Makes the default options.
  public init() {}
}

/// What of a model's outputs is kept in a row.
public enum KeptOutputs: Sendable, Hashable {
  /// Everything.
  case all
  /// Of labelled values the highest, of other outputs at most so many numbers.
  case top(Int)
  /// Nothing.
  case none
}
