// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Standard output for data, standard error for messages.
///
/// Names, labels and servers' answers are other people's texts. What a terminal would obey in them is
/// replaced here, where everything is printed; only this type's own styles pass.
package enum Console {
  /// Whether a person sees standard error as it is written.
  package static let messagesGoToTerminal = isatty(STDERR_FILENO) == 1
  /// Whether a person sees standard output, and wants colours.
  package static let dataIsStyled = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil

  /// Writes a line of data.
  package static func printData(_ line: String) { write(safe(line) + "\n", to: STDOUT_FILENO) }

  /// Writes a line for the person.
  package static func printMessage(_ line: String) { write(safe(line) + "\n", to: STDERR_FILENO) }

  /// Writes a JSON document.
  package static func printJSONText(_ text: String) {
    write(text.printableJSON + "\n", to: STDOUT_FILENO)
  }

  /// Writes to the person's terminal without ending the line, as progress bars do.
  package static func printProgress(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Text in bold on a terminal.
  package static func bold(_ text: String) -> String {
    dataIsStyled ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }

  /// A patch of a colour on a terminal; nothing elsewhere.
  package static func swatch(_ color: PixelColor) -> String {
    dataIsStyled ? "\u{1B}[48;2;\(color.red);\(color.green);\(color.blue)m  \u{1B}[0m " : ""
  }

  /// Ends the process.
  package static func exit(_ code: Int32) -> Never {
    #if canImport(Glibc)
    Glibc.exit(code)
    #elseif canImport(Musl)
    Musl.exit(code)
    #else
    Darwin.exit(code)
    #endif
  }

  /// Ends the process at once, without any of the runtime's own clean-up, which may hang.
  package static func exitAtOnce(_ code: Int32) -> Never { _exit(code) }

  /// A JSON document as it is printed: sorted keys, numbers as short as they are exact.
  package static func printJSON(_ value: JSONValue) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    printJSONText(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Text in which a terminal obeys nothing but the styles of ``bold(_:)`` and ``swatch(_:)``.
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
        let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if count < 0 && errno == EINTR { continue }
        // A reader that has gone away (head, a closed pipe) is no fault of ours; a full disk is one.
        guard count > 0 else {
          if errno != EPIPE && descriptor == STDOUT_FILENO { failToWrite() }
          return
        }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Ends the process: what it computed could not be handed over.
  private static func failToWrite() -> Never {
    printMessage("error: The output could not be written: \(String(cString: strerror(errno))).")
    exit(70)
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
    Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
