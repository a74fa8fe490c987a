// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// The source pixels and weights that make each target pixel along one axis, as in Pillow.
struct PillowTaps {
  /// For every target pixel, the source pixels that contribute to it.
  private(set) var windows: [Window] = []
  /// The weights of all windows, one window after another.
  ///
  /// The weights of a window add up to 1.
  private(set) var weights: [Double] = []
  /// The largest number of source pixels in a window.
  private(set) var longest = 0

  struct Window {
    var start: Int
    var count: Int
    var offset: Int
  }

  /// Computes the taps of an axis, or of a part of it.
  ///
  /// Methods other than Pillow's use the most similar of its kernels.
  init(
    from source: Int, _ span: ImagePlacement.Span? = nil, to target: Int, _ method: ResizeMethod
  ) {
    let (radius, kernel) = Self.kernel(of: method)
    let scale = (span?.length ?? Double(source)) / Double(target)
    let widening = max(scale, 1)
    let support = radius * widening
    let inverse = 1 / widening
    windows.reserveCapacity(target)
    weights.reserveCapacity(target * (Int(support * 2) + 2))
    for position in 0..<target {
      let center = (span?.start ?? 0) + (Double(position) + 0.5) * scale
      let start = max(0, Int(center - support + 0.5))
      let end = max(start, min(source, Int(center + support + 0.5)))
      let offset = weights.count
      var total = 0.0
      for pixel in start..<end {
        let weight = kernel((Double(pixel) - center + 0.5) * inverse)
        total += weight
        weights.append(weight)
      }
      if total != 0 { for index in offset..<weights.count { weights[index] /= total } }
      windows.append(Window(start: start, count: end - start, offset: offset))
      longest = max(longest, end - start)
    }
  }

  private static func kernel(of method: ResizeMethod) -> (Double, (Double) -> Double) {
    switch method {
    case .pillowBilinear, .tfBilinear, .tfBilinearAntialias, .tf1Bilinear, .openCVLinear, .nearest:
      (1, { max(0, 1 - abs($0)) })
    case .pillowBicubic: (2, bicubic)
    case .pillowLanczos: (3, lanczos)
    case .pillowBox, .openCVArea: (0.5, { $0 > -0.5 && $0 <= 0.5 ? 1 : 0 })
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

  /// Returns a weight rounded as in Pillow, with 22 fractional bits and halves rounded away from
  /// zero.
  ///
  /// An index outside the window has the weight 0.
  func fixedWeight(_ index: Int, of window: Window) -> Int32 {
    guard index >= 0 && index < window.count else { return 0 }
    let weight = weights[window.offset &+ index]
    return Int32((weight < 0 ? -0.5 : 0.5) + weight * Double(1 << 22))
  }
}
