// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads typed members of JSON objects and reports missing members and wrong types.
package protocol IssueCollector {
  /// The name of the document that is read.
  var documentName: String { get }
  var issues: [BundleIssue] { get set }
}

extension IssueCollector {
  package var documentName: String { "model.json" }

  package mutating func report(
    _ code: BundleIssue.Code, _ severity: BundleIssue.Severity = .error, at path: String,
    expected: String, found: String, suggestion: String
  ) {
    issues.append(
      BundleIssue(
        code, severity: severity, path: path.isEmpty ? documentName : path, expected: expected,
        found: found, suggestion: suggestion))
  }

  package func join(_ path: String, _ key: String) -> String {
    path.isEmpty ? key : "\(path).\(key)"
  }

  /// Reports keys that the object cannot have, except `ignored` ones, which are reported elsewhere.
  mutating func reject(
    unknownKeysOf object: [String: JSONValue], at path: String, known: [String],
    ignored: [String] = []
  ) {
    for key in object.keys.sorted() where !known.contains(key) && !ignored.contains(key) {
      let meant = Spelling.suggestion(for: key, among: known.filter { object[$0] == nil })
      report(
        .unknownKey, at: join(path, key), expected: "one of \(known.joined(separator: ", "))",
        found: "\"\(key)\"",
        suggestion: meant.map { "Did you mean \"\($0)\"? Otherwise remove \"\(key)\"." }
          ?? "Remove \"\(key)\".")
    }
  }

  /// Reports a word that isn't one of those that a key takes.
  ///
  /// It suggests the known word that is spelt most similarly, or makes the other suggestion.
  mutating func reject(
    _ word: String, at path: String, expected: String, known: [String] = [],
    orSuggest suggestion: String
  ) {
    report(
      .unknownValue, at: path, expected: expected, found: "\"\(word)\"",
      suggestion: Spelling.suggestion(for: word, among: known).map { "Did you mean \"\($0)\"?" }
        ?? suggestion)
  }

  package mutating func required(_ key: String, in object: [String: JSONValue], at path: String)
    -> JSONValue?
  {
    if let value = object[key] { return value }
    let misspelt = object.keys.sorted().first { Spelling.suggestion(for: $0, among: [key]) != nil }
    report(
      .missingKey, at: join(path, key), expected: "the required key \"\(key)\"", found: "nothing",
      suggestion: misspelt.map { "Rename \"\($0)\" to \"\(key)\"." } ?? "Add \"\(key)\".")
    return nil
  }

  package mutating func mistyped(_ value: JSONValue, at path: String, expected: String) {
    report(
      .wrongType, at: path, expected: expected, found: value.typeName,
      suggestion: "Make it \(expected).")
  }

  package mutating func object(_ value: JSONValue, at path: String) -> [String: JSONValue]? {
    if case .object(let members) = value { return members }
    mistyped(value, at: path, expected: "an object")
    return nil
  }

  package mutating func array(_ value: JSONValue, at path: String) -> [JSONValue]? {
    if case .array(let elements) = value { return elements }
    mistyped(value, at: path, expected: "an array")
    return nil
  }

  package mutating func string(_ value: JSONValue, at path: String) -> String? {
    if case .string(let text) = value { return text }
    mistyped(value, at: path, expected: "a string")
    return nil
  }

  mutating func number(_ value: JSONValue, at path: String) -> Float? {
    switch value {
    case .number(let number) where Float(number).isFinite: return Float(number)
    case .integer(let integer): return Float(integer)
    case .number:
      report(
        .wrongType, at: path, expected: "a number that float32 can hold", found: "a larger one",
        suggestion: "Use a number between -3.4e38 and 3.4e38.")
      return nil
    default:
      mistyped(value, at: path, expected: "a number")
      return nil
    }
  }

  package mutating func requiredString(
    _ key: String, in object: [String: JSONValue], at path: String
  )
    -> String?
  {
    required(key, in: object, at: path).flatMap { string($0, at: join(path, key)) }
  }

  mutating func requiredNumber(_ key: String, in object: [String: JSONValue], at path: String)
    -> Float?
  {
    required(key, in: object, at: path).flatMap { number($0, at: join(path, key)) }
  }

  mutating func requiredBool(_ key: String, in object: [String: JSONValue], at path: String)
    -> Bool?
  {
    guard required(key, in: object, at: path) != nil else { return nil }
    return optionalBool(key, in: object, at: path)
  }

  mutating func optionalString(_ key: String, in object: [String: JSONValue], at path: String)
    -> String?
  {
    object[key].flatMap { string($0, at: join(path, key)) }
  }

  mutating func optionalBool(_ key: String, in object: [String: JSONValue], at path: String)
    -> Bool?
  {
    guard let value = object[key] else { return nil }
    if case .bool(let bool) = value { return bool }
    mistyped(value, at: join(path, key), expected: "a boolean")
    return nil
  }
}

/// Finds the word that a misspelt word was probably meant to be.
package enum Spelling {
  /// The maximum length of the words that are compared; a longer key is unlikely to be a typo.
  private static let mostCharacters = 64

  /// Returns the candidate that differs in the fewest characters, the first of equally close ones;
  /// nil when none is close enough.
  package static func suggestion(for word: String, among candidates: [String]) -> String? {
    guard word.count <= mostCharacters else { return nil }
    let written = Array(word.lowercased())
    var best: (word: String, changes: Int)?
    for candidate in candidates where candidate.count <= mostCharacters {
      let changes = self.changes(from: written, to: Array(candidate.lowercased()))
      let isNear = changes <= max(1, min(written.count, candidate.count) / 3)
      if isNear && changes < best?.changes ?? .max { best = (candidate, changes) }
    }
    return best?.word
  }

  /// Counts the characters that are inserted, removed, replaced or swapped with their neighbour.
  private static func changes(from first: [Character], to second: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (row, character) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        var least = min(last[column + 1] + 1, current[column] + 1)
        least = min(least, last[column] + (character == other ? 0 : 1))
        if row > 0, column > 0, character == second[column - 1], first[row - 1] == other {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
