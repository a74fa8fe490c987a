// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls

/// A signal that indicates that a process crashed, or was killed for using too much memory.
package struct ProcessFault: Error, Hashable, CustomStringConvertible {
  package let description: String
  private let wasKilled: Bool

  /// Makes a fault from a signal.
  ///
  /// - Parameter signal: The signal that ended a process. The result is nil for a signal that is
  ///   sent on purpose, such as SIGTERM.
  package init?(signal: Int32) {
    switch signal {
    case SIGSEGV: description = "a segmentation fault"
    case SIGABRT: description = "it aborted"
    case SIGBUS: description = "a bus error"
    case SIGFPE: description = "an arithmetic fault, such as a division by zero"
    case SIGILL, SIGTRAP: description = "an illegal instruction"
    case SIGSYS: description = "a bad system call"
    case SIGKILL: description = "it was killed, perhaps because memory ran out"
    default: return nil
    }
    wasKilled = signal == SIGKILL
  }

  /// Returns the message for a user whose model caused the fault.
  package func message(ofModelAt path: String) -> String {
    // This comes from outside, so the file isn't suspected.
    guard !wasKilled else {
      return "The process that ran the model '\(path)' was killed, perhaps because memory ran out. "
        + "Run the model again. If it happens again, give it more memory, or run fewer at once."
    }
    let (before, after) = Self.messageParts(ofModelAt: path)
    return before + description + after
  }

  /// Returns the parts of the message before and after the fault's name.
  ///
  /// A process that crashes cannot build the message any more, so it gets these parts in advance.
  package static func messageParts(ofModelAt path: String) -> (before: String, after: String) {
    (
      "The model '\(path)' ended the process that ran it: ",
      ". The file may be damaged, the model may need more memory than it is given, or the "
        + "runtime may have a bug. Convert or download the model again."
    )
  }
}
