// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The rows and columns of a tensor.
struct TensorMatrix: Sendable, Equatable {
  let rows: Int
  let columns: Int
  let name: String

  /// The most rows, so that an index always fits in 32 bits.
  private static let most = Int(Int32.max)

  /// Creates a matrix from a shape, whose first dimensions may be 1.
  ///
  /// - Parameters:
  ///   - shape: A shape such as [1, 84, 8400].
  ///   - name: What the tensor contains, for errors.
  ///   - expected: The dimensions that the decoder expects, for errors.
  /// - Throws: ``DecodingError`` if it isn't a matrix.
  init(_ shape: [Int], of name: String, expected: String) throws {
    let sizes = shape.withoutBatch(rank: 2)
    guard sizes.count == 2, sizes.allSatisfy({ (0...Self.most).contains($0) }) else {
      throw DecodingError(
        "The \(name) have the shape \(shape), but \(expected) was expected. Choose another "
          + "output or another type of decoder.")
    }
    rows = sizes[0]
    columns = sizes[1]
    self.name = name
  }

  /// Checks that a tensor has all values.
  func check(_ tensor: Span<Float>) throws { try Self.check(tensor, count, name) }

  /// The number of values, which can't overflow because both sizes have 31 bits.
  var count: Int { rows * columns }

  static func check(_ tensor: Span<Float>, _ count: Int, _ name: String) throws {
    guard tensor.count == count else {
      throw DecodingError(
        "The \(name) have \(tensor.count) values, but their shape has \(count).")
    }
  }
}

extension [Int] {
  /// Returns a shape without the dimensions of 1 before its last dimensions.
  func withoutBatch(rank: Int) -> [Int] {
    let extra = Swift.max(0, count - rank)
    return prefix(extra).allSatisfy { $0 == 1 } ? Array(dropFirst(extra)) : self
  }
}
