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
    var top = self
    top.selection = topIndices(count, threshold: threshold)
    return top
  }

  /// Returns the indices of the classes of ``top(_:threshold:)``, which tell equal labels apart.
  package func topIndices(_ count: Int? = nil, threshold: Float? = nil) -> [Int] {
    let kept = (selection ?? Array(values.indices)).filter { index in
      threshold.map { values[index] > $0 } ?? !values[index].isNaN
    }
    let order = kept.sorted { left, right in
      values[left] != values[right] ? values[left] > values[right] : left < right
    }
    return Array(order.prefix(Swift.max(count ?? .max, 0)))
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

/// The names of a classifier's classes, in the order of the output's values.
///
/// This is a final class, so that all results share one copy.
public final class Labels: Sendable {
  /// The names, which may repeat: ImageNet's contain one twice.
  public let names: [String]

  /// Makes labels from names.
  public init(_ names: [String]) {
    self.names = names
  }

  /// Reads the text of a labels file, with one name per line.
  ///
  /// An empty last line is not a label. Lines end with a line feed, or with a carriage return and a
  /// line feed. A byte order mark is not part of the first name.
  package convenience init(text: String) {
    // Splits bytes instead of characters, because the labels of a thousand classes are read at
    // every start.
    let bytes = text.utf8.starts(with: "\u{FEFF}".utf8) ? text.utf8.dropFirst(3) : text.utf8[...]
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var names = lines.dropLast().map { line in
      String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
    }
    if let last = lines.last, !last.isEmpty { names.append(String(Substring(last))) }
    self.init(names)
  }
}

extension Labels: Hashable {
  public static func == (left: Labels, right: Labels) -> Bool {
    left === right || left.names == right.names
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
