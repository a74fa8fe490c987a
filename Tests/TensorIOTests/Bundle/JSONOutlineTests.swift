// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct JSONOutlineTests {
  @Test func `keys keep their order, and repeated ones have paths`() throws {
    let text = #"{"z": 1, "a": [{"b": 2, "b": 3,}, "x"], "\u00e9\"": {"y": null, "c": true}}"#
    let outline = try #require(JSONOutline(Data(text.utf8)))
    #expect(outline.keys == ["z", "a", "é\""])
    #expect(outline["é\""]?.keys == ["y", "c"])
    #expect(outline["a"]?[0]?.keys == ["b", "b"])
    #expect(outline["a"]?[1]?.keys == [])
    #expect(outline["a"]?[2]?.keys == nil)
    #expect(outline.repeatedKeys() == ["a[0].b"])
  }

  @Test func `what the decoder reads has an outline, however deep it is`() throws {
    for depth in [511, 512, 513] {
      let text =
        String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
      let isReadable = (try? JSONValue(parsing: Data(text.utf8))) != nil
      #expect(isReadable == (depth <= 512))
      #expect((JSONOutline(Data(text.utf8)) != nil) == isReadable)
    }
  }

  @Test(arguments: [#"{"a" 1}"#, "[1] 2", #"["a]"#, ""])
  func `malformed JSON has no outline`(_ text: String) {
    #expect(JSONOutline(Data(text.utf8)) == nil)
  }
}
