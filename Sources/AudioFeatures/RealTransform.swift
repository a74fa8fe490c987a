// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The Fourier transform of real numbers, for any even length.
///
/// Pairs of numbers are transformed as complex numbers, which halves the work.
struct RealTransform: Sendable {
  let length: Int
  /// The number of frequencies from 0 to half the sample rate.
  var frequencies: Int { length / 2 + 1 }
  private let half: ComplexTransform
  /// The numbers exp(-2πik / length).
  private let roots: [Complex]

  /// Makes a transform; `length` is even and at least 2.
  init(length: Int) {
    precondition(length >= 2 && length % 2 == 0)
    self.length = length
    half = ComplexTransform(length: length / 2)
    roots = Array(ComplexTransform.circle(length).prefix(length / 2 + 1))
  }

  func makeMemory() -> TransformMemory { TransformMemory(half) }

  /// Computes the squared magnitude of each frequency.
  ///
  /// - Parameters:
  ///   - samples: `length` numbers.
  ///   - power: The result, of `frequencies` numbers.
  ///   - memory: Memory of this transform.
  func computePower(
    of samples: Span<Double>, into power: inout [Double], memory: inout TransformMemory
  ) {
    let count = length / 2
    for index in 0..<count {
      memory.values[index] = Complex(samples[2 * index], samples[2 * index + 1])
    }
    half.apply(&memory)
    for index in 0...count {
      // The even and the odd samples have the transforms (a + b') / 2 and (a - b') / 2i, in which
      // b' is the conjugate of the value at the opposite frequency.
      let a = memory.values[index == count ? 0 : index]
      let opposite = memory.values[index == 0 ? 0 : count - index]
      let b = Complex(opposite.x, -opposite.y)
      let even = (a + b) * 0.5
      let difference = (a - b) * 0.5
      let odd = Complex(difference.y, -difference.x)
      let value = even + multiply(odd, roots[index])
      power[index] = value.x * value.x + value.y * value.y
    }
  }
}
