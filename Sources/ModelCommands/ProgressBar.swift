// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A progress bar on the terminal, which is hidden if standard error goes elsewhere.
package struct ProgressBar {
  private let total: Int
  private let clock = ContinuousClock()
  private var next: ContinuousClock.Instant
  private static let width = 30

  package init(total: Int) {
    self.total = max(total, 1)
    next = clock.now
  }

  /// Shows that `count` of the total are done, at most ten times a second.
  ///
  /// - Parameters:
  ///   - count: The number that are done.
  ///   - note: The text behind the bar.
  package mutating func show(_ count: Int, note: String = "") {
    guard Console.messagesGoToTerminal, clock.now >= next || count == total else { return }
    next = clock.now + .milliseconds(100)
    let filled = Int(Double(min(count, total)) / Double(total) * Double(Self.width))
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

extension String {
  /// Returns the text, padded with spaces to a width.
  package func padded(to width: Int, onTheLeft: Bool = false) -> String {
    let space = String(repeating: " ", count: Swift.max(0, width - count))
    return onTheLeft ? space + self : self + space
  }
}
