// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import NetRunner
import Synchronization
import TensorIO
import WorkerProtocol

/// Runs items in the sessions of a model, each on a thread of its own.
final class SessionRunner: JobRunner {
  let window: Int

  private struct State {
    var waiting: [Job] = []
    var running = 0
    weak var service: WorkerService?
  }

  private let work: ItemWork
  private let sessions: Int
  private let state = Mutex(State())
  private let available = DispatchSemaphore(value: 0)

  /// Makes a runner that is idle until ``start(for:)``.
  ///
  /// - Parameters:
  ///   - work: The model.
  ///   - sessions: How many items are run at once.
  ///   - ahead: How many more items than a next one for each session may wait.
  init(_ work: ItemWork, sessions: Int, ahead: Int) {
    self.work = work
    self.sessions = sessions
    // While a session is busy, its next item is read.
    window = sessions * 2 + ahead
  }

  var rows: BulkRowMaker { work.rows }

  /// Whether a session still runs an item that was given up.
  var isBusy: Bool { state.withLock { $0.running > 0 } }

  /// Starts the threads, which answer through a service.
  func start(for service: WorkerService) {
    state.withLock { $0.service = service }
    for number in 0..<sessions {
      DispatchQueue(label: "tensorio.worker.session.\(number)").async { self.runOnThread() }
    }
  }

  func begin(_ job: Job) {
    let service = state.withLock { state in
      state.waiting.append(job)
      return state.service
    }
    // Nothing ends a run that takes too long, so an item that waits for it must not wait forever.
    if job.startClock() { service?.noteDeadline() }
    available.signal()
  }

  func cancel(_ job: Job) -> Bool {
    expire(job)
    return true
  }

  func expire(_ job: Job) { state.withLock { state in state.waiting.removeAll { $0 === job } } }

  func stop() {}

  private func runOnThread() {
    while true {
      available.wait()
      // A job that was given up leaves one wake-up too many.
      guard
        let (job, service) = state.withLock({ state -> (Job, WorkerService)? in
          guard let service = state.service, !state.waiting.isEmpty else { return nil }
          state.running += 1
          return (state.waiting.removeFirst(), service)
        })
      else { continue }
      let reply = work.reply(to: job)
      // The session is free before the parent knows the answer.
      state.withLock { $0.running -= 1 }
      service.answer(job, reply)
    }
  }
}
