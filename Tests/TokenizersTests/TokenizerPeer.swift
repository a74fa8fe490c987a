// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Tokenizers

/// The package `tokenizers` in Python.
enum TokenizerPeer {
  static let isThere = Python.path != nil
  static let reason: Comment = "TENSORIO_PYTHON isn't set; the test needs tokenizers."

  /// Runs one case of Tools/peers/tokenizers_peer.py.
  static func run<Result: Decodable>(
    _ kind: String, _ options: [String: Any], as type: Result.Type = Result.self
  ) async throws -> Result {
    let cases = [options.merging(["kind": kind]) { $1 }]
    let output = try await Python.run(
      ["Tools/peers/tokenizers_peer.py"], input: JSONSerialization.data(withJSONObject: cases))
    let results = try JSONDecoder().decode([Result].self, from: Data(output.utf8))
    return try #require(results.first)
  }

  /// Returns lines of text in many scripts.
  static func lines(_ count: Int, seed: Int = 1) async throws -> [String] {
    try await run("corpus", ["count": count, "seed": seed])
  }
}

/// The encoding of lines.
struct PeerEncoding: Decodable {
  var tokenizer: String?
  var lines: [String]?
  var ids: [String]
  var types: [String]
  var attention: [String]
  var decoded: [String]

  /// Compares an encoding and returns what differs.
  func difference(_ text: TokenizedText, at line: Int) -> String? {
    let pairs: [(String, [Int32], String)] = [
      ("ids", text.ids, ids[line]), ("types", text.typeIDs, types[line]),
      ("attention", text.attentionMask, attention[line]),
    ]
    for (name, found, expected) in pairs {
      let found = found.map(String.init).joined(separator: " ")
      if found != expected { return "\(name): \(found) instead of \(expected)" }
    }
    return nil
  }
}

extension JSONElement {
  /// Reads a part of a tokenizer.
  init(_ part: [String: Any]) throws {
    let bytes = [UInt8](try JSONSerialization.data(withJSONObject: part))
    self.init(try JSONTree(bytes, file: "part.json"))
  }

  init(text: String) throws { self.init(try JSONTree(Array(text.utf8), file: "part.json")) }
}
