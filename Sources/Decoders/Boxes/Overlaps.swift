// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension DecodedBox {
  /// The intersection over union with another upright box; 0 if one has no area.
  func overlap(with other: DecodedBox) -> Float {
    let width = min(right, other.right) - max(left, other.left)
    let height = min(bottom, other.bottom) - max(top, other.top)
    guard width > 0, height > 0 else { return 0 }
    let common = width * height
    let area = self.height * self.width + other.height * other.width - common
    return common / area
  }
}

/// Tells which boxes overlap better ones.
///
/// Upright boxes are compared with the boxes that were kept, as in torchvision and TensorFlow.
/// Oriented boxes are compared with all better boxes, as in Ultralytics: a box that was suppressed
/// still suppresses others.
struct Overlaps {
  private let boxes: [DecodedBox]
  private let selection: BoxSelection
  private let isOriented: Bool
  /// The largest distance of shapes that can overlap enough.
  private let farthest: Double
  /// The indices of the boxes that suppress others.
  private var better: [Int] = []
  /// The shapes of these boxes, if they are oriented.
  private var shapes: [BoxShape] = []

  /// Prepares for boxes, which are asked for in their order.
  init(_ boxes: [DecodedBox], selection: BoxSelection) {
    self.boxes = boxes
    self.selection = selection
    isOriented = boxes.contains { $0.angle != nil }
    farthest = BoxShape.distance(forOverlap: Double(selection.iou)) + 0.01
    guard selection.suppression != .none else { return }
    better.reserveCapacity(isOriented ? boxes.count : min(boxes.count, max(selection.top, 0)))
  }

  /// Returns whether a better box suppresses a box, and remembers the box otherwise.
  mutating func isSuppressed(_ index: Int) -> Bool {
    guard selection.suppression != .none else { return false }
    let box = boxes[index]
    let isSuppressed: Bool
    if isOriented {
      let shape = BoxShape(box)
      isSuppressed = better.indices.contains { offset in
        competes(box, better[offset]) && shape.mayOverlap(shapes[offset], within: farthest)
          && shape.overlap(with: shapes[offset]) >= Double(selection.iou)
      }
      shapes.append(shape)
    } else {
      isSuppressed = better.contains {
        competes(box, $0) && boxes[$0].overlap(with: box) > selection.iou
      }
    }
    if isOriented || !isSuppressed { better.append(index) }
    return isSuppressed
  }

  private func competes(_ box: DecodedBox, _ other: Int) -> Bool {
    selection.suppression == .all || boxes[other].classIndex == box.classIndex
  }
}
