// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The sizes of a tensor's axes, without those of size 1 that a decoder doesn't expect.
struct TensorAxes: Sendable, Equatable {
  /// The sizes, each of which is at least 1.
  let sizes: [Int]
  /// The number of values.
  let count: Int
  private let name: String

  /// More values than any memory has, so that decoders can multiply sizes by small numbers.
  private static let most = 1 << 48

  /// Reads a shape.
  ///
  /// If it has more axes than expected, the first axes of size 1 are left out until the number is
  /// right. [1, 5, 7], [5, 1, 7] and [5, 7, 1] all become [5, 7].
  ///
  /// - Parameters:
  ///   - shape: The shape of the tensor.
  ///   - number: The number of axes.
  ///   - name: What the tensor contains, in the plural, for errors.
  ///   - expected: The axes that the decoder expects, for errors.
  /// - Throws: ``DecodingError`` if the shape is another, or if it has no values.
  init(_ shape: [Int], _ number: Int, of name: String, expected: String) throws {
    var sizes = shape
    while sizes.count > number, let index = sizes.firstIndex(of: 1) { sizes.remove(at: index) }
    // A single number is a list of one number.
    if number == 1, sizes.isEmpty { sizes = [1] }
    var count = 1
    var isRight = sizes.count == number && sizes.allSatisfy { $0 >= 1 }
    for size in sizes where isRight {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      (count, isRight) = (product, !overflow && product <= Self.most)
    }
    guard isRight else {
      throw DecodingError(
        "The \(name) have the shape \(shape), but \(expected) was expected. Choose the output and "
          + "the type of decoder that match.")
    }
    self.sizes = sizes
    self.count = count
    self.name = name
  }

  /// Checks that a tensor has as many values as its shape says.
  func check(_ tensor: Span<Float>) throws {
    guard tensor.count == count else {
      throw DecodingError(
        "The \(name) have \(tensor.count) values, but their shape has \(count). Decode the tensor "
          + "that the decoder was made for.")
    }
  }
}
