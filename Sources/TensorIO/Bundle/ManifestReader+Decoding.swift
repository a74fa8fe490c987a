// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ManifestReader {
  /// The maximum of a number that stands for names, as in decoders of points.
  private static let mostNames = 1_000_000

  /// Reads the `decode` field of an output.
  mutating func readDecoding(_ layer: [String: JSONValue], at path: String) -> LayerCoding? {
    let path = "\(path).decode"
    guard let value = layer["decode"], let members = object(value, at: path),
      let type = requiredString("type", in: members, at: path)
    else { return nil }
    guard let decoder = DecoderKeys.ofDecoders.first(where: { $0.type == type }) else {
      let known = DecoderKeys.ofDecoders.map(\.type)
      reject(
        type, at: "\(path).type", expected: "one of \(known.joined(separator: ", "))",
        known: known, orSuggest: "Use a decoder from the list.")
      return nil
    }
    guard
      check(members, decoder.keys, at: path, form: { DecoderKeys.form(of: $0, type) })
    else { return nil }
    return LayerCoding(type: type, options: members.filter { $0.key != "type" })
  }

  /// Checks an object with a `type`, and returns whether it is valid.
  ///
  /// - Parameters:
  ///   - members: The object.
  ///   - keys: The allowed keys beside `type`, separated by blanks; an exclamation mark follows a
  ///     required key.
  ///   - path: The object's path in the document.
  ///   - form: Returns what a key takes.
  /// - Returns: Whether the object is valid.
  mutating func check(
    _ members: [String: JSONValue], _ keys: String, at path: String, form: (String) -> KeyForm
  ) -> Bool {
    let before = issues.count
    reject(unknownKeysOf: members, at: path, known: ["type"] + keys.keyNames)
    for (key, word) in zip(keys.keyNames, keys.split(separator: " ")) {
      if word.last == "!" { _ = required(key, in: members, at: path) }
      if let value = members[key] { check(value, form(key), at: "\(path).\(key)") }
    }
    return issues.count == before
  }

  mutating func check(_ value: JSONValue, _ form: KeyForm, at path: String) {
    switch form {
    case .output, .file, .text: _ = string(value, at: path)
    case .value:
      if value.asNumber != nil { return }
      _ = string(value, at: path)
    case .flag:
      if case .bool = value { return } else { mistyped(value, at: path, expected: "a boolean") }
    case .number: _ = number(value, at: path)
    case .numberOr(let word):
      guard value != .string(word) else { return }
      if case .string = value {
        return mistyped(value, at: path, expected: "a number or \"\(word)\"")
      }
      _ = number(value, at: path)
    case .share:
      guard let number = number(value, at: path), !(0...1).contains(number) else { return }
      wrongNumber(number, at: path, expected: "a number from 0 to 1")
    case .count(let least):
      guard let number = number(value, at: path) else { return }
      if case .number(let exact) = value, let count = Int32(exactly: exact), count >= least {
        return
      }
      wrongNumber(number, at: path, expected: "a whole number from \(least) to 2147483647")
    case .word(let words):
      guard let word = string(value, at: path), !words.contains(word) else { return }
      let known = words.map { "\"\($0)\"" }.joined(separator: ", ")
      reject(
        word, at: path, expected: "one of \(known)", known: words,
        orSuggest: "Use a word from the list.")
    case .texts: checkEach(value, at: path) { _ = $0.string($1, at: $2) }
    case .numbers(let count): checkNumbers(value, count: count, at: path)
    case .names:
      if case .array = value { return check(value, .texts, at: path) }
      if case .number(let count) = value {
        guard let whole = Int(exactly: count), (1...Self.mostNames).contains(whole) else {
          return wrongNumber(
            Float(count), at: path, expected: "a whole number from 1 to \(Self.mostNames)")
        }
        return
      }
      mistyped(value, at: path, expected: "an array of names, or their number")
    case .counts(let count):
      checkNumbers(value, count: count, at: path)
      checkEach(value, at: path) { $0.check($1, .count(from: 0), at: $2) }
    case .pairs: checkEach(value, at: path) { $0.check($1, .counts(2), at: $2) }
    case .anchors: checkAnchors(value, at: path)
    }
  }

  private mutating func wrongNumber(_ number: Float, at path: String, expected: String) {
    report(
      .unknownValue, at: path, expected: expected, found: "\(number)",
      suggestion: "Write \(expected).")
  }

  private mutating func checkEach(
    _ value: JSONValue, at path: String,
    _ check: (inout ManifestReader, JSONValue, String) -> Void
  ) {
    guard let elements = array(value, at: path) else { return }
    for (index, element) in elements.enumerated() { check(&self, element, "\(path)[\(index)]") }
  }

  private mutating func checkNumbers(_ value: JSONValue, count: Int?, at path: String) {
    checkEach(value, at: path) { _ = $0.number($1, at: $2) }
    guard case .array(let elements) = value, let count, elements.count != count else { return }
    report(
      .wrongType, at: path, expected: "an array of \(count) numbers",
      found: "one of \(elements.count)", suggestion: "Write \(count) numbers.")
  }

  private mutating func checkAnchors(_ value: JSONValue, at path: String) {
    if case .string = value { return }
    guard case .object(let members) = value else {
      return mistyped(value, at: path, expected: "a string or an object")
    }
    reject(unknownKeysOf: members, at: path, known: DecoderKeys.ofAnchors.map(\.key))
    for key in ["size", "strides"] { _ = required(key, in: members, at: path) }
    for (key, form) in DecoderKeys.ofAnchors {
      if let member = members[key] { check(member, form, at: "\(path).\(key)") }
    }
  }
}
