// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What the values of a YOLO model mean.
package struct YOLOOptions: Sendable, Equatable {
  /// The order of the values.
  package enum Layout: String, Sendable, CaseIterable {
    /// [N, 5 + C]: center x, center y, width, height, objectness and classes of each box.
    case v5
    /// [4 + C, N]: rows of center x, center y, width, height and of each class.
    case v8
    /// [N, 4 + C]: the values of v8 for each box.
    case v8Transposed = "v8-transposed"
    /// [N, 6]: left, top, right, bottom, score and class of each box.
    case endToEnd = "end-to-end"
  }

  package var layout: Layout
  /// The number of classes; nil for all values that are nothing else.
  package var classes: Int?
  /// The number of points, which have x, y and a score, behind the classes.
  package var points: Int
  /// The number of mask coefficients behind the points.
  package var coefficients: Int
  /// Whether the last value is an angle in radians.
  ///
  /// Boxes then have a center and a size in all layouts.
  package var isOriented: Bool
  /// `none` or `sigmoid`.
  package var activation: BoxActivation

  package init(
    layout: Layout, classes: Int? = nil, points: Int = 0, coefficients: Int = 0,
    isOriented: Bool = false, activation: BoxActivation = .none
  ) {
    self.layout = layout
    self.classes = classes
    self.points = points
    self.coefficients = coefficients
    self.isOriented = isOriented
    self.activation = activation
  }
}

extension YOLOOptions {
  /// The number of values before the classes.
  var before: Int { layout == .endToEnd ? 6 : layout == .v5 ? 5 : 4 }

  /// The number of values behind the classes.
  var behind: Int { 3 * points + coefficients + (isOriented ? 1 : 0) }

  /// The sum of values of each box, for errors.
  var expectedValues: String {
    var parts = ["\(before)"]
    if layout != .endToEnd {
      parts.append("\(classes.map(String.init) ?? "1 or more") for classes")
    }
    if points > 0 { parts.append("3 x \(points) for points") }
    if coefficients > 0 { parts.append("\(coefficients) mask coefficients") }
    if isOriented { parts.append("1 angle") }
    return parts.joined(separator: " + ")
  }
}
