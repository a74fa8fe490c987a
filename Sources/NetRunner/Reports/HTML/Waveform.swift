// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOEncoding

/// A picture of a recording: time to the right, and the range of the samples up and down.
struct Waveform {
  private static let width = 240
  private static let height = 120

  let image: PixelBuffer

  init(_ clip: AudioClip) {
    let (width, height) = (Self.width, Self.height)
    var pixels = [UInt8](repeating: 250, count: width * height * 3)
    let samples = clip.samples
    func row(_ sample: Float) -> Int {
      let share = (1 - min(max(sample.isNaN ? 0 : sample, -1), 1)) / 2
      return Int(share * Float(height - 1))
    }
    for column in 0..<width where !samples.isEmpty {
      // Each column begins with the last sample of the one before it, so that the line has no gaps.
      let start = max(column * samples.count / width - 1, 0)
      let end = max((column + 1) * samples.count / width, start + 1)
      var (least, greatest) = (samples[start], samples[start])
      for sample in samples[start..<end] {
        least = min(least, sample)
        greatest = max(greatest, sample)
      }
      for row in row(greatest)...max(row(least), row(greatest)) {
        let pixel = (row * width + column) * 3
        (pixels[pixel], pixels[pixel + 1], pixels[pixel + 2]) = (74, 134, 212)
      }
    }
    image = PixelBuffer(width: width, height: height, format: .rgb, bytes: pixels)
  }
}
