// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct TensorSpecTests {
  @Test(
    arguments: [
      ([], [], 1, false), ([4], [4], 4, false), ([2, 3], [2, 3], 6, false),
      ([-1, 2, 3], [2, 3], 6, true), ([-1], [], 1, true),
    ] as [([Int], [Int], Int, Bool)])
  func `the batch axis isn't counted in the elements of an item`(
    _ shape: [Int], _ item: [Int], _ count: Int, _ isBatched: Bool
  ) {
    let spec = TensorSpec.numbers(.int32, shape)
    #expect(spec.itemShape == item)
    #expect(spec.elementCount == count)
    #expect(spec.byteCount == count * 4)
    #expect(spec.isBatched == isBatched)
  }

  @Test func `only vectors have labels, and only numbers have a quantization`() {
    let vector = TensorSpec.numbers(.uint8, [2], .zeroToOne, labels: ["a", "b"])
    #expect(vector.labels?.names == ["a", "b"])
    #expect(vector.quantization == .zeroToOne)
    #expect(TensorSpec.scalar(.uint8, .model).quantization == .model)
    #expect(TensorSpec.scalar(.uint8).labels == nil)
    #expect(TensorSpec.bytes(.uint8, [2]).quantization == nil)
    #expect(TensorSpec.image().quantization == nil)
    #expect(TensorSpec.image().isImage && !vector.isImage)
  }
}
