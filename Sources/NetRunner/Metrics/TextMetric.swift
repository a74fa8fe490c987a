// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import MetricMath
import TensorIO

/// How much the texts that a model reads differ from the true ones.
///
/// The rates are those of all images together, as in jiwer. An image that failed counts as an empty
/// text.
struct TextMetric: MetricFamily {
  enum Value: String, CaseIterable {
    /// Wrong, missing and additional words, divided by the number of true words.
    case wordErrorRate = "wer"
    /// The same of characters.
    case characterErrorRate = "cer"
    /// The share of images whose text is exact.
    case exactMatch = "exact_match"

    var isHigherBetter: Bool { self == .exactMatch }
  }

  struct Item: Sendable, Hashable, Codable {
    var words: EditCounts
    var characters: EditCounts
  }

  static let familyName = "text"

  let name: String
  let context: MetricContext

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) throws -> Item? {
    guard case .label(let truth) = truth else { return nil }
    if let prediction, prediction.text == nil {
      throw TensorIOError(
        .wrongOutputType,
        "Metric '\(name)' needs an output that is decoded to text, but the model has none. Add "
          + "\"decode\" with the type \"ctc\" or \"tokens\" to the output in model.json.")
    }
    let text = prediction?.text ?? ""
    do {
      return Item(
        words: try EditCounts(words: truth, text),
        characters: try EditCounts(characters: truth, text))
    } catch {
      throw TensorIOError(.unrepresentableValue, "Metric '\(name)': \(error)")
    }
  }

  func reduce(_ items: [Item]) throws -> MetricReport {
    let resampled = values.filter { $0 != .exactMatch }
    let intervals =
      resampled.isEmpty
      ? nil
      : Bootstrap(context).intervals(images: items.count, steps: 2 * items.count) { weights in
        let sums = Self.sums(items, weights)
        return resampled.map { Self.number($0, sums) }
      }
    let sums = Self.sums(items)
    var report = MetricReport(values: [])
    for value in values {
      let number = Self.number(value, sums)
      let interval =
        if value == .exactMatch {
          MetricValue.Interval.wilson(
            successes: sums.characters.exactPairs, of: items.count)
        } else {
          resampled.firstIndex(of: value).flatMap { intervals?[$0] }
        }
      report.values.append(
        MetricValue(
          value.rawValue, number, interval: number == nil ? nil : interval, count: items.count,
          isHigherBetter: value.isHigherBetter))
      if number == nil {
        report.notes.append("\(value.rawValue) is not defined: the true texts are empty.")
      }
    }
    return report
  }

  private static func sums(_ items: [Item], _ weights: [Int]? = nil) -> Item {
    var sums = Item(words: EditCounts(), characters: EditCounts())
    for (index, item) in items.enumerated() {
      for _ in 0..<(weights?[index] ?? 1) {
        sums.words += item.words
        sums.characters += item.characters
      }
    }
    return sums
  }

  private static func number(_ value: Value, _ sums: Item) -> Double? {
    switch value {
    case .wordErrorRate: sums.words.errorRate
    case .characterErrorRate: sums.characters.errorRate
    case .exactMatch: sums.characters.exactShare
    }
  }
}
