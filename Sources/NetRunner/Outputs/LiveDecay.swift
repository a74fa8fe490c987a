// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// Smooths the labelled values of successive live images, so that people can read them.
///
/// Each value is 0.7 times the previous value plus 0.3 times the current one. Labels with a value
/// below 0.01 are dropped and start again from 0. The values of the first image are unchanged.
public struct LiveDecay: Sendable {
  private static let keep: Float = 0.7
  private static let take: Float = 0.3
  private static let least: Float = 0.01

  private var previous: [String: Float]?
  private var source: String?

  /// Creates a decay without previous values.
  public init() {}

  /// Forgets the previous values, so that the next image counts as the first.
  public mutating func reset() {
    previous = nil
    source = nil
  }

  /// Mixes an image's values with the previous ones.
  ///
  /// - Parameters:
  ///   - classification: All labelled values of the image, not only the best.
  ///   - source: The source of the image, such as a camera's name. If it changes, the previous
  ///     values are forgotten.
  /// - Returns: The values in the order of the labels, followed by labels that only the previous
  ///   values have.
  public mutating func apply(
    _ classification: Classification, from source: String
  ) -> Classification {
    if source != self.source { reset() }
    self.source = source
    guard let previous else {
      self.previous = classification.dictionary
      return classification
    }
    let new = classification.dictionary
    var seen: Set<String> = []
    let order =
      classification.map(\.label) + previous.keys.filter { new[$0] == nil }.sorted()
    var kept: [(label: String, value: Float)] = []
    for label in order where seen.insert(label).inserted {
      let value = Self.keep * (previous[label] ?? 0) + Self.take * (new[label] ?? 0)
      // The comparison also drops NaN, which would otherwise never disappear.
      if value >= Self.least { kept.append((label, value)) }
    }
    self.previous = Dictionary(kept.map { ($0.label, $0.value) }) { $1 }
    return Classification(labels: Labels(kept.map(\.label)), values: kept.map(\.value))
  }

  /// Mixes a prediction's labelled values with the previous ones if its format asks for that.
  ///
  /// - Parameters:
  ///   - prediction: The model's prediction for the image.
  ///   - format: The format that the prediction is shown in.
  ///   - source: The source of the image.
  /// - Returns: The prediction with the mixed values. Everything else is unchanged.
  public mutating func apply(
    _ prediction: Prediction, shownAs format: any OutputFormat, from source: String
  ) -> Prediction {
    guard format.decays, let classification = prediction.classification else { return prediction }
    var prediction = prediction
    prediction.classification = apply(classification, from: source)
    return prediction
  }
}
