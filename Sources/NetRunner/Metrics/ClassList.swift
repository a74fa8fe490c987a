// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A model's classes, and how a dataset names them.
struct ClassList: Sendable {
  /// The classes' names, in the model's order; two may be equal.
  let names: [String]
  /// What is added to classes that a dataset gives as numbers.
  let offset: Int
  private let places: [String: [Int]]

  init(_ context: MetricContext) {
    names = context.labels
    offset = context.labelOffset
    places = Dictionary(grouping: context.labels.indices) { context.labels[$0] }
  }

  /// The classes that a label means; empty for none.
  ///
  /// All of that name; else, for an integer that is no class's name, the class of that number and
  /// the offset.
  func classes(for label: String) -> [Int] {
    if let named = places[label] { return named }
    guard let number = Int(label) else { return [] }
    let (index, overflow) = number.addingReportingOverflow(offset)
    return !overflow && names.indices.contains(index) ? [index] : []
  }

  /// The first class of the same name.
  func first(like index: Int) -> Int { places[names[index]]?.first ?? index }

  /// The classes of the same name, itself among them.
  func all(like index: Int) -> [Int] { places[names[index]] ?? [index] }

  /// Whether another class has the same name.
  func isShared(_ index: Int) -> Bool { all(like: index).count > 1 }
}
