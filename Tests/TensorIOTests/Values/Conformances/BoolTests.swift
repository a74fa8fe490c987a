// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIO

@Suite struct BoolTests {
  @Test func `Booleans are encoded into and decoded from a layer of bools`() throws {
    let spec = TensorSpec.numbers(.bool, [2, 2])
    #expect(try [[true, false], [false, true]].encoded(as: spec) == Data([1, 0, 0, 1]))
    #expect(try [Bool].decoded([1, 0, 0, 1] as [UInt8], as: spec) == [true, false, false, true])
    #expect(try true.encoded(as: .scalar(.bool)) == Data([1]))
    #expect(try Bool.decoded([1] as [UInt8], as: .scalar(.bool)))
  }

  @Test func `bools may be read as numbers`() throws {
    #expect(try [Int].decoded([1, 0] as [UInt8], as: .numbers(.bool, [2])) == [1, 0])
  }

  @Test(arguments: [DataType.uint8, .float32, .int64])
  func `Booleans aren't numbers`(_ dataType: DataType) {
    let error = #expect(throws: TensorIOError.self) {
      try true.encoded(as: .scalar(dataType))
    }
    #expect(error?.code == .wrongKind)
    #expect(error?.message == "'x' takes \(dataType) values, got a boolean.")
    let data = Data(count: dataType.byteWidth)
    #expect(throws: TensorIOError.self) { try Bool.decoded(data, as: .scalar(dataType)) }
    #expect(throws: TensorIOError.self) { try [Bool].decoded(data, as: .scalar(dataType)) }
  }

  @Test func `a wrong count of Booleans is rejected`() {
    let error = #expect(throws: TensorIOError.self) {
      try [true].encoded(as: .numbers(.bool, [2]))
    }
    #expect(error?.message == "'x' takes 2 values (shape [2]), got 1.")
  }
}
