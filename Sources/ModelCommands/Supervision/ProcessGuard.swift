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

/// Keeps a model that ends its process from ending the user's.
///
/// Commands that open a model do all their work in a child; the parent only waits. When a runtime
/// crashes there, reserves too much memory or never returns, the parent says so in a sentence and
/// exits with 65. A fork before the first thread costs less than a millisecond, so that even a single
/// run is guarded; servers, which cannot fork, use ``IsolatedBackend`` instead.
package struct ProcessGuard {
  /// The guard of this process; a command without one runs unguarded.
  package static var current: ProcessGuard { ProcessGuard(descriptor: watchDescriptor) }

  /// `nonisolated(unsafe)` because it is set once, before there is a second thread.
  nonisolated(unsafe) private static var watchDescriptor: Int32 = -1

  private let descriptor: Int32

  /// The commands whose work is done in a child.
  private static let guardedCommands: Set<String> = [
    "run", "inspect", "validate", "init", "parity", "bench", "train", "evaluate", "bulk",
  ]

  /// How long a model may take to its first answer, in milliseconds, where the user says nothing.
  private static let firstAnswerTime = 15_000

  /// Goes on in a child when the command opens models; returns only there, or when the command is
  /// another one.
  package static func begin(for arguments: [String]) {
    guard arguments.count > 2, guardedCommands.contains(arguments[1]) else { return }
    var end = watched_end()
    let descriptor = run_watched(&end)
    if descriptor == -1 { exit(after: end) }
    watchDescriptor = descriptor
  }

  /// Bounds what the model may take until it has given its first answer.
  ///
  /// - Parameters:
  ///   - path: The model's file or its bundle, for the message. Only TensorFlow Lite's models are
  ///     bounded: TensorFlow reports what it cannot do, and takes its time and memory for itself.
  ///   - limits: What it may take.
  ///   - seconds: How long it may take; nil for the default.
  ///   - sessions: How many sessions are made.
  package func limitModel(
    at path: String, by limits: SafetyArguments, seconds: Double? = nil, sessions: Int = 1
  ) {
    guard descriptor >= 0 else { return }
    // The runtime keeps the file, and packs its weights into an order of its own.
    let file = 3 * (FileSystem.byteCount(of: path) ?? 0)
    let further = UInt64(clamping: (limits.memoryLimit.bytes + file) * sessions + Self.ownMemory)
    _ = limit_further_memory(further)
    // A timeout of the user's own ends the command by itself, a second after its time at the latest.
    let time = seconds.map { Int(min($0, 1e6) * 1000) + 3000 } ?? Self.firstAnswerTime
    watch_activity(descriptor, path, UInt32(clamping: time + file / 20_000))
  }

  /// The model has given its first answer: from here on it may take the time that it needs.
  package func modelHasAnswered() {
    if descriptor >= 0 { watch_activity(descriptor, "", 0) }
  }

  /// What the program itself needs for pictures, threads and output.
  private static let ownMemory = 256 << 20

  // MARK: - The end

  private static func exit(after end: watched_end) -> Never {
    var end = end
    let path = withUnsafeBytes(of: &end.activity) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if end.is_overdue {
      Console.printMessage(
        "error: The model '\(path)' gave no answer in time, and was stopped. It may be damaged; if "
          + "it is only slow, pass --timeout SECONDS to 'run' or 'bench' to wait longer.".printable)
      Console.exitAtOnce(65)
    }
    guard end.signal != 0 else { Console.exitAtOnce(end.status) }
    let fault = ProcessFault(signal: end.signal)
    guard let fault else {
      // Somebody ended the child on purpose; whoever waits for this process is to see the same.
      signal(end.signal, SIG_DFL)
      raise(end.signal)
      Console.exitAtOnce(128 + end.signal)
    }
    guard !path.isEmpty else {
      Console.printMessage(
        "error: The command ended unexpectedly: \(fault). This is a fault of this program, or of a "
          + "model that it was running.")
      Console.exitAtOnce(70)
    }
    Console.printMessage("error: \(fault.message(ofModelAt: path))".printable)
    Console.exitAtOnce(65)
  }
}
