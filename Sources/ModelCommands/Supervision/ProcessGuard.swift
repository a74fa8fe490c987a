// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Dispatch
import ModelTools
import Synchronization
package import TensorIO
import TensorIOIsolation

/// Reports a model that ends the process, with a sentence and an exit code.
///
/// A runtime may crash, reserve too much memory or never return. In the commands that open models,
/// a crash becomes a line on standard error and the exit code 65. The same happens if the first
/// outputs take too long. Servers must keep running, so they use ``IsolatedBackend`` instead.
package enum ProcessGuard {
  /// `nonisolated(unsafe)` because it is set once, before a second thread exists.
  nonisolated(unsafe) private static var isOn = false

  /// The commands that open models.
  private static let guardedCommands: Set<String> = [
    "run", "inspect", "validate", "init", "metadata", "parity", "bench", "train", "evaluate",
    "bulk",
  ]

  /// The signals that end a process because of its own code.
  private static let faults = [SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS]

  /// The default time that a model may take until its first outputs, in milliseconds.
  private static let firstAnswerTime = 15_000

  /// Starts to guard a command, if it opens models.
  ///
  /// Call this on the main thread, so that an overflow of its stack is reported too. If
  /// `SWIFT_BACKTRACE` is set, the Swift runtime prints its own traces instead.
  package static func begin(for arguments: [String]) {
    guard arguments.count > 2, guardedCommands.contains(arguments[1]) else { return }
    isOn = true
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for signal in faults {
      ProcessFault(signal: signal).map { describe_fault(signal, $0.description) }
    }
    reportFaultsWithoutModel()
  }

  /// Limits the memory that the model may take, and the time until its first outputs.
  ///
  /// Only TensorFlow Lite models are limited, because TensorFlow reports its own errors and needs
  /// time and memory for itself. The path is for the message. Nil seconds mean the default.
  package static func limitModel(
    at path: String, by limit: MemoryLimit, seconds: Double? = nil, sessions: Int = 1,
    isAccelerated: Bool = false
  ) {
    guard isOn else { return }
    // The runtime keeps the file in memory, and copies its weights into its own order.
    let file = 3 * (FileSystem.byteCount(of: path) ?? 0)
    let trial = isAccelerated ? IsolationOptions.acceleratorTrial : nil
    let further = UInt64(
      clamping: (limit.bytes + file) * sessions + ownMemory + (trial?.memoryBytes ?? 0))
    _ = limit_further_memory(further)
    let (before, after) = ProcessFault.messageParts(ofModelAt: path.printable)
    report_faults("error: " + before, after, 65)
    // With --timeout, the command ends itself at most a second after that time. This limit is
    // later.
    let trialTime = trial.map { Int(3 * $0.firstAnswerSeconds * 1000) } ?? 0
    let time = (seconds.map { Int(min($0, 1e6) * 1000) + 3000 } ?? firstAnswerTime) + trialTime
    end_later(
      UInt32(clamping: time + file / 20_000),
      "error: The model '\(path.printable)' didn't respond in time, so it was stopped. The "
        + "file may be damaged. If the model is only slow, pass a longer --timeout SECONDS to "
        + "'run' or 'bench'.", 65)
  }

  /// Lifts the time limit, because the model has returned its first outputs.
  package static func modelHasAnswered() {
    guard isOn else { return }
    end_later(0, "", 0)
    reportFaultsWithoutModel()
  }

  /// The memory that the program itself needs for images, threads and output, in bytes.
  private static let ownMemory = 256 << 20

  private static func reportFaultsWithoutModel() {
    report_faults(
      "error: The command ended unexpectedly: ",
      ". This is a bug in this program, or in a model that it was running.", 70)
  }
}

/// Ends a command that takes too long.
///
/// It first asks the runtime to stop. If the runtime doesn't, it ends the process.
package final class Deadline: Sendable {
  /// A token that is cancelled when the time is up.
  package let token = CancellationToken()
  private let seconds: Double?
  private let isMet = Atomic(false)

  /// How long the runtime may take to stop after the token is cancelled, in seconds.
  private static let grace = 1.0

  /// Starts the timer; nil seconds mean no limit.
  package init(seconds: Double?) {
    self.seconds = seconds
    guard let seconds else { return }
    let queue = DispatchQueue.global(qos: .userInitiated)
    queue.asyncAfter(deadline: .now() + seconds) { [self] in
      guard !isMet.load(ordering: .acquiring) else { return }
      token.cancel()
      queue.asyncAfter(deadline: .now() + Self.grace) { [self] in
        guard !isMet.load(ordering: .acquiring) else { return }
        Console.printMessage(
          "error: The command took longer than --timeout \(seconds.fixed(1)) seconds. The runtime "
            + "couldn't be stopped, so the process was ended.")
        // The runtime's clean-up may hang, too.
        _exit(65)
      }
    }
  }

  package func watch<Result>(_ work: () throws -> Result) throws -> Result {
    defer { isMet.store(true, ordering: .releasing) }
    do {
      return try work()
    } catch let error as TensorIOError where error.code == .cancelled {
      throw TensorIOError(
        .cancelled,
        "The run was stopped because the command took longer than --timeout "
          + "\((seconds ?? 0).fixed(1)) seconds.",
        cause: error)
    }
  }
}
