// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

struct ClassList: Sendable {
  /// The names of the classes in the model's order, which can have duplicates.
  let names: [String]
  /// A number that is added to classes that the dataset gives as numbers.
  let offset: Int
  private let map: [String: String]
  private let positions: [String: [Int]]
  /// The classes by the normalized parts of their names, such as "hotdog, hot dog, red hot".
  private let synonyms: [String: [Int]]

  init(_ context: MetricContext) {
    names = context.labels
    offset = context.labelOffset
    map = context.labelMap
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
  /// A label that the label map replaces is matched as the label that replaces it. It is matched in
  /// this order:
  ///
  /// 1. It is the exact name of one or more classes.
  /// 2. It is an integer. The class is that number plus the offset.
  /// 3. It is one of the comma-separated parts of a class's name. Case is ignored, and underscores
  ///    count as spaces.
  func match(_ label: String) -> Match {
    let label = mapped(label)
    if let named = positions[label] { return .name(named) }
    if let number = Int(label) {
      let (index, overflow) = number.addingReportingOverflow(offset)
      return !overflow && names.indices.contains(index) ? .number(index) : .none
    }
    let found = Set(Self.synonyms(of: label).flatMap { synonyms[$0] ?? [] }).sorted()
    guard let first = found.first else { return .none }
    return found.allSatisfy { names[$0] == names[first] } ? .synonym(found) : .ambiguous(found)
  }

  /// The label that the label map has for a label, or the label itself.
  func mapped(_ label: String) -> String { map[label] ?? label }

  /// Throws if the label map names something that isn't a class of the model.
  ///
  /// The numbers would be wrong without a sign that the map is.
  func checkMap(model: String) throws {
    guard !names.isEmpty else { return }
    for (label, name) in map.sorted(by: { $0.key < $1.key }) where match(label).classes.isEmpty {
      let reason =
        if case .ambiguous(let classes) = match(label) {
          "could mean several classes of '\(model)': \(Self.list(classes.map { names[$0] }))"
        } else {
          "isn't a class of '\(model)'; its classes are \(Self.list(names))"
        }
      throw TensorIOError(
        .invalidOption, "The label map has '\(name)' for '\(label)', which \(reason).")
    }
  }

  /// The note about labels that were matched by another name of their class, or nil without any.
  func note(synonyms: [String: Int]) -> String? {
    guard !synonyms.isEmpty else { return nil }
    let pairs = synonyms.sorted { $0.key < $1.key }.map { "'\($0.key)' as '\(names[$0.value])'" }
    let more = pairs.count > 5 ? " and \(pairs.count - 5) more" : ""
    return
      "\(counted(pairs.count, "label")) \(pairs.count == 1 ? "was" : "were") matched to a class "
      + "by another of its names: \(pairs.prefix(5).joined(separator: ", "))\(more)."
  }

  /// The notes about labels that aren't matched because they are a name of several classes.
  func notes(ambiguous labels: [String]) -> [String] {
    labels.prefix(5).compactMap { label in
      guard case .ambiguous(let classes) = match(label) else { return nil }
      return "The label '\(label)' could mean several classes: "
        + "\(Self.list(classes.map { names[$0] })). Write the whole name of one of them, or use "
        + "--label-map."
    }
  }

  static func list(_ names: [String]) -> String {
    names.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
      + (names.count > 5 ? " and \(names.count - 5) more" : "")
  }

  /// The normalized name and its normalized comma-separated parts.
  private static func synonyms(of name: String) -> Set<String> {
    Set([plain(name)] + name.split(separator: ",").map(plain)).subtracting([""])
  }

  /// A name in lower case, with single spaces.
  static func plain(_ text: some StringProtocol) -> String {
    text.lowercased().split { $0.isWhitespace || $0 == "_" }.joined(separator: " ")
  }

  func first(like index: Int) -> Int { positions[names[index]]?.first ?? index }

  /// All classes with the same name, including this one.
  func all(like index: Int) -> [Int] { positions[names[index]] ?? [index] }

  func isShared(_ index: Int) -> Bool { all(like: index).count > 1 }
}
