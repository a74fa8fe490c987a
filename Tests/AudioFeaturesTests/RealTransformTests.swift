// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import AudioFeatures

@Suite struct RealTransformTests {
  // Powers of two, products of small factors, and lengths with large prime factors.
  @Test(arguments: [
    2, 4, 6, 8, 10, 14, 30, 62, 64, 66, 74, 122, 128, 200, 400, 480, 998, 1000, 1034,
  ])
  func `the power of each frequency equals that of its sum`(_ length: Int) {
    var noise = Noise(seed: UInt64(length))
    let samples = (0..<length).map { _ in noise.normal() }
    let transform = RealTransform(length: length)
    var power = [Double](repeating: .nan, count: transform.frequencies)
    var memory = transform.makeMemory()
    // The second time, the memory has the numbers of the first.
    for _ in 0..<2 { transform.computePower(of: samples.span, into: &power, memory: &memory) }
    for frequency in 0...(length / 2) {
      var (real, imaginary) = (0.0, 0.0)
      for (index, sample) in samples.enumerated() {
        let angle = 2 * Double.pi * Double(index * frequency % length) / Double(length)
        real += sample * cos(angle)
        imaginary += sample * sin(angle)
      }
      let expected = real * real + imaginary * imaginary
      #expect(abs(power[frequency] - expected) < 1e-12 * Double(length * length))
    }
  }

  @Test func `a square root is rounded to the nearest integer`() {
    var random = Noise(seed: 8)
    let values = (0..<64).flatMap { bits in
      (0..<50).map { _ in random.next() >> UInt64(bits) }
    }
    for value in values + [0, 1, 2, 3, .max, 0xFFFF_FFFF, 0x1_0000_0000] {
      let root = UInt64(MicroTables.squareRoot(of: value))
      let limit: UInt64 = value >> 32 == 0 ? 0xFFFF : 0xFFFF_FFFF
      // root - 1/2 < √value ≤ root + 1/2, in integers.
      #expect(root == 0 || root * (root - 1) < value)
      #expect(root == limit || value <= root * (root + 1))
    }
  }
}
