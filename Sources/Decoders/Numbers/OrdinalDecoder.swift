// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Decodes a rank on a scale, such as an age or a number of stars.
package struct OrdinalDecoder: Sendable {
  /// What the numbers of the tensor mean.
  package enum Form: String, Sendable, CaseIterable {
    /// The logit that the rank is higher than 0, 1 and so on, as in CORAL.
    ///
    /// The rank is the number of probabilities above 0.5, which are the logits above 0.
    case cumulative
    /// The logit of each rank.
    ///
    /// The result is the mean of the ranks' values, weighted by their softmax.
    case expected
  }

  private let axes: TensorAxes
  private let form: Form
  private let values: [Float]

  /// Prepares for a number of logits.
  ///
  /// - Parameters:
  ///   - shape: [ranks - 1] for the cumulative form, otherwise [ranks], with any number of axes of
  ///     size 1.
  ///   - form: What the numbers mean.
  ///   - values: The number that each rank stands for; nil for 0, 1 and so on.
  /// - Throws: ``DecodingError`` if the shape is another, or if there isn't a value for each rank.
  package init(shape: [Int], form: Form, values: [Float]? = nil) throws {
    let isCumulative = form == .cumulative
    axes = try TensorAxes(
      shape, 1, of: "logits", expected: isCumulative ? "[ranks - 1]" : "[ranks]")
    let (ranks, overflow) = axes.count.addingReportingOverflow(isCumulative ? 1 : 0)
    guard !overflow, ranks <= 1_000_000 else {
      throw DecodingError(
        "The logits have the shape \(shape), but there can be at most 1,000,000 ranks. Choose "
          + "another output.")
    }
    self.form = form
    self.values = values ?? (0..<ranks).map { Float($0) }
    guard self.values.count == ranks, self.values.allSatisfy(\.isFinite) else {
      throw DecodingError(
        "\"values\" has \(self.values.count) numbers, but the form '\(form.rawValue)' of "
          + "\(axes.count) logits needs \(ranks) finite numbers. Give a number for each rank.")
    }
  }

  /// Returns the number that the rank stands for.
  ///
  /// A logit that is NaN counts as a probability of 0.
  ///
  /// - Throws: ``DecodingError`` if all logits are NaN, or if the tensor has another size.
  package func decode(_ logits: Span<Float>) throws -> Float {
    try axes.check(logits)
    guard let greatest = logits.greatest(count: axes.count)?.value else {
      throw DecodingError("All logits are NaN. Check the model and its input.")
    }
    if form == .cumulative {
      var rank = 0
      for index in 0..<axes.count where logits[index] > 0 { rank += 1 }
      return values[rank]
    }
    var sum = 0.0
    var weights = 0.0
    for index in 0..<axes.count {
      let weight = softmaxWeight(of: logits[index], greatest: greatest)
      sum += weight * Double(values[index])
      weights += weight
    }
    return Float(sum / weights)
  }
}
