// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@Suite struct SpellingTests {
  @Test(
    arguments: [
      ("quantise", "quantize"), ("shpae", "shape"), ("Type", "type"), ("labels ", "labels"),
      ("dytpe", "dtype"), ("frmt", nil), ("x", nil), ("", nil), ("colour", nil),
    ] as [(String, String?)])
  func `the word with the fewest changes is suggested`(_ word: String, _ expected: String?) {
    let keys = ["name", "type", "shape", "dtype", "quantize", "dequantize", "labels", "format"]
    #expect(Spelling.suggestion(for: word, among: keys) == expected)
  }

  @Test func `very long words aren't compared`() {
    let word = String(repeating: "x", count: 1_000_000)
    #expect(Spelling.suggestion(for: word, among: [word]) == nil)
  }
}
