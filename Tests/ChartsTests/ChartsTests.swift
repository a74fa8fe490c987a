// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Charts

struct ChartAxisTests {
  @Test func `ticks are round numbers`() {
    #expect(ChartAxis(0, 10, at: 0, 100).ticks(5).map(\.value) == [0, 2, 4, 6, 8, 10])
    #expect(ChartAxis(8.5, 21, at: 0, 100).ticks(5).map(\.value) == [10, 12.5, 15, 17.5, 20])
    #expect(ChartAxis.decimals(of: [10, 12.5, 15]) == 1)
    #expect(ChartAxis.decimals(of: [0, 2, 4]) == 0)
    #expect(ChartAxis.decimals(of: [0.002, 0.00225]) == 5)
    #expect(ChartAxis(0, 10, at: 0, 100).position(of: 2.5) == 25)
    #expect(ChartAxis(0, 10, at: 100, 0).position(of: 20) == 0)
    #expect(ChartAxis(0, 10, at: 0, 100).position(of: .nan) == 0)
  }

  @Test(arguments: [
    ([0, 100], ["0", "25", "50", "75", "100"]), ([0.1, 0.35], ["0.1", "0.2", "0.3"]),
    ([5, 5], ["5"]), ([1e-5, 1], ["0.0001", "0.001", "0.01", "0.1", "1"]),
    ([0.02, 2], ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2"]),
    ([-1, 1], ["-1.0", "0.0", "1.0"]),
    ([1e8, 3e12], ["1e8", "1e12"]),
  ])
  func `an axis that covers values has round, distinct tick labels`(
    values: [Double], expected: [String]
  ) {
    let axis = ChartAxis(covering: values, at: 0, 1)
    let ticks = axis.ticks(5)
    let texts = ticks.map(\.text)
    #expect(expected.allSatisfy(texts.contains), "\(texts)")
    #expect(Set(texts).count == texts.count)
    #expect(texts.count <= 12)
    for value in values { #expect((0...1).contains(axis.position(of: value))) }
    #expect(ticks.allSatisfy { (0...1).contains(axis.position(of: $0.value)) })
  }

  @Test func `an axis can cover any two values`() {
    let sizes: [Double] = [
      0, .leastNonzeroMagnitude, .leastNonzeroMagnitude * 2000, .leastNormalMagnitude, 1e-300,
      1e-299, 1e-12, 1,
      1.0.nextUp, 1 + 1e-14, 1 + 1e-10, 3, 1e12, 1e16, 1e16 + 2, 1e299, 1e300, 1e300.nextUp, 9e307,
      1e308, .greatestFiniteMagnitude,
    ]
    let values = sizes + sizes.map(-)
    for (first, second) in values.flatMap({ first in values.map { (first, $0) } }) {
      for axis in [ChartAxis(covering: [first, second], at: 0, 1), ChartAxis(0, first, at: 0, 1)] {
        for value in [first, second] {
          #expect((0...1).contains(axis.position(of: value)), "\(first), \(second)")
        }
        let ticks = axis.ticks(5)
        #expect((1...14).contains(ticks.count), "\(first), \(second): \(ticks)")
        #expect(ticks.allSatisfy { (0...1).contains(axis.position(of: $0.value)) })
      }
    }
  }
}

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
    #expect(DecimalText(probability: 0.0123).description == "= 0.012")
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

struct MarkupTests {
  @Test func `text is escaped, and markup isn't`() {
    let name = "<b>\"it's\" & \u{1B}"
    let bold: Markup = "<b>\(name)</b>"
    let whole: Markup = "<p title=\"\(name)\">\(bold)</p>"
    let escaped = "&lt;b&gt;&quot;it&#39;s&quot; &amp; \u{FFFD}"
    #expect(whole.text == "<p title=\"\(escaped)\"><b>\(escaped)</b></p>")
  }

  @Test(arguments: [
    (String.MarkupContext.html, "a\tb\nc\u{FFFD}&#39;"), (.xml, "a\tb\nc&#13;'"),
    (.xmlAttribute, "a&#9;b&#10;c&#13;'"),
  ])
  func `characters that a parser would change are escaped or replaced`(
    _ context: String.MarkupContext, _ text: String
  ) {
    #expect("a\tb\nc\r'".escaped(for: context) == text)
  }
}
