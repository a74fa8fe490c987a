// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
package import ModelTools
package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes data to standard output, and messages to standard error.
///
/// Names, labels and servers' responses come from other people. A terminal would interpret control
/// characters in them, so all printing goes through this type, which replaces them. Only this
/// type's own styles pass.
package enum Console {
  package static let messagesGoToTerminal = isatty(STDERR_FILENO) == 1
  /// Whether standard output is a terminal and `NO_COLOR` isn't set.
  package static let dataIsStyled = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil

  package static func printData(_ line: String) { put(safe(line) + "\n", to: STDOUT_FILENO) }

  package static func printTable(_ table: TextTable, indentation: Int = 0) {
    for line in table.lines(indentation: indentation) { printData(line) }
  }

  package static func printMessage(_ line: String) { put(safe(line) + "\n", to: STDERR_FILENO) }

  /// Writes a JSON document with sorted keys to standard output.
  package static func printJSON(_ value: JSONValue) throws { printJSONText(try value.text()) }

  package static func printJSONText(_ text: String) {
    put(text.printableJSON + "\n", to: STDOUT_FILENO)
  }

  /// Writes to the terminal without ending the line, as progress bars do.
  fileprivate static func printProgress(_ text: String) { put(text, to: STDERR_FILENO) }

  package static func bold(_ text: String) -> String {
    dataIsStyled ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }

  /// Returns a patch of a colour on a terminal, and an empty string elsewhere.
  package static func swatch(_ color: PixelColor) -> String {
    dataIsStyled ? "\u{1B}[48;2;\(color.red);\(color.green);\(color.blue)m  \u{1B}[0m " : ""
  }

  package static func end(_ code: Int32) -> Never { exit(code) }

  /// Returns text in which only the styles of ``bold(_:)`` and ``swatch(_:)`` affect a terminal.
  private static func safe(_ text: String) -> String {
    text.printableLines { rest in
      guard dataIsStyled, rest.first == "\u{1B}", let end = rest.prefix(24).firstIndex(of: "m")
      else {
        return 0
      }
      let style = String(rest[rest.index(after: rest.startIndex)..<end])
      guard ["[1", "[0"].contains(style) || style.hasPrefix("[48;2;") else { return 0 }
      return style.unicodeScalars.count + 2
    }
  }

  private static func put(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        // A closed pipe, such as after `| head`, isn't an error. A full disk is.
        guard count > 0 else {
          guard errno != EPIPE && descriptor == STDOUT_FILENO else { return }
          printMessage(
            "error: The output couldn't be written: \(String(cString: strerror(errno))).")
          exit(65)
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }
}

/// A progress bar on the terminal, which is hidden if standard error goes elsewhere.
package struct ProgressBar {
  /// The number of all steps, which may grow while they are found.
  package var total: Int
  private let clock = ContinuousClock()
  private var next: ContinuousClock.Instant
  private static let width = 30

  package init(total: Int) {
    self.total = total
    next = clock.now
  }

  /// Shows that `count` of the total are done, at most ten times a second.
  package mutating func show(_ count: Int, note: String = "") {
    guard Console.messagesGoToTerminal, clock.now >= next || count == total else { return }
    next = clock.now + .milliseconds(100)
    let filled = Int(Double(min(count, total)) / Double(max(total, 1)) * Double(Self.width))
    let bar =
      String(repeating: "=", count: filled) + String(repeating: " ", count: Self.width - filled)
    Console.printProgress("\r[\(bar)] \(count)/\(total)\(note)\u{1B}[K")
  }

  /// Removes the bar.
  package func end() {
    guard Console.messagesGoToTerminal else { return }
    Console.printProgress("\r\u{1B}[K")
  }
}
