// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct ModelInputsZerosTests {
  private func zeros(as spec: TensorSpec) throws -> Data {
    var result = Data()
    try ModelInputs.zeros(for: ModelSignature(inputs: [spec], outputs: []))
      .forEach([spec]) { _, value in result = try #require(value).encoded(as: spec) }
    return result
  }

  @Test(arguments: [DataType.uint8, .int8, .int32, .int64, .float16, .float32, .float64, .bool])
  func `zeros without quantization are zero bytes`(type: DataType) throws {
    #expect(try zeros(as: .numbers(type, [5])) == Data(count: 5 * type.byteWidth))
  }

  // 40,000 elements are written in several chunks.
  @Test(arguments: [[], [7], [40_000], [16_384, 2], [0]])
  func `quantized zeros equal a quantized array of zeros`(shape: [Int]) throws {
    let stored = StoredQuantization(
      scales: [0.5, 2, 1], zeroPoints: [-128, 3, 127], axis: 0, elementsPerScale: 5)
    let specs: [TensorSpec] = [
      .numbers(.int8, shape, .model, stored: stored),
      .numbers(.uint8, shape, .linear(scale: 127.5, bias: 1)),
    ]
    for spec in specs {
      let array = [Float](repeating: 0, count: spec.elementCount)
      #expect(try zeros(as: spec) == array.encoded(as: spec))
    }
  }
}
