// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The source pixels that make a pixel along one axis, and their weights, as Pillow has them.
struct PillowTaps {
  /// For every pixel of the target, the first source pixel and the weights, which add up to 1.
  private(set) var windows: [(start: Int, weights: [Double])] = []

  /// - Parameters:
  ///   - source: Pixels that are there.
  ///   - span: The part of them that is resized, which may begin and end within a pixel; nil is all.
  ///   - target: Pixels that are made.
  ///   - method: One of Pillow's methods; others are taken as the nearest of these.
  init(
    from source: Int, _ span: ImagePlacement.Span? = nil, to target: Int, _ method: ResizeMethod
  ) {
    let (radius, kernel) = Self.kernel(of: method)
    let scale = (span?.length ?? Double(source)) / Double(target)
    let widening = max(scale, 1)
    let support = radius * widening
    let inverse = 1 / widening
    windows.reserveCapacity(target)
    for position in 0..<target {
      let center = (span?.start ?? 0) + (Double(position) + 0.5) * scale
      let start = max(0, Int(center - support + 0.5))
      let end = max(start, min(source, Int(center + support + 0.5)))
      var weights = (start..<end).map { kernel((Double($0) - center + 0.5) * inverse) }
      let total = weights.reduce(0, +)
      if total != 0 { for index in weights.indices { weights[index] /= total } }
      windows.append((start, weights))
    }
  }

  private static func kernel(of method: ResizeMethod) -> (Double, (Double) -> Double) {
    switch method {
    case .pillowBox, .openCVArea: (0.5, { $0 > -0.5 && $0 <= 0.5 ? 1 : 0 })
    case .pillowBicubic: (2, bicubic)
    case .pillowLanczos: (3, lanczos)
    default: (1, { max(0, 1 - abs($0)) })
    }
  }

  private static func bicubic(_ x: Double) -> Double {
    let a = -0.5
    let x = abs(x)
    if x < 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
    if x < 2 { return (((x - 5) * x + 8) * x - 4) * a }
    return 0
  }

  private static func lanczos(_ x: Double) -> Double {
    -3 <= x && x < 3 ? sinc(x) * sinc(x / 3) : 0
  }

  private static func sinc(_ x: Double) -> Double {
    if x == 0 { return 1 }
    let x = x * Double.pi
    return sin(x) / x
  }

  /// A weight as Pillow rounds it: 22 bits behind the point, halves away from zero.
  static func fixed(_ weight: Double) -> Int32 {
    Int32((weight < 0 ? -0.5 : 0.5) + weight * Double(1 << 22))
  }
}
