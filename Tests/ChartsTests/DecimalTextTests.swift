// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Charts

struct DecimalTextTests {
  @Test(arguments: [
    (0.0, 2, "0.00"), (-0.001, 2, "0.00"), (1.005, 1, "1.0"), (-12.345, 2, "-12.35"),
    (0.999, 2, "1.00"), (1e300, 2, "1e+300"), (.nan, 2, "nan"), (.infinity, 0, "inf"), (7, 0, "7"),
  ])
  func `numbers have the requested number of decimals`(
    _ value: Double, _ digits: Int, _ text: String
  ) {
    #expect(DecimalText(value, digits: digits).description == text)
  }

  @Test func `numbers are grouped, signed and rounded for display`() {
    #expect(DecimalText(grouping: 1_234_567).description == "1,234,567")
    #expect(DecimalText(grouping: -1234).description == "-1,234")
    #expect(DecimalText(grouping: .min).description == "-9,223,372,036,854,775,808")
    #expect(DecimalText(0.5, digits: 1, showsPlus: true).description == "+0.5")
    #expect(DecimalText(milliseconds: 123.4).description == "123")
    #expect(DecimalText(milliseconds: 0.0251).description == "0.025")
    #expect(DecimalText(probability: 0.00002).description == "< 0.0001")
    #expect(DecimalText(probability: 0.0123).description == "0.012")
  }

  @Test(arguments: [
    (1.5, 1, "1.5"), (100, 1, "100"), (0.0001, 6, "0.0001"), (-0.04, 1, "0"),
    (1.25e300, 2, "1.25e+300"),
  ])
  func `numbers have no more decimals than they need`(
    _ value: Double, _ digits: Int, _ text: String
  ) {
    #expect(DecimalText(value, atMost: digits).description == text)
  }
}
