// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import HTTPTypes
import NetRunner
import Synchronization
import TensorIO

/// The evaluations that clients began: one runs, others wait, and the last ones are kept.
final class EvaluationStore: Sendable {
  /// How many evaluations are kept, those that wait among them.
  static let maximumCount = 32
  /// How many rows an evaluation may have: all of them stay in memory.
  static let maximumRows = 100_000
  /// How many rows all of them may have.
  private static let maximumRowsInAll = 200_000

  private let backends: [any Backend]
  private let tool: ToolRecord
  private let libraries: @Sendable ([ModelBundle]) -> [String: String]
  /// A serial queue has a thread of its own while it works.
  private let thread = DispatchQueue(label: "tensorio.web.evaluations")
  private let jobs = Mutex<[EvaluationJob]>([])

  /// Makes a store.
  ///
  /// - Parameter options: The runtimes, and what reports say of the program.
  init(_ options: NetRunnerOptions) {
    backends = options.backends
    tool = ToolRecord(version: options.version)
    libraries = options.libraries
  }

  deinit { end() }

  /// All evaluations, the newest first.
  var all: [EvaluationJob] { jobs.withLock { $0.reversed() } }

  /// Begins an evaluation, or lets it wait; the oldest ended ones are forgotten where there are too
  /// many.
  ///
  /// - Throws: ``WebError`` where too many wait.
  func add(_ job: EvaluationJob) throws {
    try jobs.withLock { jobs in
      while jobs.count >= Self.maximumCount
        || jobs.reduce(job.rowCount, { $0 + $1.rowCount }) > Self.maximumRowsInAll
      {
        guard let oldest = jobs.firstIndex(where: { $0.phase.hasEnded }) else {
          throw WebError.tooBusy
        }
        jobs.remove(at: oldest)
      }
      jobs.append(job)
    }
    thread.async { [backends, tool, libraries] in
      job.evaluate(with: backends, by: tool, libraries: libraries)
    }
  }

  /// An evaluation.
  ///
  /// - Throws: ``WebError`` when there is none, or none any more.
  func job(_ id: String) throws -> EvaluationJob {
    guard let job = jobs.withLock({ $0.first { $0.id == id } }) else {
      throw WebError(
        status: .notFound, code: "evaluation_not_found",
        message: "There is no evaluation '\(id.prefix(100))'; the oldest ones are forgotten.")
    }
    return job
  }

  /// Cancels an evaluation that goes on; forgets one that ended.
  ///
  /// - Throws: ``WebError`` when there is none.
  func delete(_ id: String) throws {
    let job = try job(id)
    guard job.phase.hasEnded else { return job.cancel() }
    jobs.withLock { $0.removeAll { $0.id == id } }
  }

  /// Cancels all.
  func end() {
    for job in all { job.cancel() }
  }
}
#endif
