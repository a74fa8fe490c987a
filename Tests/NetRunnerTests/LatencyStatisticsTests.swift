// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NetRunner

@Suite struct LatencyStatisticsTests {
  @Test func `percentiles are interpolated as in NumPy`() {
    let statistics = LatencyStatistics((1...20).map(Double.init).reversed())
    #expect(statistics.p50 == 10.5)
    #expect(statistics.p90 == 18.1)
    #expect(statistics.p95 == 19.05)
    #expect(statistics.p99 == nil)
    #expect(statistics.minimum == 1)
    #expect(statistics.maximum == 20)
  }

  @Test func `without measurements there are no statistics`() {
    let statistics = LatencyStatistics([])
    #expect(statistics.count == 0)
    #expect(statistics.p50 == nil)
    #expect(statistics.mean == nil)
  }
}
