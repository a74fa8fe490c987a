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

/// Runs the evaluations that clients start, one at a time, and keeps the most recent ones.
final class EvaluationStore: Sendable {
  /// The maximum number of evaluations to keep, including those that wait.
  static let maximumCount = 32
  /// The maximum number of rows of one evaluation, all of which stay in memory.
  static let maximumRows = 100_000
  /// The maximum number of rows of all evaluations together.
  private static let maximumRowsInAll = 200_000

  private let options: NetRunnerOptions
  private let rowLimit: Int
  /// The queue that runs evaluations, which has its own thread while it works because it is serial.
  private let thread = DispatchQueue(label: "tensorio.web.evaluations")
  private let jobs = Mutex<[EvaluationJob]>([])

  init(_ options: NetRunnerOptions, rowLimit: Int = maximumRowsInAll) {
    self.options = options
    self.rowLimit = rowLimit
  }

  deinit { end() }

  /// All evaluations, newest first.
  var all: [EvaluationJob] { jobs.withLock { $0.reversed() } }

  /// Adds an evaluation, which runs when those before it have ended.
  ///
  /// If there are too many, the oldest ones that have ended are removed. If that isn't enough, none is
  /// removed.
  ///
  /// - Throws: ``WebError/tooBusy`` if there is no room.
  func add(_ job: EvaluationJob) throws {
    try jobs.withLock { jobs in
      var kept = jobs
      while kept.count >= Self.maximumCount
        || kept.reduce(job.rowCount, { $0 + $1.rowCount }) > rowLimit
      {
        guard let oldest = kept.firstIndex(where: { $0.phase.hasEnded }) else {
          throw WebError.tooBusy
        }
        kept.remove(at: oldest)
      }
      jobs = kept + [job]
    }
    thread.async { [options] in job.evaluate(options) }
  }

  func job(_ id: String) throws -> EvaluationJob {
    guard let job = jobs.withLock({ $0.first { $0.id == id } }) else {
      throw WebError.noJob("evaluation", id)
    }
    return job
  }

  /// Cancels an evaluation.
  ///
  /// It keeps its results. One that has ended stays as it is.
  func cancel(_ id: String) throws { try job(id).cancel() }

  /// Cancels an evaluation that hasn't ended, or removes one that has.
  func delete(_ id: String) throws {
    let job = try job(id)
    guard job.phase.hasEnded else { return job.cancel() }
    jobs.withLock { $0.removeAll { $0.id == id } }
  }

  func end() {
    for job in all { job.cancel() }
  }
}

extension WebError {
  /// An error for an evaluation or an import that never existed, or that was removed.
  static func noJob(_ kind: String, _ id: String) -> WebError {
    WebError(
      status: .notFound, code: kind + "_not_found",
      message: "There is no \(kind) '\(id.prefix(100))'. The server keeps only the most recent "
        + "ones.")
  }
}
#endif
