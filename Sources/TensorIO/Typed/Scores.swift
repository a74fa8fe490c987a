// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A classifier's labelled values, whose labels have a type of their own.
///
/// ```swift
/// let answer = try digits(image: photo)
/// switch answer.classification.best {
/// case .seven: print("lucky")
/// default: print(answer.classification[.seven])
/// }
/// ```
///
/// The elements are in the order of the model's labels. ``Classification`` is the same without a type
/// for the labels.
public struct Scores<Label: ModelLabel>: Sendable, Equatable, RandomAccessCollection {
  /// A label and its value.
  public typealias Element = (label: Label, value: Float)

  /// The label with the highest value, and the first one of equal values.
  public let best: Label

  private let labels: [Label]
  private let values: [Float]

  /// Makes scores of labels and values in the same order; nil if no value is a number.
  public init?(labels: [Label], values: [Float]) {
    precondition(labels.count == values.count, "Every value needs a label.")
    var winner: Int?
    for (index, value) in values.enumerated() where !value.isNaN {
      if let highest = winner, values[highest] >= value { continue }
      winner = index
    }
    guard let winner else { return nil }
    best = labels[winner]
    self.labels = labels
    self.values = values
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { values.count }

  public subscript(position: Int) -> Element { (labels[position], values[position]) }

  /// The value of the last class with this label; nil if the model has no such label.
  public subscript(label label: Label) -> Float? {
    labels.lastIndex(of: label).map { values[$0] }
  }

  /// Returns the highest values, in descending order.
  ///
  /// - Parameters:
  ///   - count: The maximum number of elements; nil returns all.
  ///   - threshold: Only greater values are returned; nil returns all. NaN is never returned.
  /// - Returns: The elements. Elements of equal value are in the order of the labels.
  public func top(_ count: Int? = nil, threshold: Float? = nil) -> [Element] {
    let kept = indices.filter { index in
      threshold.map { values[index] > $0 } ?? !values[index].isNaN
    }
    let order = kept.sorted { left, right in
      values[left] != values[right] ? values[left] > values[right] : left < right
    }
    return order.prefix(Swift.max(count ?? .max, 0)).map { self[$0] }
  }

  public static func == (left: Scores, right: Scores) -> Bool {
    left.labels == right.labels && left.values == right.values
  }
}

extension Scores where Label: CaseIterable {
  /// The value of a label.
  ///
  /// The model must have the label, as it has all labels of a generated type.
  public subscript(label: Label) -> Float {
    guard let value = self[label: label] else {
      preconditionFailure("The model has no label \(label).")
    }
    return value
  }
}

extension Scores: TensorDecodable {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> Scores {
    guard case .vector(_, let names?) = spec.kind else {
      throw TensorIOError.wrongOutputType(
        spec, "Scores",
        because: spec.isClassMap ? "it is a class map" : "model.json doesn't name labels for it")
    }
    let values = try [Float].decode(bytes, as: spec)
    let labels = try Label.requireValues(of: Array(names.names.prefix(values.count)), in: spec)
    guard let scores = Scores(labels: labels, values: values) else {
      throw TensorIOError.wrongOutputType(
        spec, "Scores",
        because: "all of its \(values.count) values are NaN. Check the model's input")
    }
    return scores
  }
}
