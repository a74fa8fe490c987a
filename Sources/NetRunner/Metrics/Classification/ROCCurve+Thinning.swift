// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ROCCurve {
  /// The maximum number of points in a curve.
  static let maximumPoints = 200

  /// Selects the points that shape a curve most.
  ///
  /// Like the Ramer–Douglas–Peucker algorithm, it keeps both ends. It then repeatedly keeps the
  /// point that is farthest from the line between its kept neighbours. Points that lie on such a
  /// line are never kept.
  static func thinned(_ points: [Point], to count: Int = maximumPoints) -> [Point] {
    guard points.count > 2 else { return points }
    var kept: Set<Int> = [0, points.count - 1]
    var pieces = [Piece(points, from: 0, to: points.count - 1)]
    while kept.count < count {
      guard
        let position = pieces.indices.max(by: { pieces[$0].distance < pieces[$1].distance }),
        pieces[position].distance > 1e-12
      else { break }
      let piece = pieces.remove(at: position)
      kept.insert(piece.farthest)
      pieces.append(Piece(points, from: piece.first, to: piece.farthest))
      pieces.append(Piece(points, from: piece.farthest, to: piece.last))
    }
    return kept.sorted().map { points[$0] }
  }

  /// The part of a curve between two kept points.
  private struct Piece {
    let first: Int
    let last: Int
    var farthest: Int
    var distance = 0.0

    init(_ points: [Point], from first: Int, to last: Int) {
      self.first = first
      self.last = last
      farthest = first
      let start = points[first]
      let x = points[last].falsePositiveRate - start.falsePositiveRate
      let y = points[last].truePositiveRate - start.truePositiveRate
      let length = (x * x + y * y).squareRoot()
      guard length > 0 else { return }
      for index in first..<last {
        let point = points[index]
        let cross =
          x * (point.truePositiveRate - start.truePositiveRate)
          - y * (point.falsePositiveRate - start.falsePositiveRate)
        if cross.magnitude / length > distance {
          distance = cross.magnitude / length
          farthest = index
        }
      }
    }
  }
}
