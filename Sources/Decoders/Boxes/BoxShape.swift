// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A box as a normal distribution, for the probabilistic IoU (Llerena et al., 2021).
///
/// Boxes become normal distributions with the center and the covariance of the uniform distribution
/// in the box. The overlap is 1 minus the Hellinger distance of the two distributions.
struct BoxShape {
  private let x: Double
  private let y: Double
  /// The variances of x and y, and their covariance.
  private let a: Double
  private let b: Double
  private let c: Double
  private let determinant: Double

  init(_ box: DecodedBox) {
    x = (Double(box.left) + Double(box.right)) / 2
    y = (Double(box.top) + Double(box.bottom)) / 2
    let width = Double(box.width)
    let height = Double(box.height)
    let angle = Double(box.angle ?? 0)
    let (cosine, sine) = (cos(angle), sin(angle))
    let (first, second) = (width * width / 12, height * height / 12)
    a = first * cosine * cosine + second * sine * sine
    b = first * sine * sine + second * cosine * cosine
    c = (first - second) * cosine * sine
    determinant = first * second
  }

  /// Keeps logarithms and roots defined, as in Ultralytics.
  private static let epsilon = 1e-7

  /// Returns the largest Bhattacharyya distance of shapes with at least this overlap.
  static func distance(forOverlap overlap: Double) -> Double {
    let least = 1 + epsilon - (1 - overlap) * (1 - overlap)
    return overlap < 1 && least > 0 ? -log(least) : overlap < 1 ? .infinity : 0
  }

  /// Whether the distance of the centers alone doesn't exceed a Bhattacharyya distance.
  func mayOverlap(_ other: Self, within farthest: Double) -> Bool {
    let (dx, dy) = (x - other.x, y - other.y)
    return !(dx * dx + dy * dy > 4 * farthest * (a + b + other.a + other.b))
  }

  /// Returns the probabilistic IoU; 0 if a box has no area.
  func overlap(with other: Self) -> Double {
    let (dx, dy) = (x - other.x, y - other.y)
    let (sumA, sumB, sumC) = (a + other.a, b + other.b, c + other.c)
    let sum = sumA * sumB - sumC * sumC
    let product = determinant * other.determinant
    guard product > 0, sum > 0 else { return 0 }
    let centers = (sumA * dy * dy + sumB * dx * dx) / 4 - sumC * dx * dy / 2
    let forms = log(sum / (4 * product.squareRoot()) + Self.epsilon) / 2
    let distance = min(max(centers / sum + forms, Self.epsilon), 100)
    return 1 - (1 - exp(-distance) + Self.epsilon).squareRoot()
  }
}
