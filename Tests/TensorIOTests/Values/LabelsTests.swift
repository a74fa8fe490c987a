// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct LabelsTests {
  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
    ("a\n\nb\n", ["a", "", "b"]), ("a\n\n", ["a", ""]), ("\n", [""]), ("\r\n", [""]),
    (" a \n", [" a "]), ("crane\ncrane\n", ["crane", "crane"]), ("a\rb", ["a\rb"]),
    ("Zürich\n東京\n", ["Zürich", "東京"]), ("\u{FEFF}a\nb\n", ["a", "b"]), ("\u{FEFF}", []),
    ("a\n\u{301}b\n", ["a", "\u{301}b"]), ("a\r", ["a\r"]), ("a\r\r\nb", ["a\r", "b"]),
  ])
  func `each line is a name, except an empty last line`(_ text: String, _ names: [String]) {
    #expect(Labels(text: text).names == names)
  }

  @Test func `labels are equal if their names are equal`() {
    #expect(Labels(["a"]) == Labels(["a"]))
    #expect(Labels(["a"]) != Labels(["b"]))
    #expect(Set([Labels(["a"]), Labels(["a"])]).count == 1)
  }
}
