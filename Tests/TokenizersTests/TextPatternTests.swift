// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Tokenizers

struct TextPatternTests {
  @Test(arguments: [
    #"(a"#, #"a)"#, #"[a"#, #"[]"#, #"[a&&b]"#, #"[[:alpha:]]"#, #"\b"#, #"\1"#, #"\p{Han}"#,
    #"\p{"#,
    #"(?<=a)b"#, #"(?<name>a)"#, #"(?>a)"#, #"*a"#, #"a**"#, #"a{2"#, #"a{3,2}"#, #"(a*)*"#,
    #"(a|b)++"#, #"a{1,3}+"#, #"a+?"#, #"(?:ab){2}"#, #"\x41"#, #"\u0041"#, #"[z-a]"#, "\\",
    #"(?i:é)"#, #"(?i:[a-z])"#,
    #"(?i:ss)"#, #"a(?i)b"#,
    String(repeating: "(", count: 40) + "ab" + String(repeating: ")+", count: 40),
    String(repeating: "(", count: 100),
    String(repeating: "a", count: 3_000), String(repeating: "[", count: 100),
  ])
  func `what isn't supported is an error`(source: String) {
    #expect(throws: TokenizerError.self) { try TextPattern(source) }
  }

  @Test func `a pattern that tries everything stops`() throws {
    let pattern = try TextPattern("(?:a+)+b")
    let text = Array(String(repeating: "a", count: 100).utf8)
    let error = #expect(throws: TokenizerError.self) {
      try pattern.forEachMatch(text, 0..<text.count) { _ in }
    }
    #expect(error?.message.contains("takes too many steps") == true)
  }

  @Test func `many alternatives need no deep recursion`() throws {
    let pattern = try TextPattern(String(repeating: "a|", count: 1_000) + "b")
    var matches: [Range<Int>] = []
    try pattern.forEachMatch(Array("xbx".utf8), 0..<3) { matches.append($0) }
    #expect(matches == [1..<2])
  }
}
