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
  /// Whether standard error is a terminal.
  package static let messagesGoToTerminal = isatty(STDERR_FILENO) == 1
  /// Whether standard output is a terminal and `NO_COLOR` isn't set.
  package static let dataIsStyled = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil

  /// Writes a line of data to standard output.
  package static func printData(_ line: String) { write(safe(line) + "\n", to: STDOUT_FILENO) }

  /// Writes a table to standard output.
  package static func printTable(_ table: TextTable, indentation: Int = 0) {
    for line in table.lines(indentation: indentation) { printData(line) }
  }

  /// Writes a line for the user to standard error.
  package static func printMessage(_ line: String) { write(safe(line) + "\n", to: STDERR_FILENO) }

  /// Writes the text of a JSON document to standard output.
  package static func printJSONText(_ text: String) {
    write(text.printableJSON + "\n", to: STDOUT_FILENO)
  }

  /// Writes to the terminal without ending the line, as progress bars do.
  package static func printProgress(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Returns text that is bold on a terminal.
  package static func bold(_ text: String) -> String {
    dataIsStyled ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }

  /// Returns a patch of a colour on a terminal, and an empty string elsewhere.
  package static func swatch(_ color: PixelColor) -> String {
    dataIsStyled ? "\u{1B}[48;2;\(color.red);\(color.green);\(color.blue)m  \u{1B}[0m " : ""
  }

  /// Ends the process.
  package static func exit(_ code: Int32) -> Never {
    CSystemCalls.exit(code)
  }

  /// Ends the process immediately and skips the runtime's clean-up, which may hang.
  package static func exitAtOnce(_ code: Int32) -> Never { _exit(code) }

  /// Prints a JSON document with sorted keys and the shortest exact numbers.
  package static func printJSON(_ value: JSONValue) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    printJSONText(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

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

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = CSystemCalls.write(descriptor, part.baseAddress, part.count)
        if count < 0 && errno == EINTR { continue }
        // A closed pipe, such as after `| head`, isn't an error. A full disk is.
        guard count > 0 else {
          if errno != EPIPE && descriptor == STDOUT_FILENO { failToWrite() }
          return
        }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Ends the process because its results can't be written.
  private static func failToWrite() -> Never {
    printMessage("error: The output couldn't be written: \(String(cString: strerror(errno))).")
    exit(70)
  }
}
