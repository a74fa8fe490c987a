// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TensorIO

@Suite struct SpanResamplerTests {
  /// With so many pixels, the rounded ends of a span are further apart than the ratio says.
  @Test func `every span of a very long side has room for its weights`() throws {
    let resampler = SpanResampler(from: (8_472_176, 1), to: (304, 1))
    let columns = resampler.columns
    #expect(columns.starts.count == 304)
    #expect(columns.weights.count == 304 * columns.longest)
    #expect(columns.counts.max() == UInt32(columns.longest))
  }
}
