// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension HeatmapDecoder {
  /// Returns how far a position is from the cell with the greatest score, in cells; nil if it's the
  /// cell's.
  ///
  /// ``HeatmapOptions/Refinement`` has the formulas.
  func shift(
    _ point: Int, x: Int, y: Int, in maps: Span<Float>
  ) -> (x: Double, y: Double)? {
    switch options.refinement {
    case .none, .offsets: nil
    case .quarter: quarter(point, x: x, y: y, in: maps)
    case .parabola: parabola(point, x: x, y: y, in: maps)
    }
  }

  private func quarter(
    _ point: Int, x: Int, y: Int, in maps: Span<Float>
  ) -> (x: Double, y: Double) {
    func sign(_ dx: Int, _ dy: Int) -> Double {
      let after = maps[position(point, x: x + dx, y: y + dy, of: count)]
      let before = maps[position(point, x: x - dx, y: y - dy, of: count)]
      // Both comparisons with NaN are false.
      return after > before ? 0.25 : after < before ? -0.25 : 0
    }
    let movesAcross = x > 1 && x < width - 1 && y > 0
    let movesDown = y > 1 && y < height - 1 && x > 0
    return (movesAcross ? sign(1, 0) : 0, movesDown ? sign(0, 1) : 0)
  }

  private func parabola(
    _ point: Int, x: Int, y: Int, in maps: Span<Float>
  ) -> (x: Double, y: Double)? {
    guard x > 1, x < width - 2, y > 1, y < height - 2 else { return nil }
    func level(_ dx: Int, _ dy: Int) -> Double {
      let value = Double(maps[position(point, x: x + dx, y: y + dy, of: count)])
      let score = options.activation == .sigmoid ? 1 / (1 + exp(-value)) : value
      // NaN stays NaN, and the result is then refused below.
      return score < 1e-10 ? log(1e-10) : log(score)
    }
    let middle = 2 * level(0, 0)
    let dx = (level(1, 0) - level(-1, 0)) / 2
    let dy = (level(0, 1) - level(0, -1)) / 2
    let dxx = (level(2, 0) - middle + level(-2, 0)) / 4
    let dyy = (level(0, 2) - middle + level(0, -2)) / 4
    let dxy = (level(1, 1) - level(1, -1) - level(-1, 1) + level(-1, -1)) / 4
    let determinant = dxx * dyy - dxy * dxy
    guard dxx < 0, determinant > 0 else { return nil }
    let shift = (x: (dxy * dy - dyy * dx) / determinant, y: (dxy * dx - dxx * dy) / determinant)
    guard abs(shift.x) <= 1, abs(shift.y) <= 1 else { return nil }
    return shift
  }
}
