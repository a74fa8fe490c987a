// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Decodes the boxes, points and mask coefficients of YOLO models.
package struct YOLODecoder: Sendable {
  /// The number of boxes in the tensor, before selection.
  package let count: Int
  /// The number of classes; nil if the tensor has the best class of each box.
  package let classes: Int?
  private let matrix: TensorMatrix
  private let options: YOLOOptions
  private let selection: BoxSelection
  /// The number of values of each box.
  private let values: Int
  /// The index of the first value behind the classes.
  private let extras: Int

  /// Prepares for a tensor of a shape, with any number of 1 before.
  ///
  /// - Throws: ``DecodingError`` if the shape doesn't fit the options.
  package init(shape: [Int], options: YOLOOptions, selection: BoxSelection) throws {
    let layout = options.layout
    matrix = try TensorMatrix(
      shape, of: "boxes", expected: layout == .v8 ? "[values, boxes]" : "[boxes, values]")
    (values, count) =
      layout == .v8 ? (matrix.rows, matrix.columns) : (matrix.columns, matrix.rows)
    guard
      [options.points, options.coefficients, options.classes ?? 0]
        .allSatisfy({ (0...1_000_000).contains($0) })
    else {
      throw DecodingError(
        "The numbers of points, mask coefficients and classes must be from 0 to 1,000,000. Check "
          + "`keypoints`, `masks` and `classes`.")
    }
    let found = values - options.before - options.behind
    let isRight = layout == .endToEnd ? found == 0 : found > 0 && found == options.classes ?? found
    guard isRight else {
      throw DecodingError(
        "The boxes have \(values) values each, but \(options.expectedValues) were expected. "
          + "Check the layout '\(layout.rawValue)', the shape \(shape) and the options.")
    }
    classes = layout == .endToEnd ? nil : found
    extras = options.before + (classes ?? 0)
    guard options.activation != .softmax else {
      throw DecodingError("YOLO's scores can't have the activation 'softmax'. Use 'sigmoid'.")
    }
    guard !options.isOriented || selection.suppression != .weighted else {
      throw DecodingError("Oriented boxes can't be blended. Use `suppress` \"class\" or \"all\".")
    }
    self.options = options
    self.selection = selection
  }

  /// Returns the selected boxes and their points.
  ///
  /// - Throws: ``DecodingError`` if the tensor doesn't have the announced shape.
  package func decode(_ tensor: Span<Float>) throws -> DecodedObjects {
    try matrix.check(tensor)
    var queue = CandidateQueue(selection, count: count)
    let layout = ScoreLayout(
      first: options.layout == .v5 ? 5 : 4, classes: classes ?? 0, activation: options.activation,
      objectness: options.layout == .v5 ? 4 : nil)
    switch options.layout {
    case .v8:
      queue.addColumns(of: tensor, count: count, layout, threshold: selection.threshold) {
        box($0, in: tensor).isUsable
      }
    case .v5, .v8Transposed:
      queue.addRows(
        of: tensor, count: count, stride: values, layout, threshold: selection.threshold
      ) { box($0, in: tensor).isUsable }
    case .endToEnd:
      for index in 0..<count {
        let value = tensor[index * values + 4]
        let score = options.activation.score(value)
        guard score > selection.threshold, value < .infinity, box(index, in: tensor).isUsable,
          let number = Int(classIndex: tensor[index * values + 5])
        else { continue }
        queue.add(score, at: index, classIndex: number)
      }
    }
    let boxes = queue.boxes { box($0, in: tensor) }
    return selection.suppress(boxes, pointsPerBox: options.points) { index, list in
      addPoints(of: boxes[index].source, in: tensor, to: &list)
    }
  }

  /// Returns the mask coefficients of a box that `decode` returned for the same tensor.
  ///
  /// - Throws: ``DecodingError`` if the box or the tensor isn't from the same decoder.
  package func coefficients(of box: DecodedBox, in tensor: Span<Float>) throws -> [Float] {
    try matrix.check(tensor)
    guard (0..<count).contains(box.source) else {
      throw DecodingError(
        "The box is from row \(box.source), but the tensor has \(count) boxes. Use the tensor that "
          + "the box was decoded from.")
    }
    let first = extras + 3 * options.points
    return (first..<first + options.coefficients).map { tensor[position($0, of: box.source)] }
  }

  /// The index of a value of a box in the tensor.
  private func position(_ value: Int, of index: Int) -> Int {
    options.layout == .v8 ? value * count + index : index * values + value
  }

  private func box(_ index: Int, in tensor: Span<Float>) -> DecodedBox {
    let first = tensor[position(0, of: index)]
    let second = tensor[position(1, of: index)]
    let third = tensor[position(2, of: index)]
    let fourth = tensor[position(3, of: index)]
    guard options.layout != .endToEnd || options.isOriented else {
      return DecodedBox(left: first, top: second, right: third, bottom: fourth)
    }
    return DecodedBox(
      centerX: first, centerY: second, width: third, height: fourth,
      angle: options.isOriented ? tensor[position(values - 1, of: index)] : nil)
  }

  private func addPoints(of index: Int, in tensor: Span<Float>, to list: inout [BoxPoint]) {
    for point in 0..<options.points {
      let first = extras + 3 * point
      list.append(
        BoxPoint(
          x: tensor[position(first, of: index)], y: tensor[position(first + 1, of: index)],
          score: tensor[position(first + 2, of: index)]))
    }
  }
}
