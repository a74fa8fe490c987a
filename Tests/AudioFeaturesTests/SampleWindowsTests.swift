// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import Testing

@Suite struct SampleWindowsTests {
  @Test(arguments: [(5, 2), (5, 5), (5, 9), (1, 1), (1, 4), (400, 160)])
  func `windows don't depend on the pieces that samples come in`(
    _ length: Int, _ step: Int
  ) throws {
    let samples = (0..<2000).map(Float.init)
    let expected = stride(from: 0, through: samples.count - length, by: step).map {
      Array(samples[$0..<($0 + length)])
    }
    var random = Noise(seed: UInt64(length * step))
    for most in [1, 3, 10, 700, 2000] {
      var windows = try SampleWindows(length: length, step: step)
      var found: [[Float]] = []
      var position = 0
      while position < samples.count {
        let end = min(position + .random(in: 0...most, using: &random), samples.count)
        windows.add(samples.span.extracting(position..<end)) { window in
          found.append((0..<window.count).map { window[$0] })
        }
        #expect(windows.waiting < max(length, 1))
        position = end
      }
      #expect(found == expected)
    }
  }

  @Test func `windows after an error are still there`() throws {
    struct Stop: Error {}
    var windows = try SampleWindows(length: 2, step: 1)
    let samples: [Float] = [1, 2, 3, 4]
    #expect(throws: Stop.self) { try windows.add(samples.span) { _ in throw Stop() } }
    var found: [Float] = []
    windows.add([Float]().span) { found.append($0[0]) }
    #expect(found == [2, 3])
    windows.reset()
    windows.add([5].span) { _ in Issue.record("A window has a sample from before the reset.") }
    #expect(windows.waiting == 1)
  }

  @Test func `lengths and steps that aren't positive are errors`() {
    #expect(throws: AudioError.self) { try SampleWindows(length: 0, step: 1) }
    #expect(throws: AudioError.self) { try SampleWindows(length: 1, step: 0) }
  }
}
