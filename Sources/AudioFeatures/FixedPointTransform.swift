// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The Fourier transform of 16-bit integers whose results equal those of Kiss FFT with
/// `FIXED_POINT=16`, which TensorFlow Lite Micro uses.
///
/// Each pass divides by its radix, so that sums fit into 16 bits.
struct FixedPointTransform: Sendable {
  /// A complex number.
  private typealias Value = SIMD2<Int16>

  /// The memory that a transform works in.
  struct Memory {
    fileprivate var values: [SIMD2<Int16>]
  }

  /// A power of two.
  let length: Int
  var frequencies: Int { length / 2 + 1 }
  /// The radix of each pass, and the distance between the values that it combines.
  private let passes: [(radix: Int, distance: Int)]
  /// The index of the pair of samples that each value starts with.
  private let order: [Int]
  private let roots: [SIMD2<Int16>]
  /// The roots that separate the spectra of the even and the odd samples.
  private let halves: [SIMD2<Int16>]

  /// Makes a transform of the smallest power of two that isn't less than a number from 4 to 2¹⁵.
  init(atLeast count: Int) {
    var length = 4
    while length < count { length *= 2 }
    self.length = length
    let pairs = length / 2
    var passes: [(radix: Int, distance: Int)] = []
    var rest = pairs
    while rest > 1 {
      let radix = rest % 4 == 0 ? 4 : 2
      rest /= radix
      passes.insert((radix, rest), at: 0)
    }
    self.passes = passes
    order = (0..<pairs).map { index in
      var (index, source, stride) = (index, 0, 1)
      for pass in passes.reversed() {
        source += index / pass.distance * stride
        index %= pass.distance
        stride *= pass.radix
      }
      return source
    }
    func root(_ phase: Double) -> SIMD2<Int16> {
      let rounded = [cos(phase), sin(phase)].map { Int16((0.5 + 32767 * $0).rounded(.down)) }
      return SIMD2(rounded[0], rounded[1])
    }
    roots = (0..<pairs).map { root(-2 * Double.pi * Double($0) / Double(pairs)) }
    halves = (0...(pairs / 2)).map { root(-Double.pi * (Double($0) / Double(pairs) + 0.5)) }
  }

  func makeMemory() -> Memory { Memory(values: Array(repeating: .zero, count: length / 2)) }

  /// Computes the squared magnitude of each frequency.
  func computeEnergy(of samples: [Int16], into energy: inout [Int32], memory: inout Memory) {
    let pairs = length / 2
    for index in 0..<pairs {
      let source = 2 * order[index]
      memory.values[index] = SIMD2(samples[source], samples[source + 1])
    }
    for pass in passes {
      let size = pass.radix * pass.distance
      for block in stride(from: 0, to: pairs, by: size) {
        for index in 0..<pass.distance {
          let step = index * (pairs / size)
          if pass.radix == 2 {
            combine2(&memory.values, block + index, pass.distance, step)
          } else {
            combine4(&memory.values, block + index, pass.distance, step)
          }
        }
      }
    }
    let constant = Self.divided(memory.values[0], by: 2)
    energy[0] = Self.energy(SIMD2(constant.x &+ constant.y, 0))
    energy[pairs] = Self.energy(SIMD2(constant.x &- constant.y, 0))
    for index in 1..<(pairs / 2 + 1) {
      let opposite = memory.values[pairs - index]
      let a = Self.divided(memory.values[index], by: 2)
      let b = Self.divided(SIMD2(opposite.x, 0 &- opposite.y), by: 2)
      let sum = a &+ b
      let turned = Self.product(a &- b, halves[index])
      energy[index] = Self.energy(
        SIMD2(Self.half(sum.x, turned.x), Self.half(sum.y, turned.y)))
      energy[pairs - index] = Self.energy(
        SIMD2(Self.half(sum.x, turned.x, -1), Self.half(turned.y, sum.y, -1)))
    }
  }

  private func combine2(_ values: inout [Value], _ index: Int, _ distance: Int, _ step: Int) {
    let a = Self.divided(values[index], by: 2)
    let b = Self.product(Self.divided(values[index + distance], by: 2), roots[step])
    values[index] = a &+ b
    values[index + distance] = a &- b
  }

  private func combine4(_ values: inout [Value], _ index: Int, _ distance: Int, _ step: Int) {
    let a = Self.divided(values[index], by: 4)
    let b = Self.product(Self.divided(values[index + distance], by: 4), roots[step])
    let c = Self.product(Self.divided(values[index + 2 * distance], by: 4), roots[2 * step])
    let d = Self.product(Self.divided(values[index + 3 * distance], by: 4), roots[3 * step])
    let even = a &+ c
    let difference = a &- c
    let odd = b &+ d
    let turned = Value(b.y &- d.y, d.x &- b.x)
    values[index] = even &+ odd
    values[index + distance] = difference &+ turned
    values[index + 2 * distance] = even &- odd
    values[index + 3 * distance] = difference &- turned
  }

  // MARK: - Arithmetic

  private static func rounded(_ value: Int32) -> Int16 {
    Int16(truncatingIfNeeded: (value &+ (1 << 14)) >> 15)
  }

  private static func divided(_ value: Value, by divisor: Int32) -> Value {
    let factor = 32767 / divisor
    return Value(rounded(Int32(value.x) * factor), rounded(Int32(value.y) * factor))
  }

  private static func product(_ a: Value, _ b: Value) -> Value {
    let (ax, ay, bx, by) = (Int32(a.x), Int32(a.y), Int32(b.x), Int32(b.y))
    return Value(rounded(ax &* bx &- ay &* by), rounded(ax &* by &+ ay &* bx))
  }

  private static func half(_ a: Int16, _ b: Int16, _ sign: Int32 = 1) -> Int16 {
    Int16(truncatingIfNeeded: (Int32(a) + sign * Int32(b)) >> 1)
  }

  private static func energy(_ value: Value) -> Int32 {
    Int32(value.x) * Int32(value.x) &+ Int32(value.y) * Int32(value.y)
  }
}
