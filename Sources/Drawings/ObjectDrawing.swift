// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
package import TensorIO
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
    parts += ObjectShapes(unit: unit, skeleton: skeleton).shapes(of: objects)
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
}
