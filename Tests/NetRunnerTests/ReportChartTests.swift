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
}
