// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct StringTests {
  @Test func `text is encoded as UTF-8 in a layer of raw bytes`() throws {
    let spec = TensorSpec.bytes(.uint8, [6])
    #expect(try "größ".encoded(as: spec) == Data("größ".utf8))
    #expect(try String.decoded(Data("größ".utf8), as: spec) == "größ")
  }

  @Test func `text of a wrong length is rejected`() {
    let error = #expect(throws: TensorIOError.self) { try "abc".encoded(as: .bytes(.uint8, [4])) }
    #expect(error?.code == .wrongElementCount)
    #expect(error?.message == "'x' takes 4 bytes (4 values of uint8), got 3.")
  }

  @Test(arguments: [
    TensorSpec.numbers(.float32, [3]), .numbers(.uint8, [3]), .bytes(.float32, [3]), .image(),
  ])
  func `text can't be encoded into or decoded from numbers and images`(_ spec: TensorSpec) {
    let error = #expect(throws: TensorIOError.self) { try "abc".encoded(as: spec) }
    #expect(error?.code == .wrongKind)
    #expect(error?.message.hasSuffix(", got text.") == true)
    let read = #expect(throws: TensorIOError.self) {
      try String.decoded(Data(count: spec.byteCount), as: spec)
    }
    #expect(read?.code == .wrongOutputType)
  }

  @Test func `a path for an image is refused, and the message says what takes it`() {
    let error = #expect(throws: TensorIOError.self) { try "a.jpg".encoded(as: .image()) }
    #expect(error?.message == "'x' takes an image, such as an ImageFile of a path, got text.")
  }

  @Test func `text is an element of a layer of strings`() throws {
    let spec = TensorSpec.bytes(.string, [1])
    #expect(try "ä".tensorStrings(for: spec) == [Data([0xC3, 0xA4])])
    #expect(try String.decode(strings: [Data([0xC3, 0xA4])], as: spec) == "ä")
    #expect(try [String].decode(strings: [Data(), Data("b".utf8)], as: spec) == ["", "b"])
  }

  @Test func `bytes that aren't text are read as Data`() {
    let error = #expect(throws: TensorIOError.self) {
      try String.decode(strings: [Data([0xFF])], as: .bytes(.string, [1]))
    }
    #expect(
      error?.message
        == "'x' cannot be read as String: its bytes are not UTF-8; read it as Data.")
  }
}
