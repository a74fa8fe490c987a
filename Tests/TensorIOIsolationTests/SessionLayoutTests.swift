// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIOIsolation

struct SessionLayoutTests {
  @Test(
    arguments: [
      (0, 0, true), (128, 64, true), (.max - 128 - 64, 64, true),
      (-1, 64, false), (64, -64, false), (.min, 0, false), (0, .min, false),
      (.max, .max, false), (64, .max - 64, false), (.max - 191, 64, false),
    ] as [(Int, Int, Bool)])
  func `a layout that no memory has isn't used`(offset: Int, byteCount: Int, isPossible: Bool) {
    let region = SessionLayout.Region(shape: [1], offset: offset, byteCount: byteCount)
    let other = SessionLayout.Region(shape: [], offset: 0, byteCount: 4)
    #expect(SessionLayout(inputs: [other, region], outputs: []).isPossible == isPossible)
    #expect(SessionLayout(inputs: [], outputs: [other, region]).isPossible == isPossible)
  }
}
