// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import TensorIO

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A signal by which a process ends itself, or is ended for the memory that it takes.
package struct ProcessFault: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Tells what a signal means.
  ///
  /// - Parameter signal: The signal that ended a process. The result is nil for one that somebody
  ///   sends on purpose, as SIGTERM.
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
  }

  /// What to tell a person whose model did this.
  package func message(ofModelAt path: String) -> String {
    let (before, after) = Self.messageParts(ofModelAt: path)
    return before + description + after
  }

  /// The message around the fault's name, for the process that will not live to put it together.
  package static func messageParts(ofModelAt path: String) -> (before: String, after: String) {
    (
      "The model '\(path)' ended the process that ran it: ",
      ". Its file may be damaged, may need more memory than it is given, or meets a fault of the runtime. "
        + "Convert or download the model again."
    )
  }
}
