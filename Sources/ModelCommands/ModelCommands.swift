// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Dispatch
import Synchronization
package import TensorIO

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
  package static let metadata: any ParsableCommand.Type = MetadataCommand.self
  package static let parity: any ParsableCommand.Type = ParityCommand.self
}

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

/// An error that is reported in one sentence, without the usage text.
package protocol ReportedError: Error {
  /// The message for users.
  var message: String { get }
  /// The exit code, which shows a script what kind of failure it was.
  var exitCode: Int32 { get }
}

extension TensorIOError: ReportedError {
  /// Returns an error of the same kind that says more, with this one as its cause.
  package func saying(before: String = "", after: String = "") -> TensorIOError {
    TensorIOError(code, before + message + after, cause: self)
  }

  /// The paths where a missing library was searched, line by line; nil for any other error.
  package var searchedPlaces: String? {
    guard code == .missingLibrary else { return nil }
    var cause = self.cause
    while let error = cause as? TensorIOError { cause = error.cause }
    // If there is a single path, the message has it already.
    return cause.map { "\($0)" }.flatMap { $0.split(separator: "\n").count > 2 ? $0 : nil }
  }

  package var exitCode: Int32 {
    switch code {
    case .fileNotFound: 66
    case .missingLibrary: 69
    case .fileExists, .invalidOption: 64
    case .internalFault: 70
    default: 65
    }
  }
}

extension ParsableArguments {
  /// Checks the value of an option, and throws a usage error if it is wrong.
  package func checkUsage(_ isRight: Bool, _ message: @autoclosure () -> String) throws {
    if !isRight { throw ValidationError(message()) }
  }
}
