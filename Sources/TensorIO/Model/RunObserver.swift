// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Is told about every run of a model, such as for the metrics of a service.
///
/// Training steps aren't reported.
///
/// Give an observer to a ``ModelLoader``. It is called by the thread or the task that asked for the
/// run, after the run has ended, so it should return quickly.
public protocol RunObserver: Sendable {
  /// Takes a run that has ended.
  func runEnded(_ run: RunEvent)
}

/// A run that has ended.
public struct RunEvent: Sendable {
  /// The `id` of the model in model.json.
  public var model: String
  /// The number of items that the run was asked for.
  public var items: Int
  /// How the run ended.
  public var outcome: RunOutcome
  /// How long the run waited until the model was loaded, or zero if it was.
  public var loading: Duration
  /// How long the run waited for a session after that.
  public var waited: Duration
  /// How long its parts took, including the decoding of an image's file; nil for a run that didn't
  /// succeed, or of a batch.
  public var latency: RunLatency?
  /// How long it took from the request to the answer.
  public var total: Duration
  /// Why the run has no outputs.
  public var error: (any Error)?
}

/// How a run ended.
public enum RunOutcome: String, Sendable, CaseIterable {
  /// It has outputs.
  case succeeded
  /// The inputs didn't fit, or the model failed.
  case failed
  /// Its task was cancelled.
  case cancelled
  /// It didn't end by its deadline.
  case deadlineExceeded
  /// Too many runs waited already.
  case overloaded

  /// Finds the outcome of a run that threw an error.
  init(of error: any Error) {
    if error is CancellationError {
      self = .cancelled
      return
    }
    switch (error as? TensorIOError)?.code {
    case .cancelled: self = .cancelled
    case .deadlineExceeded: self = .deadlineExceeded
    case .overloaded: self = .overloaded
    default: self = .failed
    }
  }
}

/// What a model's sessions do, and how its runs have ended since it was made.
public struct RunStatistics: Sendable, Hashable {
  /// The number of sessions; 0 if the model isn't loaded.
  public var sessions = 0
  /// The number of sessions that run the model, also for runs that nobody waits for any more.
  public var running = 0
  /// The number of runs that wait for a session.
  public var waiting = 0
  /// The number of runs that ended in each way.
  public var outcomes: [RunOutcome: Int] = [:]
}

/// Counts the runs of a model.
final class RunCounters: Sendable {
  private let succeeded = Atomic(0)
  private let failed = Atomic(0)
  private let cancelled = Atomic(0)
  private let deadlineExceeded = Atomic(0)
  private let overloaded = Atomic(0)

  @inline(__always)
  func addSuccess() { succeeded.add(1, ordering: .relaxed) }

  func add(_ outcome: RunOutcome) {
    switch outcome {
    case .succeeded: addSuccess()
    case .failed: failed.add(1, ordering: .relaxed)
    case .cancelled: cancelled.add(1, ordering: .relaxed)
    case .deadlineExceeded: deadlineExceeded.add(1, ordering: .relaxed)
    case .overloaded: overloaded.add(1, ordering: .relaxed)
    }
  }

  var counts: [RunOutcome: Int] {
    [
      .succeeded: succeeded.load(ordering: .relaxed), .failed: failed.load(ordering: .relaxed),
      .cancelled: cancelled.load(ordering: .relaxed),
      .deadlineExceeded: deadlineExceeded.load(ordering: .relaxed),
      .overloaded: overloaded.load(ordering: .relaxed),
    ]
  }
}
