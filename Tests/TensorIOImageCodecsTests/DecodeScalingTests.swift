// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIOImageCodecs

struct DecodeScalingTests {
  @Test(arguments: [
    // The part to decode, the target size, and the denominators for `high` and `fast`.
    (3024, 3024, 224, 224, 4, 8), (1792, 1792, 224, 224, 4, 8), (1791, 1792, 224, 224, 2, 4),
    (3584, 3584, 224, 224, 8, 8), (448, 448, 224, 224, 1, 2), (447, 447, 224, 224, 1, 1),
    (896, 896, 224, 224, 2, 4), (100, 100, 224, 224, 1, 1), (8000, 300, 100, 200, 1, 1),
    (8, 8, 1, 1, 4, 8), (1, 1, 1, 1, 1, 1),
  ])
  func `the denominator leaves enough pixels on both sides`(
    _ row: (width: Int, height: Int, toWidth: Int, toHeight: Int, high: Int, fast: Int)
  ) {
    let used = (row.width, row.height)
    let target = (row.toWidth, row.toHeight)
    #expect(DecodeScaling.exact.denominator(used: used, target: target) == 1)
    #expect(DecodeScaling.high.denominator(used: used, target: target) == row.high)
    #expect(DecodeScaling.fast.denominator(used: used, target: target) == row.fast)
  }

  @Test func `images are decoded exactly by default`() {
    #expect(ImageDecoder().scaling == .exact)
    #expect(DecodeScaling(rawValue: "fast") == .fast)
  }
}
