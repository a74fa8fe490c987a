// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import NetRunner
import Synchronization
import TensorIO
import WorkerProtocol

/// An item that a worker has read and not answered yet.
final class Job: Sendable {
  let item: WorkerItem
  /// The row's index.
  let index: Int
  /// The most time for the item; nil for no limit.
  let limit: Duration?
  private let started = Mutex<ContinuousClock.Instant?>(nil)
  private let answered = Atomic(false)
  private let cancelled = Atomic(false)

  init(_ item: WorkerItem, index: Int, limit: Duration?) {
    self.item = item
    self.index = index
    self.limit = limit
  }

  /// When the item's time is over; nil if it has no limit, or if its clock doesn't run.
  var deadline: ContinuousClock.Instant? {
    guard let limit else { return nil }
    return started.withLock { $0.map { $0 + limit } }
  }

  /// Starts the item's clock, unless it runs.
  ///
  /// - Returns: Whether there is a new deadline.
  func startClock() -> Bool {
    guard limit != nil else { return false }
    return started.withLock { time in
      guard time == nil else { return false }
      time = ContinuousClock.now
      return true
    }
  }

  /// Stops the item's clock, because the item waits for another worker.
  func stopClock() { started.withLock { $0 = nil } }

  var isAnswered: Bool { answered.load(ordering: .acquiring) }

  /// Notes that the item is answered.
  ///
  /// - Returns: Whether it wasn't answered before.
  func beAnswered() -> Bool { !answered.exchange(true, ordering: .acquiringAndReleasing) }

  /// Whether its worker was told to cancel it.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  func beCancelled() { cancelled.store(true, ordering: .releasing) }

  /// The sample of the item's row, whose source only tells what kind it is.
  var sample: Sample {
    let name = item.shownName
    let source: ImageSource =
      switch item.source {
      case .path(let path): .file(path)
      case .url(let address): .url(address)
      case .file, .value, .tensors, .failure: .bytes([], name: name)
      }
    return Sample(id: name, source: source)
  }

  /// Returns the answer for a failure: a row with the error if a row was asked for.
  func reply(failing failure: ItemFailure, rows: BulkRowMaker) throws -> WorkerReply {
    // A parent that cancels an item doesn't want a row of it.
    guard item.form == .row, failure != .cancelled else { return .failed(item.id, failure) }
    let error = TensorIOError(TensorIOError.Code(rawValue: failure.code), failure.message)
    return .row(item.id, try rows.row(failing: error, sample, at: index).line(), failure)
  }
}

extension ItemFailure {
  static let cancelled = ItemFailure("cancelled", "The item was cancelled.")
}

/// Runs the items that a worker reads.
protocol JobRunner: AnyObject, Sendable {
  /// The most items that should be under way.
  var window: Int { get }

  /// Makes the rows of items without a result.
  var rows: BulkRowMaker { get }

  /// Begins with a job, and answers it later; it doesn't wait.
  ///
  /// It starts the job's clock as soon as the job can run, and then has the service note the deadline.
  func begin(_ job: Job)

  /// Gives up a job that was cancelled.
  ///
  /// - Returns: Whether nobody else answers it.
  func cancel(_ job: Job) -> Bool

  /// Gives up a job that was answered, because its time is over.
  func expire(_ job: Job)

  /// Ends when all jobs are answered.
  func stop()
}
