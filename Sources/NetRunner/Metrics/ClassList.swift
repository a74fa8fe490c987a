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
  /// The classes by the parts of their names, as in "hotdog, hot dog, red hot", in plain spelling.
  private let synonyms: [String: [Int]]

  init(_ context: MetricContext) {
    names = context.labels
    offset = context.labelOffset
    places = Dictionary(grouping: context.labels.indices) { context.labels[$0] }
    var synonyms: [String: [Int]] = [:]
    for (index, name) in context.labels.enumerated() {
      for key in Self.synonyms(of: name) { synonyms[key, default: []].append(index) }
    }
    self.synonyms = synonyms
  }

  /// The classes that a label means; empty for none.
  func classes(for label: String) -> [Int] { match(label).classes }

  /// How a label was understood.
  enum Match: Equatable {
    /// It is the name of these classes.
    case name([Int])
    /// It is a number: that class, after the offset was added.
    case number(Int)
    /// It is another name of these classes, which all have the same name.
    case synonym([Int])
    /// It is another name of classes with different names.
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

  /// Finds what a label means.
  ///
  /// All classes of that name; else, for an integer that is no class's name, the class of that number
  /// and the offset; else the class that has it among the names that commas part, whatever the case,
  /// and with spaces for underscores.
  func match(_ label: String) -> Match {
    if let named = places[label] { return .name(named) }
    if let number = Int(label) {
      let (index, overflow) = number.addingReportingOverflow(offset)
      return !overflow && names.indices.contains(index) ? .number(index) : .none
    }
    let found = Set(Self.synonyms(of: label).flatMap { synonyms[$0] ?? [] }).sorted()
    guard let first = found.first else { return .none }
    return found.allSatisfy { names[$0] == names[first] } ? .synonym(found) : .ambiguous(found)
  }

  /// A name in plain spelling, and the parts of it between commas.
  private static func synonyms(of name: String) -> Set<String> {
    func plain(_ text: some StringProtocol) -> String {
      text.lowercased().split { $0.isWhitespace || $0 == "_" }.joined(separator: " ")
    }
    return Set([plain(name)] + name.split(separator: ",").map(plain)).subtracting([""])
  }

  /// The first class of the same name.
  func first(like index: Int) -> Int { places[names[index]]?.first ?? index }

  /// The classes of the same name, itself among them.
  func all(like index: Int) -> [Int] { places[names[index]] ?? [index] }

  /// Whether another class has the same name.
  func isShared(_ index: Int) -> Bool { all(like: index).count > 1 }
}
