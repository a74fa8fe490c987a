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

    package mutating func appendInterpolation(_ coordinate: Double) {
      text += DecimalText(coordinate.isFinite ? coordinate : 0, atMost: 1).description
    }
  }
}

extension String {
  /// The place in a document that a text is escaped for.
  package enum MarkupContext {
    /// Between tags or in a quoted attribute of an HTML page, or of an SVG drawing.
    case html
    /// Between tags of an XML document.
    case xml
    /// In an attribute of an XML document, in double quotes.
    case xmlAttribute
  }

  /// This text, escaped for a place in a document.
  ///
  /// HTML doesn't allow most control characters, and XML 1.0 can't even represent them. They are
  /// replaced with U+FFFD.
  package func escaped(for context: MarkupContext) -> String {
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'" where context == .html: escaped += "&#39;"
      // An XML parser would convert these to spaces or line feeds.
      case "\r" where context != .html: escaped += "&#13;"
      case "\n" where context == .xmlAttribute: escaped += "&#10;"
      case "\t" where context == .xmlAttribute: escaped += "&#9;"
      case "\t", "\n": escaped.unicodeScalars.append(scalar)
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}":
        escaped.unicodeScalars.append("\u{FFFD}")
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
