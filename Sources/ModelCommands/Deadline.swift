// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ModelTools
import Synchronization
package import TensorIO

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
        Console.endAtOnce(65)
      }
    }
  }

  /// Runs work that must finish in time.
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
