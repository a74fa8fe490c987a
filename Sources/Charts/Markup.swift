// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A piece of an HTML page or an SVG drawing.
///
/// Interpolated strings are escaped, and interpolated markup isn't. A name such as `<script>`
/// therefore never becomes markup by accident. Attributes must be in double quotes.
package struct Markup: ExpressibleByStringInterpolation {
  package private(set) var text: String

  /// Markup without any content.
  package static var empty: Markup { Markup(stringLiteral: "") }

  package init(stringLiteral markup: String) { text = markup }

  package init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  package static func += (markup: inout Markup, other: Markup) { markup.text += other.text }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    package mutating func appendLiteral(_ markup: String) { text += markup }

    package mutating func appendInterpolation(_ value: String) { text += value.escaped(for: .html) }

    package mutating func appendInterpolation(_ value: Int) { text += String(value) }

    package mutating func appendInterpolation(_ value: DecimalText) { text += value.description }

    package mutating func appendInterpolation(_ markup: Markup) { text += markup.text }

    package mutating func appendInterpolation(_ parts: [Markup]) {
      for part in parts { text += part.text }
    }

    /// Appends a coordinate of a chart.
    package mutating func appendInterpolation(_ coordinate: Double) {
      text += DecimalText(coordinate.isFinite ? coordinate : 0, atMost: 1).description
    }
  }
}
