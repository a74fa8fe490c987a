// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import Charts
package import TensorIO
import TensorIODecoding

/// The SVG shapes of objects: boxes with labels, keypoints with a skeleton, and masks.
///
/// Coordinates are pixels of the photo.
package struct ObjectShapes {
  private let unit: Double
  private let skeleton: [(Int, Int)]

  /// Makes shapes.
  ///
  /// - Parameters:
  ///   - unit: The length in pixels of the photo that is about one pixel of the drawing. Lines are
  ///     two units wide.
  ///   - skeleton: Pairs of indices of keypoints that are connected by lines.
  package init(unit: Double, skeleton: [(Int, Int)] = []) {
    self.unit = unit
    self.skeleton = skeleton
  }

  /// Draws objects.
  ///
  /// The first one is drawn last, so that the others don't hide it.
  package func shapes(of objects: [Detection]) -> [Markup] {
    objects.reversed().flatMap { object -> [Markup] in
      let color = ObjectMasks.color(of: object.classIndex).hexadecimal
      return (object.mask.map { [path(of: $0, color)] } ?? []) + [box(of: object, color)]
        + (object.keypoints.map { points($0, color) } ?? [])
    }
  }

  private func box(of object: Detection, _ color: String) -> Markup {
    let box = object.box
    let score = DecimalText(Double(object.score), digits: 2)
    let turn = (object.angle ?? 0) * 180 / .pi
    let (x, y) = (box.x + box.width / 2, box.y + box.height / 2)
    // The label is above the box, or inside it at the top of the photo.
    let baseline = box.y > 18 * unit ? box.y - 5 * unit : box.y + 15 * unit
    return """
      <g transform="rotate(\(turn) \(x) \(y))"><rect x="\(box.x)" y="\(box.y)" \
      width="\(box.width)" height="\(box.height)" fill="none" stroke="\(color)" \
      stroke-width="\(2 * unit)"/>
      <text x="\(box.x + 2 * unit)" y="\(baseline)" fill="\(color)" stroke="#000000" \
      stroke-width="\(3 * unit)" paint-order="stroke">\(object.label) \(score)</text></g>

      """
  }

  private func points(_ keypoints: [Keypoint], _ color: String) -> [Markup] {
    let lines = skeleton.compactMap { first, second -> Markup? in
      guard keypoints.indices.contains(first), keypoints.indices.contains(second) else {
        return nil
      }
      let (start, end) = (keypoints[first], keypoints[second])
      return """
        <line x1="\(start.x)" y1="\(start.y)" x2="\(end.x)" y2="\(end.y)" stroke="\(color)" \
        stroke-width="\(2 * unit)"/>

        """
    }
    let dots = keypoints.map { point -> Markup in
      """
      <circle cx="\(point.x)" cy="\(point.y)" r="\(3.5 * unit)" fill="#ffffff" \
      stroke="\(color)" stroke-width="\(2 * unit)"><title>\(point.name)</title></circle>

      """
    }
    return lines + dots
  }

  /// Draws a mask as horizontal bars, one for each run of pixels.
  private func path(of mask: ObjectMask, _ color: String) -> Markup {
    var path = ""
    mask.forEachRun { row, columns in
      path += "M\(columns.lowerBound) \(row)h\(columns.count)v1h-\(columns.count)z"
    }
    return """
      <path d="\(path)" fill="\(color)" fill-opacity="0.45"/>

      """
  }
}
