// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Decodes boxes that a model encodes relative to anchors: SSD, BlazeFace and similar models.
package struct SSDDecoder: Sendable {
  private let boxes: TensorMatrix
  private let scores: TensorMatrix
  private let anchors: BoxAnchors
  private let options: SSDOptions
  private let selection: BoxSelection

  /// Prepares for tensors of two shapes.
  ///
  /// - Parameters:
  ///   - boxShape: [A, 4 + 2 K] for K points, with any number of 1 before. More values are ignored.
  ///   - scoreShape: [A, C], or [A] for one class.
  ///   - anchors: The A anchors.
  ///   - options: How boxes are encoded.
  ///   - selection: Which boxes are kept.
  /// - Throws: ``DecodingError`` if the numbers don't fit.
  package init(
    boxShape: [Int], scoreShape: [Int], anchors: BoxAnchors, options: SSDOptions = SSDOptions(),
    selection: BoxSelection
  ) throws {
    boxes = try TensorMatrix(boxShape, of: "encoded boxes", expected: "[anchors, 4 or more]")
    let isVector = scoreShape.count == 1 || boxes.rows > 1 && scoreShape == [1, boxes.rows]
    scores = try TensorMatrix(
      isVector ? [scoreShape[scoreShape.count - 1], 1] : scoreShape, of: "scores",
      expected: "[anchors, classes]")
    guard boxes.rows == anchors.count, scores.rows == anchors.count else {
      throw DecodingError(
        "There are \(boxes.rows) boxes, \(scores.rows) rows of scores and \(anchors.count) "
          + "anchors, but the numbers must be equal. Check the anchors and the outputs.")
    }
    guard (0...1_000_000).contains(options.points), boxes.columns >= 4 + 2 * options.points else {
      throw DecodingError(
        "The encoded boxes have \(boxes.columns) values each, but 4 and 2 for each of "
          + "\(options.points) points were expected. Check the number of points.")
    }
    guard scores.columns > (options.hasBackground ? 1 : 0) else {
      throw DecodingError(
        "The scores have \(scores.columns) columns, but a column for each class was expected"
          + "\(options.hasBackground ? " and one for the background" : ""). Check the output.")
    }
    guard options.scale.count == 4, options.scale.allSatisfy({ $0.isFinite && $0 != 0 }) else {
      throw DecodingError(
        "The scale is \(options.scale), but four finite divisors other than 0 were expected, of y, "
          + "x, height and width.")
    }
    self.anchors = anchors
    self.options = options
    self.selection = selection
  }

  /// Returns the boxes and points, in the units of the anchors.
  ///
  /// - Throws: ``DecodingError`` if the tensors don't have the announced shapes.
  package func decode(boxes tensor: Span<Float>, scores numbers: Span<Float>) throws
    -> DecodedObjects
  {
    try boxes.check(tensor)
    try scores.check(numbers)
    let skipped = options.hasBackground ? 1 : 0
    let layout = ScoreLayout(
      first: skipped, classes: scores.columns - skipped, activation: options.activation,
      hasBackground: options.hasBackground)
    var queue = CandidateQueue(selection, count: scores.rows)
    queue.addRows(
      of: numbers, count: scores.rows, stride: scores.columns, layout,
      threshold: selection.threshold
    ) { box($0, in: tensor).isUsable }
    let found = queue.boxes { box($0, in: tensor) }
    return selection.suppress(found, pointsPerBox: options.points) { index, list in
      addPoints(of: found[index].source, in: tensor, to: &list)
    }
  }

  /// Decodes in 64 bits and rounds once, as TensorFlow Lite does.
  private func box(_ index: Int, in tensor: Span<Float>) -> DecodedBox {
    let (first, second) = options.order == .yxhw ? (0, 1) : (1, 0)
    let start = index * boxes.columns
    let anchor = anchors[index]
    let y = center(tensor[start + first], options.scale[0], anchor.height, anchor.y)
    let x = center(tensor[start + second], options.scale[1], anchor.width, anchor.x)
    let height = half(tensor[start + 2 + first], options.scale[2], anchor.height)
    let width = half(tensor[start + 2 + second], options.scale[3], anchor.width)
    return DecodedBox(left: x - width, top: y - height, right: x + width, bottom: y + height)
  }

  private func center(_ value: Float, _ scale: Float, _ size: Float, _ center: Float) -> Float {
    Float(Double(value) / Double(scale) * Double(size) + Double(center))
  }

  private func half(_ value: Float, _ scale: Float, _ size: Float) -> Float {
    let ratio = Double(value) / Double(scale)
    return Float(0.5 * (options.isExponential ? exp(ratio) : ratio) * Double(size))
  }

  private func addPoints(of index: Int, in tensor: Span<Float>, to list: inout [BoxPoint]) {
    let (first, second) = options.order == .yxhw ? (0, 1) : (1, 0)
    let anchor = anchors[index]
    for point in 0..<options.points {
      let start = index * boxes.columns + 4 + 2 * point
      list.append(
        BoxPoint(
          x: center(tensor[start + second], options.scale[1], anchor.width, anchor.x),
          y: center(tensor[start + first], options.scale[0], anchor.height, anchor.y)))
    }
  }
}
