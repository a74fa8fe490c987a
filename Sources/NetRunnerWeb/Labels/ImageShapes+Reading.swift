// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import TensorIO

extension ImageShapes {
  /// Reads a client's document, whose shapes must be inside the image.
  ///
  /// `checkLabel` throws an error for a label that the model doesn't have.
  init(_ document: JSONValue, checkLabel: (String) throws -> Void) throws {
    let body = try JSONObjectReader(document, "The body")
    guard let width = try body.integer("width", in: 1...Int(Int32.max)),
      let height = try body.integer("height", in: 1...Int(Int32.max))
    else {
      throw WebError.badRequest("The body needs 'width' and 'height', the image's size in pixels.")
    }
    let list = try body.array("shapes", isRequired: true)
    guard list.count <= Self.maximumCount else {
      throw WebError.badRequest(
        "An image can have at most \(Self.maximumCount) shapes, but 'shapes' has \(list.count).")
    }
    self.width = width
    self.height = height
    shapes = try list.enumerated().map { index, value in
      let shape = try LabelledShape(value, at: index, width: width, height: height)
      try checkLabel(shape.label)
      return shape
    }
  }
}

extension LabelledShape {
  fileprivate init(_ value: JSONValue, at index: Int, width: Int, height: Int) throws {
    let place = "shapes[\(index)]"
    let reader = try JSONObjectReader(value, "'\(place)'")
    guard let label = try reader.text("label"), !label.isEmpty,
      label.utf8.count <= Self.maximumLabelBytes
    else {
      throw WebError.badRequest(
        "'\(place).label' must be a text of 1 to \(Self.maximumLabelBytes) bytes.")
    }
    self.label = label
    switch (reader["box"], reader["polygon"]) {
    case (let box?, nil):
      let numbers = try Self.numbers(box, "\(place).box")
      guard numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else {
        throw WebError.badRequest(
          "'\(place).box' must be x, y, and a width and height of more than 0.")
      }
      outline = .box(numbers)
    case (nil, let polygon?):
      let numbers = try Self.numbers(polygon, "\(place).polygon")
      guard numbers.count.isMultiple(of: 2), (3...Self.maximumCorners).contains(numbers.count / 2)
      else {
        throw WebError.badRequest(
          "'\(place).polygon' must be x and y of each of 3 to \(Self.maximumCorners) corners.")
      }
      outline = .polygon(numbers)
      guard outline.area > 0 else {
        throw WebError.badRequest("'\(place).polygon' has no area.")
      }
    default:
      throw WebError.badRequest("'\(place)' needs either 'box' or 'polygon'.")
    }
    let bounds = outline.bounds
    guard bounds[0] >= 0, bounds[1] >= 0, bounds[0] + bounds[2] <= Double(width) + Self.tolerance,
      bounds[1] + bounds[3] <= Double(height) + Self.tolerance
    else {
      throw WebError.badRequest(
        "'\(place)' must be inside the image, which is \(width) x \(height) pixels.")
    }
  }

  /// How far a shape may exceed the image because of rounding, in pixels.
  private static let tolerance = 0.01

  private static func numbers(_ value: JSONValue, _ name: String) throws -> [Double] {
    guard case .array(let values) = value else {
      throw WebError.badRequest("'\(name)' must be an array, not \(value.typeName).")
    }
    return try values.map { value in
      guard case .number(let number) = value, number.isFinite else {
        throw WebError.badRequest("'\(name)' must contain only numbers.")
      }
      return number
    }
  }
}
#endif
