// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The commands that work on one model.
///
/// They are in a module of their own, apart from the evaluation of many images, so that the
/// compiler can build both at once.
package enum ModelCommands {
  package static let run: any ParsableCommand.Type = RunCommand.self
  package static let inspect: any ParsableCommand.Type = InspectCommand.self
  package static let initialize: any ParsableCommand.Type = InitCommand.self
  package static let parity: any ParsableCommand.Type = ParityCommand.self
  package static let train: any ParsableCommand.Type = TrainCommand.self
}

/// The machine's processors.
package enum Processors {
  /// The number of processors that this process may use.
  package static var count: Int { ProcessInfo.processInfo.activeProcessorCount }
}

/// Lets a synchronous command wait for asynchronous work.
package enum BlockingTask {
  private final class Outcome: Sendable {
    let result = Mutex<Result<Void, any Error>>(.success(()))
  }

  /// Runs a task and blocks the thread until it ends.
  package static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
    let outcome = Outcome()
    let ended = DispatchSemaphore(value: 0)
    Task {
      do {
        try await body()
      } catch {
        outcome.result.withLock { $0 = .failure(error) }
      }
      ended.signal()
    }
    ended.wait()
    try outcome.result.withLock { $0 }.get()
  }
}
