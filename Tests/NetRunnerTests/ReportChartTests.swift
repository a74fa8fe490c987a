// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NetRunner

@Suite struct ReportChartTests {
  @Test func `every value is in a bin or beyond the last one`() throws {
    var random = FixtureRandom(state: 1)
    let values = (0..<997).map { _ in 5 + 3 * random.uniform() }
    let histogram = try #require(Histogram(values + [5000, 6000, 7000]))
    #expect(histogram.beyond == 3)
    #expect(histogram.counts.reduce(0, +) == 997)
    #expect(histogram.start <= 5 && histogram.end >= 8 && histogram.end < 20)
    let first = values.count { $0 < histogram.start + histogram.width }
    #expect(histogram.counts[0] == first)
  }

  @Test(arguments: [
    [1.0], [0, 0, 0], [1e-9, 2e-9], [1e11, 1.1e11], [3, 3, 3, 3.0000001], [-1, 1],
  ])
  func `unusual values have a histogram`(_ values: [Double]) throws {
    let histogram = try #require(Histogram(values))
    #expect(histogram.counts.reduce(histogram.beyond, +) == values.count)
    #expect(histogram.width > 0 && histogram.counts.count <= 60)
  }

  @Test func `values that aren't finite are omitted`() {
    #expect(Histogram([]) == nil)
    #expect(Histogram([.nan, .infinity, 1e300]) == nil)
  }

  @Test func `ticks are round numbers`() {
    #expect(ChartAxis(0, 10, at: 0, 100).ticks(5) == [0, 2, 4, 6, 8, 10])
    #expect(ChartAxis(8.5, 21, at: 0, 100).ticks(5) == [10, 12.5, 15, 17.5, 20])
    #expect(ChartAxis.decimals(of: [10, 12.5, 15]) == 1)
    #expect(ChartAxis.decimals(of: [0, 2, 4]) == 0)
    #expect(ChartAxis.decimals(of: [0.002, 0.00225]) == 5)
    #expect(ChartAxis(0, 10, at: 0, 100).place(2.5) == 25)
    #expect(ChartAxis(0, 10, at: 100, 0).place(20) == 0)
    #expect(ChartAxis(0, 10, at: 0, 100).place(.nan) == 0)
  }

  @Test(arguments: [
    (0.0, 2, "0.00"), (-0.001, 2, "0.00"), (1.005, 1, "1.0"), (-12.345, 2, "-12.35"),
    (0.999, 2, "1.00"), (1e300, 2, "1e+300"), (.nan, 2, "nan"), (.infinity, 0, "inf"), (7, 0, "7"),
  ])
  func `numbers have the requested number of decimals`(
    _ value: Double, _ digits: Int, _ text: String
  ) {
    #expect(DecimalText(value, digits: digits).description == text)
  }

  @Test func `numbers are formatted for people`() {
    #expect(DecimalText(grouping: 1_234_567).description == "1,234,567")
    #expect(DecimalText(grouping: -1234).description == "-1,234")
    #expect(DecimalText(grouping: .min).description == "-9,223,372,036,854,775,808")
    #expect(DecimalText(0.5, digits: 1, showsPlus: true).description == "+0.5")
    #expect(DecimalText(milliseconds: 123.4).description == "123")
    #expect(DecimalText(milliseconds: 0.0251).description == "0.025")
    #expect(DecimalText(probability: 0.00002).description == "< 0.0001")
    #expect(DecimalText(probability: 0.0123).description == "0.012")
  }
}
