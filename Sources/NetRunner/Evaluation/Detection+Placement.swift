// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension Detection {
  /// Converts the box to fractions of the whole image.
  ///
  /// A model's boxes are fractions of the model's input, which can be cropped from the image or
  /// padded. If the input isn't an image, the object is returned unchanged.
  ///
  /// - Parameters:
  ///   - size: The size of the upright image.
  ///   - input: The model's image input.
  /// - Returns: The object with the converted box. Coordinates are outside 0 to 1 if the box
  ///   reaches into padding.
  /// - Throws: `TensorIOError` if the input's data type can't hold an image.
  package func inWholePicture(of size: (width: Int, height: Int), _ input: TensorSpec) throws
    -> Detection
  {
    guard case .imageInput(let shape, _) = input.kind else { return self }
    let placement = try ImageTransform.ofInput(input).transform
      .placement(ofWidth: size.width, height: size.height)
    func whole(
      _ start: Double, _ length: Double, target: Int, offset: Int, placed: Int, crop: Int,
      part: Int,
      of all: Int
    ) -> (start: Double, length: Double) {
      let scale = Double(target) / Double(placed) * Double(part) / Double(all)
      let shift = Double(crop) - Double(offset) / Double(placed) * Double(part)
      return (start * scale + shift / Double(all), length * scale)
    }
    let crop = placement.crop
    let (x, width) = whole(
      box.x, box.width, target: shape.width, offset: placement.x, placed: placement.width,
      crop: crop.x, part: crop.width, of: size.width)
    let (y, height) = whole(
      box.y, box.height, target: shape.height, offset: placement.y, placed: placement.height,
      crop: crop.y, part: crop.height, of: size.height)
    var found = self
    found.box = Box(x: x, y: y, width: width, height: height)
    return found
  }
}
