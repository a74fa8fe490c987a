// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Labelled values in order, which are the result of a classifier.
///
/// ```swift
/// let best = try outputs["classification", as: Classification.self].top(5, threshold: 0.1)
/// for (label, value) in best { ... }
/// ```
///
/// Two classes may have the same name (ImageNet has two named crane). The collection keeps both,
/// while ``subscript(label:)`` and ``dictionary`` return the last one.
public struct Classification: Sendable, Equatable, RandomAccessCollection {
  /// A label and its value.
  public typealias Element = (label: String, value: Float)

  private let labels: Labels
  private let values: [Float]
  /// The indices of the labels in the result, in its order; nil means all, in the labels' order.
  private var selection: [Int]?

  /// Makes a classification.
  ///
  /// - Parameters:
  ///   - labels: The names, at least as many as there are values.
  ///   - values: The values, in the order of the names.
  public init(labels: Labels, values: [Float]) {
    precondition(values.count <= labels.names.count, "Every value needs a label.")
    self.labels = labels
    self.values = values
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { selection?.count ?? values.count }

  public subscript(position: Int) -> Element {
    let index = selection?[position] ?? position
    return (labels.names[index], values[index])
  }

  /// The value of the last class with this name; nil when the result does not contain it.
  public subscript(label label: String) -> Float? {
    last { $0.label == label }?.value
  }

  /// The values by label; if two classes share a name, the last one's.
  public var dictionary: [String: Float] {
    Dictionary(map { ($0.label, $0.value) }) { _, last in last }
  }

  /// Returns the highest values, in descending order.
  ///
  /// - Parameters:
  ///   - count: The maximum number of elements to keep; nil keeps all.
  ///   - threshold: Only greater values are kept; nil keeps all. NaN is never kept.
  /// - Returns: The elements. Elements of equal value are in the order of the labels.
  public func top(_ count: Int? = nil, threshold: Float? = nil) -> Classification {
    let kept = (selection ?? Array(values.indices)).filter { index in
      threshold.map { values[index] > $0 } ?? !values[index].isNaN
    }
    let order = kept.sorted { left, right in
      values[left] != values[right] ? values[left] > values[right] : left < right
    }
    var top = self
    top.selection = Array(order.prefix(Swift.max(count ?? .max, 0)))
    return top
  }

  public static func == (left: Classification, right: Classification) -> Bool {
    left.elementsEqual(right) { $0.label == $1.label && $0.value == $1.value }
  }
}

extension Classification: TensorDecodable {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> Classification {
    guard case .vector(_, let labels?) = spec.kind else {
      throw TensorIOError.wrongOutputType(
        spec, "Classification",
        because: spec.isClassMap ? "it is a class map" : "model.json doesn't name labels for it")
    }
    return Classification(labels: labels, values: try [Float].decode(bytes, as: spec))
  }
}

/// The values of a classifier by label; if two classes share a name, the last one's.
extension Dictionary: TensorDecodable where Key == String, Value == Float {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> [String: Float] {
    try Classification.decode(bytes, as: spec).dictionary
  }
}
