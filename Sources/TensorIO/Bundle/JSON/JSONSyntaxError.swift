// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A syntax error in JSON, with the position of the first fault.
package struct JSONSyntaxError: Error, Sendable, Equatable {
  /// The line, counted from 1.
  package let line: Int
  /// The column in characters, counted from 1.
  package let column: Int
  /// What was found and what was expected.
  package let reason: String

  /// Finds the fault in a document that Foundation's decoder has rejected.
  ///
  /// The decoder does not report a position, so a second pass over the bytes looks for it.
  init(in data: Data, cause: DecodingError) {
    var scanner = JSONFaultScanner(bytes: Array(data))
    if let fault = scanner.findFault() {
      let before = data.prefix(fault.offset)
      line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? data.startIndex
      column =
        String(decoding: data[lineStart..<(data.startIndex + fault.offset)], as: UTF8.self)
        .count + 1
      reason = fault.reason
    } else {
      line = 1
      column = 1
      reason = "the document is not valid JSON (\(cause))"
    }
  }
}

extension JSONSyntaxError: CustomStringConvertible {
  package var description: String { "line \(line), column \(column): \(reason)" }
}
