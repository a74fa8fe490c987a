// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird

/// The query of a request, which is the part of its URL after `?`.
struct Query {
  private let parameters: Parameters

  init(_ request: Request) { parameters = request.uri.queryParameters }

  /// Returns an option's text, or nil if it is missing or empty.
  func text(_ name: String) -> String? {
    parameters[Substring(name)].flatMap { $0.isEmpty ? nil : String($0) }
  }

  /// Returns the case whose raw value is an option's text, or nil if it is missing or empty.
  func choice<Choice: CaseIterable & RawRepresentable<String>>(_ name: String) throws -> Choice? {
    guard let text = text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue)
      throw WebError.badRequest(
        "'\(name)' must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? ""), "
          + "not '\(text.prefix(40))'.")
    }
    return choice
  }

  /// Returns an option's whole number, or nil if it is missing or empty.
  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw WebError.badRequest(
        "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(text.prefix(40))'.")
    }
    return number
  }

  /// Returns an option's finite number, or nil if it is missing or empty.
  func number(_ name: String) throws -> Double? {
    guard let text = text(name) else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw WebError.badRequest("'\(name)' must be a number, not '\(text.prefix(40))'.")
    }
    return number
  }

  /// Returns an option's Boolean value, or nil if it is missing or empty.
  func bool(_ name: String) throws -> Bool? {
    switch text(name) {
    case nil: nil
    case "true"?, "1"?: true
    case "false"?, "0"?: false
    case let text?:
      throw WebError.badRequest("'\(name)' must be true or false, not '\(text.prefix(40))'.")
    }
  }
}
#endif
