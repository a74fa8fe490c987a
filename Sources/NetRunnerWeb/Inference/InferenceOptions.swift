// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import TensorIO

/// What a client asks of a run beside the picture.
struct InferenceOptions: Sendable {
  /// How many labels are wanted.
  var top = 5
  /// The least value of a label.
  var threshold: Float = 0.1
  /// How often the picture is run; the latencies are the means.
  var iterations = 1
  /// Whether pictures of what the model sees are wanted.
  var previews = false
  /// Whether a preview of the picture's alpha is wanted too.
  var alpha = false
  /// The live source, whose pictures fade into each other; nil for a picture of its own.
  var source: String?

  /// Reads the options of a request.
  ///
  /// - Throws: ``WebError`` that names the option and what it takes.
  init(_ query: Query) throws {
    top = try query.integer("top", in: 1...1000) ?? top
    threshold = try query.number("threshold").map(Float.init) ?? threshold
    iterations = try query.integer("iterations", in: 1...1000) ?? iterations
    previews = try query.bool("previews") ?? previews
    alpha = try query.bool("alpha") ?? alpha
    source = query.text("source")
    guard (source?.utf8.count ?? 0) <= 64 else {
      throw WebError.badRequest("'source' has at most 64 bytes.")
    }
  }
}

/// The options behind a `?`.
struct Query {
  private let parameters: Parameters

  init(_ request: Request) { parameters = request.uri.queryParameters }

  /// An option's text; nil where it is missing or empty.
  func text(_ name: String) -> String? {
    parameters[Substring(name)].flatMap { $0.isEmpty ? nil : String($0) }
  }

  /// A whole number.
  ///
  /// - Throws: ``WebError`` for anything else.
  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw WebError.badRequest(
        "'\(name)' takes a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(text.prefix(40))'.")
    }
    return number
  }

  /// A finite number.
  ///
  /// - Throws: ``WebError`` for anything else.
  func number(_ name: String) throws -> Double? {
    guard let text = text(name) else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw WebError.badRequest("'\(name)' takes a number, not '\(text.prefix(40))'.")
    }
    return number
  }

  /// A truth value.
  ///
  /// - Throws: ``WebError`` for anything else.
  func bool(_ name: String) throws -> Bool? {
    switch text(name) {
    case nil: nil
    case "true"?, "1"?: true
    case "false"?, "0"?: false
    case let text?:
      throw WebError.badRequest("'\(name)' takes true or false, not '\(text.prefix(40))'.")
    }
  }
}
#endif
