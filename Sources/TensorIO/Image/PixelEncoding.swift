// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What an image tensor holds: the order of its channels and the kind of its elements.
package struct PixelEncoding: Sendable {
  /// The order of the channels in the tensor.
  package var format: ImageShape.Format
  /// How a channel's byte becomes an element.
  package var element: Element

  package init(format: ImageShape.Format = .rgb, element: Element) {
    if case .table(let bytesPerElement, let entries) = element {
      precondition(
        bytesPerElement > 0 && entries.count == 3 * 256 * bytesPerElement,
        "A table has 256 entries for each of three colours.")
    }
    self.format = format
    self.element = element
  }

  /// How a channel's byte becomes an element.
  package enum Element: Sendable {
    /// The byte itself.
    case uint8
    /// A float; without a normalization the byte's value, 0...255.
    case float32(PixelNormalization?)
    /// What a table says: 256 entries for red, then for green, then for blue, as they shall lie
    /// in memory. Serves every type that is not worth a kernel of its own.
    case table(bytesPerElement: Int, entries: [UInt8])
  }

  /// The size of an element.
  package var bytesPerElement: Int {
    switch element {
    case .uint8: 1
    case .float32: 4
    case .table(let bytesPerElement, _): bytesPerElement
    }
  }
}
