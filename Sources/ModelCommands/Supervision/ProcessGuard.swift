// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CProcessCalls
import TensorIO
import TensorIOIsolation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Tells of a model that ends the process, in a sentence and with an exit code.
///
/// A runtime may crash, reserve too much memory or never return. For the commands that open models, a
/// crash is then a line on standard error and the exit code 65, and so is too long a wait for the first
/// answer. Servers, which must go on, use ``IsolatedBackend`` instead.
package enum ProcessGuard {
  /// `nonisolated(unsafe)` because it is set once, before there is a second thread.
  nonisolated(unsafe) private static var isOn = false

  /// The commands that open models.
  private static let guardedCommands: Set<String> = [
    "run", "inspect", "validate", "init", "parity", "bench", "train", "evaluate", "bulk",
  ]

  /// The signals by which code ends its own process.
  private static let faults = [SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS]

  /// How long a model may take to its first answer, in milliseconds, where the user says nothing.
  private static let firstAnswerTime = 15_000

  /// Begins to guard a command, if it opens models.
  ///
  /// Call it on the main thread, whose stack is then told of, too, when it has run over. Whoever sets
  /// `SWIFT_BACKTRACE` wants the traces of Swift's runtime, and gets them.
  package static func begin(for arguments: [String]) {
    guard arguments.count > 2, guardedCommands.contains(arguments[1]) else { return }
    isOn = true
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for signal in faults {
      ProcessFault(signal: signal).map { describe_fault(signal, $0.description) }
    }
    reportFaultsWithoutModel()
  }

  /// Bounds what the model may take until it has given its first answer.
  ///
  /// - Parameters:
  ///   - path: The model's file or its bundle, for the message. Only TensorFlow Lite's models are
  ///     bounded: TensorFlow reports what it cannot do, and takes its time and memory for itself.
  ///   - limit: What it may take.
  ///   - seconds: How long it may take; nil for the default.
  ///   - sessions: How many sessions are made.
  package static func limitModel(
    at path: String, by limit: MemoryLimit, seconds: Double? = nil, sessions: Int = 1
  ) {
    guard isOn else { return }
    // The runtime keeps the file, and packs its weights into an order of its own.
    let file = 3 * (FileSystem.byteCount(of: path) ?? 0)
    let further = UInt64(clamping: (limit.bytes + file) * sessions + ownMemory)
    _ = limit_further_memory(further)
    let (before, after) = ProcessFault.messageParts(ofModelAt: path.printable)
    report_faults("error: " + before, after, 65)
    // A timeout of the user's own ends the command by itself, a second after its time at the latest.
    let time = seconds.map { Int(min($0, 1e6) * 1000) + 3000 } ?? firstAnswerTime
    end_later(
      UInt32(clamping: time + file / 20_000),
      "error: The model '\(path.printable)' gave no answer in time, and was stopped. It may be damaged; "
        + "if it is only slow, pass --timeout SECONDS to 'run' or 'bench' to wait longer.", 65)
  }

  /// The model has given its first answer: from here on it may take the time that it needs.
  package static func modelHasAnswered() {
    guard isOn else { return }
    end_later(0, "", 0)
    reportFaultsWithoutModel()
  }

  /// What the program itself needs for pictures, threads and output.
  private static let ownMemory = 256 << 20

  private static func reportFaultsWithoutModel() {
    report_faults(
      "error: The command ended unexpectedly: ",
      ". This is a fault of this program, or of a model that it was running.", 70)
  }
}
