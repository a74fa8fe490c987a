// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIOTensorFlow

struct TensorFlowConfigurationTests {
  @Test(arguments: [
    (Int32(1), Int32(-1), [0x10, 1, 0x28] + [UInt8](repeating: 0xFF, count: 9) + [1, 0x38, 1]),
    (300, 2, [0x10, 0xAC, 2, 0x28, 2, 0x38, 1, 0x48, 1]),
  ])
  func `thread counts are encoded as Protocol Buffers`(
    _ inOperation: Int32, _ atOnce: Int32, _ expected: [UInt8]
  ) {
    var configuration = TensorFlowConfiguration(threads: 1)
    configuration.threadsInOperation = inOperation
    configuration.operationsAtOnce = atOnce
    #expect(configuration.bytes == expected)
  }
}
