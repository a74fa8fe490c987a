// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A number that a model measures.
package struct DecodedNumber: Sendable, Equatable {
  /// The name; nil if none was given.
  package var name: String?
  package var value: Float
  /// The unit; nil if none was given.
  package var unit: String?

  package init(name: String? = nil, value: Float, unit: String? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
  }
}

/// Gives numbers names and units.
package struct RegressionDecoder: Sendable {
  private let axes: TensorAxes
  private let names: [String]?
  private let units: [String]?
  private let scale: [Float]?
  private let bias: [Float]?

  /// Prepares for a number of values.
  ///
  /// - Parameters:
  ///   - shape: [numbers], with any number of axes of size 1.
  ///   - names: A name for each number.
  ///   - units: A unit for each number; empty text for a number without a unit.
  ///   - scale: The factor of each number; nil for 1.
  ///   - bias: What is added to each scaled number; nil for 0.
  /// - Throws: ``DecodingError`` if the shape is another, or if a list has another length.
  package init(
    shape: [Int], names: [String]? = nil, units: [String]? = nil, scale: [Float]? = nil,
    bias: [Float]? = nil
  ) throws {
    let axes = try TensorAxes(shape, 1, of: "numbers", expected: "[numbers]")
    let lists: [(key: String, count: Int?)] = [
      ("names", names?.count), ("units", units?.count), ("scale", scale?.count),
      ("bias", bias?.count),
    ]
    for list in lists {
      guard let count = list.count, count != axes.count else { continue }
      throw DecodingError(
        "\"\(list.key)\" has \(count) elements, but the output has \(axes.count) numbers. Give an "
          + "element for each number.")
    }
    guard ((scale ?? []) + (bias ?? [])).allSatisfy(\.isFinite) else {
      throw DecodingError(
        "\"scale\" and \"bias\" must be finite 32-bit numbers, at most 3.4e38. Use smaller numbers."
      )
    }
    (self.axes, self.names, self.units) = (axes, names, units)
    (self.scale, self.bias) = (scale, bias)
  }

  /// Returns the numbers, each times its factor plus its bias.
  ///
  /// A number that is NaN stays NaN, because leaving it out would look like another model.
  ///
  /// - Throws: ``DecodingError`` if all numbers are NaN, or if the tensor has another size.
  package func decode(_ values: Span<Float>) throws -> [DecodedNumber] {
    try axes.check(values)
    guard values.greatest(count: axes.count) != nil else {
      throw DecodingError("All numbers are NaN. Check the model and its input.")
    }
    return (0..<axes.count).map { index in
      let factor = Double(scale?[index] ?? 1)
      let value = Double(values[index]) * factor + Double(bias?[index] ?? 0)
      let unit = units?[index] ?? ""
      return DecodedNumber(
        name: names?[index], value: Float(value), unit: unit.isEmpty ? nil : unit)
    }
  }
}
