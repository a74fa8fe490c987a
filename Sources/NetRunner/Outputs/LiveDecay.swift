// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// Lets a live picture's labelled values fade into each other, so that they can be read.
///
/// Each value is 0.7 times what it was and 0.3 times what it is now; labels of less than 0.01 are
/// dropped, and start again from 0. The first picture's values are as they are.
public struct LiveDecay: Sendable {
  private static let keep: Float = 0.7
  private static let take: Float = 0.3
  private static let least: Float = 0.01

  private var previous: [String: Float]?
  private var source: String?

  /// Makes a decay without a past.
  public init() {}

  /// Forgets the past: the next picture is the first.
  public mutating func reset() {
    previous = nil
    source = nil
  }

  /// Mixes a picture's values with those before.
  ///
  /// - Parameters:
  ///   - classification: All labelled values of the picture, not only the best.
  ///   - source: What the picture comes from, such as a camera's name; another one than before
  ///     forgets the past.
  /// - Returns: The values in the order of the labels, then of labels that only the past has.
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
      // What is no number is dropped, too, and does not stay for ever.
      if value >= Self.least { kept.append((label, value)) }
    }
    self.previous = Dictionary(kept.map { ($0.label, $0.value) }) { $1 }
    return Classification(labels: Labels(kept.map(\.label)), values: kept.map(\.value))
  }

  /// Mixes a prediction's labelled values with those before, where its format wants that.
  ///
  /// - Parameters:
  ///   - prediction: What the model says about the picture.
  ///   - format: How it is shown.
  ///   - source: What the picture comes from.
  /// - Returns: The prediction with other labelled values; all else is as it was.
  public mutating func apply(
    _ prediction: Prediction, shownAs format: any OutputFormat, from source: String
  ) -> Prediction {
    guard format.decays, let classification = prediction.classification else { return prediction }
    var prediction = prediction
    prediction.classification = apply(classification, from: source)
    return prediction
  }
}
