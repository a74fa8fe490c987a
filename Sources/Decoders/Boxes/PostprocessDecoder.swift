// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Reads the four outputs of TensorFlow Lite's `TFLite_Detection_PostProcess`.
///
/// The model has suppressed boxes itself, so the selection is usually
/// ``BoxSelection/Suppression/none``.
package struct PostprocessDecoder: Sendable {
  private let matrix: TensorMatrix
  private let selection: BoxSelection

  /// Prepares for boxes of a shape.
  ///
  /// - Parameters:
  ///   - boxShape: [N, 4], with any number of 1 before.
  ///   - selection: Which boxes are kept.
  /// - Throws: ``DecodingError`` if the shape is another.
  package init(boxShape: [Int], selection: BoxSelection) throws {
    matrix = try TensorMatrix(boxShape, of: "boxes", expected: "[boxes, 4]")
    guard matrix.columns == 4 else {
      throw DecodingError(
        "The boxes have \(matrix.columns) values each, but top, left, bottom and right were "
          + "expected. Choose the output with the boxes.")
    }
    self.selection = selection
  }

  /// Decodes the boxes, which are in fractions of the model's input.
  ///
  /// - Parameters:
  ///   - boxes: Top, left, bottom and right of each box.
  ///   - classes: The class of each box. Boxes are dropped if it isn't an index.
  ///   - scores: The score of each box.
  ///   - count: The number of boxes that count, which come first; nil if all do.
  /// - Returns: The selected boxes.
  /// - Throws: ``DecodingError`` if the tensors have different numbers of boxes.
  package func decode(
    boxes: Span<Float>, classes: Span<Float>, scores: Span<Float>, count: Float? = nil
  ) throws -> DecodedObjects {
    try matrix.check(boxes)
    try TensorMatrix.check(classes, matrix.rows, "classes")
    try TensorMatrix.check(scores, matrix.rows, "scores")
    // An undefined count is 0, because all comparisons with it are false.
    let wanted = count.map { $0 > 0 ? $0.rounded() : 0 } ?? .infinity
    let used = Int(min(wanted, Float(matrix.rows)))
    func box(_ index: Int) -> DecodedBox {
      DecodedBox(
        left: boxes[4 * index + 1], top: boxes[4 * index], right: boxes[4 * index + 3],
        bottom: boxes[4 * index + 2])
    }
    var queue = CandidateQueue(selection, count: used)
    for index in 0..<min(used, matrix.rows) where scores[index] > selection.threshold {
      guard let number = Int(classIndex: classes[index]), box(index).isUsable else { continue }
      queue.add(scores[index], at: index, classIndex: number)
    }
    return selection.suppress(queue.boxes(box), pointsPerBox: 0) { _, _ in }
  }
}

extension Int {
  /// Converts a class that a model returns as a number; nil if it isn't an index.
  init?(classIndex value: Float) {
    let rounded = value.rounded()
    guard rounded >= 0, rounded < 0x1p31 else { return nil }
    self.init(rounded)
  }
}

extension CandidateQueue {
  /// Returns the boxes of the best candidates, best first.
  consuming func boxes(_ box: (Int) -> DecodedBox) -> [DecodedBox] {
    sorted().map { candidate in
      var box = box(candidate.index)
      box.score = candidate.score
      box.classIndex = candidate.classIndex
      box.source = candidate.index
      return box
    }
  }
}
