// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension Detection {
  /// The object with its box in shares of the whole picture.
  ///
  /// A model gives shares of what it looks at, which a crop or a margin makes another part.
  ///
  /// - Parameters:
  ///   - size: The upright picture's size.
  ///   - input: The model's input, a picture.
  /// - Returns: The same object elsewhere; outside 0 to 1 where it reaches into a margin.
  /// - Throws: `TensorIOError` for an input that takes no picture.
  package func inWholePicture(of size: (width: Int, height: Int), _ input: TensorSpec) throws
    -> Detection
  {
    guard case .imageInput(let shape, _) = input.kind else { return self }
    let placement = try ImageTransform.ofInput(input).transform
      .placement(ofWidth: size.width, height: size.height)
    func whole(
      _ start: Double, _ length: Double, target: Int, place: Int, placed: Int, crop: Int, part: Int,
      of all: Int
    ) -> (start: Double, length: Double) {
      let scale = Double(target) / Double(placed) * Double(part) / Double(all)
      let shift = Double(crop) - Double(place) / Double(placed) * Double(part)
      return (start * scale + shift / Double(all), length * scale)
    }
    let crop = placement.crop
    let (x, width) = whole(
      box.x, box.width, target: shape.width, place: placement.x, placed: placement.width,
      crop: crop.x, part: crop.width, of: size.width)
    let (y, height) = whole(
      box.y, box.height, target: shape.height, place: placement.y, placed: placement.height,
      crop: crop.y, part: crop.height, of: size.height)
    var found = self
    found.box = Box(x: x, y: y, width: width, height: height)
    return found
  }
}
