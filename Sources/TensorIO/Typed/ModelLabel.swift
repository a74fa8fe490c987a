// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A type whose values are the labels of a model: an enumeration with a case for each, or `String`.
///
/// `tensorio generate` writes such enumerations. Your own needs no more than the conformance:
///
/// ```swift
/// enum Pet: String, CaseIterable, ModelLabel {
///   case cat, dog
/// }
/// let pets = try outputs["classification", as: Scores<Pet>.self]
/// ```
public protocol ModelLabel: Hashable, Sendable {
  /// Makes the value of a label; nil if there is none.
  init?(label: String)

  /// Returns the values of labels, in their order; nil if one of them has none.
  static func values(of labels: [String]) -> [Self]?
}

extension ModelLabel {
  public static func values(of labels: [String]) -> [Self]? {
    let values = labels.compactMap { Self(label: $0) }
    return values.count == labels.count ? values : nil
  }

  /// Returns the values of labels.
  ///
  /// - Throws: ``TensorIOError`` that names the first label without a value.
  static func requireValues(of labels: [String], in spec: TensorSpec) throws -> [Self] {
    if let values = values(of: labels) { return values }
    let unknown = labels.first { Self(label: $0) == nil } ?? ""
    throw TensorIOError.unknownLabel(unknown, of: "'\(spec.name)'", Self.self)
  }
}

extension ModelLabel where Self: RawRepresentable<String> {
  public init?(label: String) { self.init(rawValue: label) }
}

extension ModelLabel where Self: RawRepresentable<String> & CaseIterable {
  public static func values(of labels: [String]) -> [Self]? {
    // A generated enumeration has the labels' order. That is quicker to check than to look up each.
    let cases = Array(allCases)
    if cases.lazy.map(\.rawValue).elementsEqual(labels) { return cases }
    let values = labels.compactMap { Self(rawValue: $0) }
    return values.count == labels.count ? values : nil
  }
}

extension String: ModelLabel {
  public init?(label: String) { self = label }

  public static func values(of labels: [String]) -> [String]? { labels }
}

extension TensorIOError {
  static func unknownLabel(
    _ label: String, of thing: String, _ type: any ModelLabel.Type
  ) -> TensorIOError {
    TensorIOError(
      .wrongOutputType,
      "\(thing) has the label '\(label)', for which \(type) has no value. Generate the type again, or "
        + "read the labels as String.")
  }
}
