// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Converts positions in a model's image input to pixels of the upright image that it shows.
package struct ImageFrame: Sendable {
  /// The size of the model's image input in pixels; 1 x 1 for a model without one.
  package let input: (width: Double, height: Double)
  /// The size of the upright image.
  package let image: (width: Int, height: Int)
  private let scale: (x: Double, y: Double)
  private let shift: (x: Double, y: Double)

  /// Finds where an image is in a model's input.
  ///
  /// - Parameters:
  ///   - layer: The image input; nil for a model without one.
  ///   - size: The size of the upright image; nil if the input was given as a tensor.
  /// - Throws: `TensorIOError` when the layer can't take an image.
  package init(_ layer: TensorSpec?, size: (width: Int, height: Int)?) throws {
    guard let layer, case .imageInput(let shape, _) = layer.kind else {
      input = (1, 1)
      image = (1, 1)
      scale = (1, 1)
      shift = (0, 0)
      return
    }
    input = (Double(shape.width), Double(shape.height))
    guard let size else {
      image = (shape.width, shape.height)
      scale = (1, 1)
      shift = (0, 0)
      return
    }
    image = size
    let placement = try ImageTransform.ofInput(layer).transform
      .placement(ofWidth: size.width, height: size.height)
    let crop = placement.crop
    scale = (
      Double(crop.width) / Double(placement.width), Double(crop.height) / Double(placement.height)
    )
    shift = (
      Double(crop.x) - Double(placement.x) * scale.x, Double(crop.y) - Double(placement.y) * scale.y
    )
  }

  /// Converts a column of the input to one of the image.
  package func x(_ x: Double) -> Double { x * scale.x + shift.x }

  /// Converts a row of the input to one of the image.
  package func y(_ y: Double) -> Double { y * scale.y + shift.y }

  /// Converts a column of the image to one of the input.
  func inputX(_ x: Double) -> Double { (x - shift.x) / scale.x }

  /// Converts a row of the image to one of the input.
  func inputY(_ y: Double) -> Double { (y - shift.y) / scale.y }

  /// The size of the input in pixels as large as the image's, within limits.
  var fineInput: (width: Int, height: Int) {
    func length(_ length: Double, _ scale: Double) -> Int {
      Int(min(max(length * scale, 1), 4096).rounded())
    }
    return (length(input.width, scale.x), length(input.height, scale.y))
  }

  /// Converts a box from edges in pixels of the input.
  package func box(left: Double, top: Double, right: Double, bottom: Double) -> Box {
    Box(
      x: x(left), y: y(top), width: (right - left) * scale.x, height: (bottom - top) * scale.y)
  }

  /// Moves the edges of an upright box, and keypoints, to the image if they are outside it.
  ///
  /// A turned box stays as it is, because a part of it isn't a turned box.
  func clip(_ object: inout Detection) {
    func clipped(_ position: Double, _ length: Int) -> Double {
      min(max(position, 0), Double(length))
    }
    if object.angle == nil {
      let box = object.box
      let (left, top) = (clipped(box.x, image.width), clipped(box.y, image.height))
      object.box = Box(
        x: left, y: top, width: clipped(box.x + box.width, image.width) - left,
        height: clipped(box.y + box.height, image.height) - top)
    }
    object.keypoints = object.keypoints?.map { point in
      Keypoint(
        name: point.name, x: clipped(point.x, image.width), y: clipped(point.y, image.height),
        score: point.score)
    }
  }

  /// Converts a box from fractions of the input to fractions of the image.
  ///
  /// A box in a stretched image stays exactly as it is.
  fileprivate func box(ofFractions box: Box) -> Box {
    let (columns, rows) = (Double(image.width), Double(image.height))
    let across = (input.width * scale.x / columns).settled
    let down = (input.height * scale.y / rows).settled
    return Box(
      x: box.x * across + shift.x / columns, y: box.y * down + shift.y / rows,
      width: box.width * across, height: box.height * down)
  }

  /// Converts a box around a centre, turned by an angle, from pixels of the input.
  ///
  /// A stretched image makes a parallelogram of a turned rectangle. The result is the rectangle
  /// whose sides have the lengths and whose first side has the direction of the parallelogram's.
  package func turnedBox(
    x: Double, y: Double, width: Double, height: Double, angle: Double
  ) -> (box: Box, angle: Double) {
    let (cosine, sine) = (cos(angle), sin(angle))
    let across = (x: width * cosine * scale.x, y: width * sine * scale.y)
    let along = (x: -height * sine * scale.x, y: height * cosine * scale.y)
    let (newWidth, newHeight) = (
      (across.x * across.x + across.y * across.y).squareRoot(),
      (along.x * along.x + along.y * along.y).squareRoot()
    )
    let centre = (x: self.x(x), y: self.y(y))
    return (
      Box(
        x: centre.x - newWidth / 2, y: centre.y - newHeight / 2, width: newWidth, height: newHeight),
      atan2(across.y, across.x)
    )
  }
}

extension Box {
  /// Converts a box in fractions of a model's input to fractions of the whole upright image.
  ///
  /// The input can be cropped from the image or padded. Coordinates are outside 0 to 1 if the box
  /// reaches into padding. If the input isn't an image, the box is returned unchanged.
  package func inWholeImage(
    of size: (width: Int, height: Int), _ input: TensorSpec
  ) throws -> Box {
    guard input.isImage else { return self }
    return try ImageFrame(input, size: size).box(ofFractions: self)
  }

  /// Converts pixels to fractions of an image's sides.
  package func divided(by size: (width: Int, height: Int)) -> Box {
    let (columns, rows) = (Double(size.width), Double(size.height))
    return Box(x: x / columns, y: y / rows, width: width / columns, height: height / rows)
  }
}

extension Double {
  /// The number, or 1 if only rounding makes it different from 1.
  fileprivate var settled: Double { abs(self - 1) < 1e-14 ? 1 : self }
}
