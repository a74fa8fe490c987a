// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A box that encoded boxes are relative to.
package struct BoxAnchor: Sendable, Equatable {
  /// The center.
  package var y: Float
  package var x: Float
  package var height: Float
  package var width: Float
}

/// The anchors of a single-shot detector, usually in fractions of the model's input.
package struct BoxAnchors: Sendable, Equatable {
  /// Center y, center x, height and width of each anchor.
  private let values: [Float]

  /// The most anchors, which is far more than models have.
  static let most = 4_000_000

  /// Creates anchors from numbers: center y, center x, height and width of each anchor.
  package init(_ values: [Float]) throws {
    guard values.count.isMultiple(of: 4), values.count <= 4 * Self.most else {
      throw DecodingError(
        "There are \(values.count) numbers, but center y, center x, height and width of each "
          + "anchor were expected, and at most \(Self.most) anchors.")
    }
    if let index = values.firstIndex(where: { !$0.isFinite }) {
      throw DecodingError(
        "Anchor \(index / 4 + 1) has the value \(values[index]), but all numbers must be finite.")
    }
    self.values = values
  }

  package var count: Int { values.count / 4 }

  package subscript(index: Int) -> BoxAnchor {
    BoxAnchor(
      y: values[4 * index], x: values[4 * index + 1], height: values[4 * index + 2],
      width: values[4 * index + 3])
  }
}

extension BoxAnchors {
  /// Reads anchors from text: center y, center x, height and width in each line.
  ///
  /// Commas or blanks separate the numbers. Empty lines don't count.
  package init(text: Span<UInt8>) throws {
    var values: [Float] = []
    var line = 1
    var start = 0
    var numbers = 0
    for index in 0...text.count {
      let byte = index < text.count ? text[index] : UInt8(ascii: "\n")
      guard Self.separators.contains(byte) else { continue }
      if start < index {
        values.append(try Self.number(text.extracting(start..<index), line: line))
        numbers += 1
      }
      start = index + 1
      guard byte == UInt8(ascii: "\n") else { continue }
      guard numbers == 0 || numbers == 4 else {
        throw DecodingError(
          "Line \(line) of the anchors has \(numbers) numbers, but center y, center x, height and "
            + "width were expected.")
      }
      guard values.count <= 4 * Self.most else { break }
      numbers = 0
      line += 1
    }
    try self.init(values)
  }

  private static let separators: [UInt8] = [UInt8](", \t\r\n".utf8)

  private static func number(_ bytes: Span<UInt8>, line: Int) throws -> Float {
    // A number needs few digits, and an error shouldn't print a whole file.
    let characters = bytes.indices.prefix(40).map { bytes[$0] }
    let text = String(decoding: characters, as: UTF8.self)
    guard bytes.count <= 40, let value = Float(text), value.isFinite else {
      throw DecodingError(
        "Line \(line) of the anchors has '\(text)', but a number was expected. The file must not "
          + "have a header.")
    }
    return value
  }
}
