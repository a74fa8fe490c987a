// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
package import TensorIO
import TensorIODecoding
import TensorIOImageCodecs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Draws objects over their photo: boxes with labels, keypoints with a skeleton, and masks.
package struct ObjectDrawing {
  private let photo: PixelBuffer?
  private let size: (width: Int, height: Int)
  private let skeleton: [(Int, Int)]

  /// Makes a drawing.
  ///
  /// - Parameters:
  ///   - photo: The photo, perhaps scaled down; nil draws on white.
  ///   - size: The size of the photo that the objects' positions refer to; nil finds one that shows
  ///     them all.
  ///   - skeleton: Pairs of indices of keypoints that are connected by lines.
  package init(
    photo: PixelBuffer?, size: (width: Int, height: Int)?, skeleton: [(Int, Int)] = []
  ) {
    self.photo = photo
    self.size = size ?? (640, 640)
    self.skeleton = skeleton
  }

  /// Returns an SVG document, in which the photo is embedded.
  ///
  /// Screen readers read the title aloud.
  package func svg(of objects: [Detection], title: String) throws -> String {
    let unit = Double(max(size.width, size.height)) / 640
    var parts: [Markup] = []
    if let photo {
      let jpeg = Data(try ImageEncoder().encode(photo, as: .jpeg(quality: 85)))
        .base64EncodedString()
      parts.append(
        """
        <image width="\(size.width)" height="\(size.height)" preserveAspectRatio="none" \
        href="data:image/jpeg;base64,\(Markup(stringLiteral: jpeg))"/>

        """)
    }
    for object in objects.reversed() {
      let color = ObjectMasks.color(of: object.classIndex).hexadecimal
      if let mask = object.mask { parts.append(path(of: mask, color)) }
      parts.append(box(of: object, color, unit))
      if let keypoints = object.keypoints { parts += points(keypoints, color, unit) }
    }
    let document: Markup = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(size.width)" height="\(size.height)" \
      viewBox="0 0 \(size.width) \(size.height)" font-family="sans-serif" \
      font-size="\(14 * unit)">
      <title>\(title)</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      \(parts)</svg>

      """
    return document.text
  }

  private func box(of object: Detection, _ color: String, _ unit: Double) -> Markup {
    let box = object.box
    let text = "\(object.label) \(object.score.fixed(2))"
    let turn = (object.angle ?? 0) * 180 / .pi
    let (x, y) = (box.x + box.width / 2, box.y + box.height / 2)
    // The label is above the box, or inside it at the top of the photo.
    let baseline = box.y > 18 * unit ? box.y - 5 * unit : box.y + 15 * unit
    return """
      <g transform="rotate(\(turn) \(x) \(y))"><rect x="\(box.x)" y="\(box.y)" \
      width="\(box.width)" height="\(box.height)" fill="none" stroke="\(color)" \
      stroke-width="\(2 * unit)"/>
      <text x="\(box.x + 2 * unit)" y="\(baseline)" fill="\(color)" stroke="#000000" \
      stroke-width="\(3 * unit)" paint-order="stroke">\(text)</text></g>

      """
  }

  private func points(_ keypoints: [Keypoint], _ color: String, _ unit: Double) -> [Markup] {
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
