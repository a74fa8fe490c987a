// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A complex number: its real and its imaginary part.
typealias Complex = SIMD2<Double>

/// The memory that a transform works in, so that no frame needs new memory.
struct TransformMemory {
  var values: [Complex]
  fileprivate var other: [Complex]

  init(_ transform: ComplexTransform) {
    values = Array(repeating: .zero, count: transform.memoryLength)
    other = values
  }
}

/// The discrete Fourier transform of complex numbers, for any length.
///
/// A length whose prime factors are small is transformed factor by factor (Stockham's form of the
/// fast transform, which needs no reordering). Other lengths are written as a convolution with a
/// chirp (Bluestein's algorithm), whose length is a power of two.
struct ComplexTransform: Sendable {
  let length: Int
  /// The number of values that the memory needs.
  let memoryLength: Int
  private let radices: [Int]
  /// The numbers exp(-2πik / length).
  private let roots: [Complex]
  /// The numbers exp(-πik² / length); empty unless Bluestein's algorithm is used.
  private let chirp: [Complex]
  /// The transform of the convolution's kernel.
  private let kernel: [Complex]
  /// The transform of the convolution: one or none, because a structure can't contain itself.
  private let inner: [ComplexTransform]

  private static let largestRadix = 31

  init(length: Int) {
    self.length = length
    roots = Self.circle(length)
    radices = Self.factors(of: length)
    guard (radices.max() ?? 1) > Self.largestRadix else {
      (memoryLength, chirp, kernel, inner) = (length, [], [], [])
      return
    }
    var size = 1
    while size < 2 * length - 1 { size *= 2 }
    let half: [Complex] = Self.circle(2 * length)
    let chirp: [Complex] = (0..<length).map { half[$0 * $0 % (2 * length)] }
    let transform = ComplexTransform(length: size)
    var memory = TransformMemory(transform)
    for (index, value) in chirp.enumerated() {
      let conjugate = Complex(value.x, -value.y)
      memory.values[index] = conjugate
      memory.values[(size - index) % size] = conjugate
    }
    transform.apply(&memory)
    (memoryLength, self.chirp, kernel, inner) = (size, chirp, memory.values, [transform])
  }

  /// Transforms the first values of the memory in place.
  func apply(_ memory: inout TransformMemory) {
    if let inner = inner.first {
      convolve(&memory, with: inner)
      return
    }
    var rest = length
    for radix in radices {
      let stride = length / rest
      rest /= radix
      switch radix {
      case 2: pass2(memory.values, &memory.other, rest, stride)
      case 4: pass4(memory.values, &memory.other, rest, stride)
      default: pass(radix, memory.values, &memory.other, rest, stride)
      }
      swap(&memory.values, &memory.other)
    }
  }

  // MARK: - Passes

  /// Splits each transform into `radix` transforms of `count` values, which are `stride` apart.
  private func pass(
    _ radix: Int, _ values: [Complex], _ result: inout [Complex], _ count: Int, _ stride: Int
  ) {
    let source = values.span
    var target = result.mutableSpan
    let step = length / radix
    for block in 0..<count {
      for output in 0..<radix {
        let turn = roots[block * output * stride]
        for lane in 0..<stride {
          var sum = source[lane + stride * block]
          var angle = 0
          for input in 1..<radix {
            angle += output
            if angle >= radix { angle -= radix }
            sum += multiply(source[lane + stride * (block + input * count)], roots[angle * step])
          }
          target[lane + stride * (radix * block + output)] = multiply(sum, turn)
        }
      }
    }
  }

  private func pass2(
    _ values: [Complex], _ result: inout [Complex], _ count: Int, _ stride: Int
  ) {
    let source = values.span
    var target = result.mutableSpan
    for block in 0..<count {
      let turn = roots[block * stride]
      for lane in 0..<stride {
        let a = source[lane + stride * block]
        let b = source[lane + stride * (block + count)]
        target[lane + stride * 2 * block] = a + b
        target[lane + stride * (2 * block + 1)] = multiply(a - b, turn)
      }
    }
  }

  private func pass4(
    _ values: [Complex], _ result: inout [Complex], _ count: Int, _ stride: Int
  ) {
    let source = values.span
    var target = result.mutableSpan
    for block in 0..<count {
      let turn1 = roots[block * stride]
      let turn2 = roots[2 * block * stride]
      let turn3 = roots[3 * block * stride]
      for lane in 0..<stride {
        let from = lane + stride * block
        let a = source[from]
        let b = source[from + stride * count]
        let c = source[from + stride * 2 * count]
        let d = source[from + stride * 3 * count]
        let even = a + c
        let odd = b + d
        let difference = a - c
        // The product of -i and b - d.
        let turned = Complex(b.y - d.y, d.x - b.x)
        let to = lane + stride * 4 * block
        target[to] = even + odd
        target[to + stride] = multiply(difference + turned, turn1)
        target[to + stride * 2] = multiply(even - odd, turn2)
        target[to + stride * 3] = multiply(difference - turned, turn3)
      }
    }
  }

  private func convolve(_ memory: inout TransformMemory, with transform: ComplexTransform) {
    for index in 0..<length {
      memory.values[index] = multiply(memory.values[index], chirp[index])
    }
    for index in length..<memoryLength { memory.values[index] = .zero }
    transform.apply(&memory)
    // The transform of a conjugate is the conjugate of the inverse transform.
    for index in 0..<memoryLength {
      let product = multiply(memory.values[index], kernel[index])
      memory.values[index] = Complex(product.x, -product.y)
    }
    transform.apply(&memory)
    for index in 0..<length {
      let value = memory.values[index] / Double(memoryLength)
      memory.values[index] = multiply(Complex(value.x, -value.y), chirp[index])
    }
  }

  // MARK: - Tables

  /// Returns exp(-2πik / count) for each k.
  static func circle(_ count: Int) -> [Complex] {
    (0..<count).map { index in
      let angle = -2 * Double.pi * Double(index) / Double(count)
      return Complex(cos(angle), sin(angle))
    }
  }

  private static func factors(of length: Int) -> [Int] {
    var factors: [Int] = []
    var rest = length
    var candidate = 4
    while rest > 1 {
      if rest % candidate == 0 {
        factors.append(candidate)
        rest /= candidate
      } else if candidate == 4 {
        candidate = 2
      } else {
        candidate += candidate == 2 ? 1 : 2
        if candidate * candidate > rest { candidate = rest }
      }
    }
    return factors
  }
}

@inline(__always)
func multiply(_ a: Complex, _ b: Complex) -> Complex {
  a * b.x + Complex(-a.y, a.x) * b.y
}
