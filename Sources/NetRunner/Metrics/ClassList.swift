// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

struct ClassList: Sendable {
  /// The names of the classes in the model's order, which can have duplicates.
  let names: [String]
  /// A number that is added to classes that the dataset gives as numbers.
  let offset: Int
  private let positions: [String: [Int]]
  /// The classes by the normalized parts of their names, such as "hotdog, hot dog, red hot".
  private let synonyms: [String: [Int]]

  init(_ context: MetricContext) {
    names = context.labels
    offset = context.labelOffset
    positions = Dictionary(grouping: context.labels.indices) { context.labels[$0] }
    var synonyms: [String: [Int]] = [:]
    for (index, name) in context.labels.enumerated() {
      for key in Self.synonyms(of: name) { synonyms[key, default: []].append(index) }
    }
    self.synonyms = synonyms
  }

  func classes(for label: String) -> [Int] { match(label).classes }

  /// How a label was interpreted.
  enum Match: Equatable {
    /// The label is the name of these classes.
    case name([Int])
    /// The label is a number. The class is that number plus the offset.
    case number(Int)
    /// The label is a synonym of these classes, which all have the same name.
    case synonym([Int])
    /// The label is a synonym of classes with different names.
    case ambiguous([Int])
    case none

    var classes: [Int] {
      switch self {
      case .name(let classes), .synonym(let classes): classes
      case .number(let index): [index]
      case .ambiguous, .none: []
      }
    }
  }

  /// Finds the classes that a label refers to.
  ///
  /// A label is matched in this order:
  ///
  /// 1. It is the exact name of one or more classes.
  /// 2. It is an integer. The class is that number plus the offset.
  /// 3. It is one of the comma-separated parts of a class's name. Case is ignored, and underscores
  ///    count as spaces.
  func match(_ label: String) -> Match {
    if let named = positions[label] { return .name(named) }
    if let number = Int(label) {
      let (index, overflow) = number.addingReportingOverflow(offset)
      return !overflow && names.indices.contains(index) ? .number(index) : .none
    }
    let found = Set(Self.synonyms(of: label).flatMap { synonyms[$0] ?? [] }).sorted()
    guard let first = found.first else { return .none }
    return found.allSatisfy { names[$0] == names[first] } ? .synonym(found) : .ambiguous(found)
  }

  /// The normalized name and its normalized comma-separated parts.
  private static func synonyms(of name: String) -> Set<String> {
    func plain(_ text: some StringProtocol) -> String {
      text.lowercased().split { $0.isWhitespace || $0 == "_" }.joined(separator: " ")
    }
    return Set([plain(name)] + name.split(separator: ",").map(plain)).subtracting([""])
  }

  func first(like index: Int) -> Int { positions[names[index]]?.first ?? index }

  /// All classes with the same name, including this one.
  func all(like index: Int) -> [Int] { positions[names[index]] ?? [index] }

  func isShared(_ index: Int) -> Bool { all(like: index).count > 1 }
}
