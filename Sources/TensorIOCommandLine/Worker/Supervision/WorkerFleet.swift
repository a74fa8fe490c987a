// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ModelCommands
import ModelTools
import NetRunner
import Synchronization
import TensorIO
import TensorIOIsolation
import WorkerProtocol

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs items in several workers, and replaces those that end.
///
/// What a worker had under way when it ended runs again, each item alone in a new worker, so that the
/// one that ends workers is found and no other is blamed.
final class WorkerFleet: JobRunner {
  let window: Int
  let rows: BulkRowMaker
  /// The members of the first message, made of that of the first worker.
  let description: [String: JSONValue]

  private struct State {
    var workers: [FleetWorker] = []
    var waiting: [Job] = []
    /// Items whose worker ended, and those ends.
    var suspects: [Job] = []
    var ends: [ObjectIdentifier: WorkerEnds] = [:]
    /// The workers in a row that ended before they had loaded the model.
    var failedStarts = 0
    var isOver = false
    weak var service: WorkerService?
  }

  private let count: Int
  /// The number of items that each worker runs at a time.
  private let sessions: Int
  private let arguments: [String]
  /// The time between two messages of a worker; nil if it sends none while it runs an item.
  private let heartbeat: Duration?
  private let looks = DispatchQueue(label: "tensorio.worker.silence")
  private let state: Mutex<State>
  private static let mostFailedStarts = 3
  /// A worker is replaced when so many heartbeats are missing, but not before the least silence.
  private static let mostMissingHeartbeats = 12
  private static let leastSilence = Duration.seconds(5)

  /// Starts the workers, and waits for the first one to load the model.
  ///
  /// - Parameters:
  ///   - count: The number of workers.
  ///   - arguments: The command line of each, after the program's name.
  ///   - heartbeat: The time between two messages of a worker; nil if its silence means nothing.
  /// - Throws: ``StartFailure`` if the first worker can't load the model; `TensorIOError` if no
  ///   process can be started.
  init(count: Int, arguments: [String], heartbeat: Duration?) throws {
    self.count = count
    self.heartbeat = heartbeat
    self.arguments = arguments
    let first = try FleetWorker(arguments)
    let start = FirstStart()
    first.read(onFrame: { start.take($0, $1) }, onEnd: { start.end($0) })
    let (members, workerWindow) = try start.wait()
    guard case .object(let model)? = members["model"], case .string(let id)? = model["id"],
      case .string(let run)? = members["run"],
      let sessions = members["sessions"]?.asNumber.flatMap({ Int(exactly: $0) })
    else { throw StartFailure(ending: .exited(status: 70)) }
    self.sessions = sessions
    window = workerWindow * count
    rows = BulkRowMaker(failuresOfModel: id, run: run)
    description = members.merging([
      "sessions": .number(Double(sessions * count)), "workers": .number(Double(count)),
    ]) { _, new in new }
    first.window = workerWindow
    state = Mutex(State(workers: [first]))
    start.forward(
      frames: { [weak self] in self?.take($0, $1, of: first) },
      end: { [weak self] in self?.ended(first, $0) })
  }

  /// Starts the other workers, which answer through a service.
  func start(for service: WorkerService) {
    state.withLock { state in
      state.service = service
      for _ in 1..<max(count, 1) { startWorker(&state) }
      assign(&state)
    }
    if let heartbeat { watchSilence(every: heartbeat) }
  }

  func begin(_ job: Job) {
    let service = state.withLock { state -> WorkerService? in
      if state.isOver { return state.service }
      state.waiting.append(job)
      assign(&state)
      return nil
    }
    service?.answer(job, failing: ItemFailure("worker_ended", "No worker can be started."))
  }

  func cancel(_ job: Job) -> Bool {
    state.withLock { state in
      remove(job, &state)
      guard let worker = state.workers.first(where: { $0.underWay[job.item.id] === job }) else {
        return true
      }
      // The worker answers, so that its other answers with this id come in a certain order.
      // An identifier that was read can also be written.
      if let frame = try? WorkerRequest.cancelFrame(job.item.id) { worker.send(frame) }
      job.beCancelled()
      return false
    }
  }

  func expire(_ job: Job) {
    state.withLock { state in
      remove(job, &state)
      for worker in state.workers where worker.underWay[job.item.id] === job {
        worker.wasKilled = true
        worker.kill()
      }
    }
  }

  func stop() {
    state.withLock { state in
      state.isOver = true
      for worker in state.workers { worker.kill() }
    }
  }

  private func remove(_ job: Job, _ state: inout State) {
    state.waiting.removeAll { $0 === job }
    state.suspects.removeAll { $0 === job }
    state.ends[ObjectIdentifier(job)] = nil
  }

  // MARK: - Workers

  /// Replaces workers that have stopped, such as by SIGSTOP or in the system.
  ///
  /// This counts looks and not time, because while this process is stopped, it reads no messages.
  private func watchSilence(every heartbeat: Duration) {
    let least = Int((Self.leastSilence / heartbeat).rounded(.up))
    let most = max(Self.mostMissingHeartbeats, least)
    looks.asyncAfter(deadline: .now() + .microseconds(Int(heartbeat.milliseconds * 1000))) {
      [weak self] in
      guard let self else { return }
      let isOver = state.withLock { state in
        for worker in state.workers where worker.isReady {
          worker.silentLooks += 1
          guard worker.silentLooks == most else { continue }
          let time = (heartbeat * most).formatted
          Console.printMessage("A worker said nothing for \(time) and was ended.")
          worker.kill()
        }
        return state.isOver
      }
      if !isOver { watchSilence(every: heartbeat) }
    }
  }

  private func startWorker(_ state: inout State) {
    guard !state.isOver else { return }
    do {
      let worker = try FleetWorker(arguments)
      state.workers.append(worker)
      worker.read(
        onFrame: { [weak self] in self?.take($0, $1, of: worker) },
        onEnd: { [weak self] in self?.ended(worker, $0) })
    } catch {
      giveUp("\(error)", status: 70, &state)
    }
  }

  /// Ends the service, because no worker can be started any more.
  private func giveUp(_ message: String, status: Int32, _ state: inout State) {
    state.isOver = true
    let jobs = state.waiting + state.suspects + state.workers.flatMap { $0.underWay.values }
    for worker in state.workers { worker.kill() }
    let service = state.service
    // The service doesn't call back while it answers, but it must not wait for this lock.
    DispatchQueue(label: "tensorio.worker.end").async {
      service?.stop(because: message, status: status)
      for job in jobs { service?.answer(job, failing: ItemFailure("worker_ended", message)) }
    }
  }

  private func take(_ frame: Frame, _ head: ReplyHead, of worker: FleetWorker) {
    let answered = state.withLock { state -> (Job, WorkerService)? in
      worker.silentLooks = 0
      switch head.type {
      case "ready":
        worker.window = window / count
        state.failedStarts = 0
      case "fault":
        Console.printMessage("A worker can't read its input: \(head.message ?? "")")
      case "row", "outputs", "tensors", "failed":
        guard let id = head.id, let job = worker.underWay.removeValue(forKey: id) else { break }
        worker.order.removeAll { $0 === job }
        worker.isAlone = false
        startClocks(of: worker, state)
        state.ends[ObjectIdentifier(job)] = nil
        assign(&state)
        return state.service.map { (job, $0) }
      default: break
      }
      assign(&state)
      return nil
    }
    if let (job, service) = answered {
      service.answer(job, frame: frame, isFailure: head.error != nil)
    }
  }

  private func ended(_ worker: FleetWorker, _ ending: ProcessEnding) {
    let (given, service) = state.withLock { state -> ([(Job, ItemFailure)], WorkerService?) in
      state.workers.removeAll { $0 === worker }
      guard !state.isOver else { return ([], nil) }
      let jobs = worker.underWay.values.filter { !$0.isAnswered }
        .sorted { $0.index < $1.index }
      for job in jobs { job.stopClock() }
      let failures = worker.wasKilled ? [] : judge(jobs, ending, &state)
      // Nobody suspects the neighbours of an item that took too long.
      if worker.wasKilled { state.waiting = jobs + state.waiting }
      if worker.isReady {
        state.failedStarts = 0
      } else if ending != .exited(status: 0) {
        state.failedStarts += 1
      }
      if state.failedStarts >= Self.mostFailedStarts {
        giveUp(
          "\(Self.mostFailedStarts) workers in a row ended before they had loaded the model, the last "
            + "one with \(ending.text).", status: StartFailure(ending: ending).exitCode, &state)
      } else {
        startWorker(&state)
        assign(&state)
      }
      return (failures, state.service)
    }
    for (job, failure) in given { service?.answer(job, failing: failure) }
  }

  /// Notes the end of a worker for its jobs.
  ///
  /// - Returns: The jobs that don't run again, and why.
  private func judge(
    _ jobs: [Job], _ ending: ProcessEnding, _ state: inout State
  ) -> [(Job, ItemFailure)] {
    var failures: [(Job, ItemFailure)] = []
    for job in jobs {
      var ends = state.ends[ObjectIdentifier(job)] ?? WorkerEnds()
      ends.add(ending)
      state.ends[ObjectIdentifier(job)] = ends
      if job.isCancelled {
        failures.append((job, .cancelled))
      } else if let failure = ends.failure {
        failures.append((job, failure))
      } else {
        state.suspects.append(job)
        continue
      }
      state.ends[ObjectIdentifier(job)] = nil
    }
    return failures
  }

  // MARK: - Jobs

  /// Gives waiting jobs to workers that can take them.
  private func assign(_ state: inout State) {
    // Suspects get the workers that are about to start, so only further ones need an old one's slot.
    var starting = state.workers.count { !$0.isReady || $0.isRetired }
    for worker in state.workers where worker.isReady && !worker.isRetired && !worker.isAlone {
      let isIdle = worker.underWay.isEmpty
      if isIdle, worker.given == 0, !state.suspects.isEmpty {
        worker.isAlone = true
        give(state.suspects.removeFirst(), to: worker, state)
      } else if isIdle, worker.given > 0, starting < state.suspects.count {
        worker.isRetired = true
        worker.endInput()
        starting += 1
      }
    }
    // An idle worker gets an item before another one gets its next.
    while !state.waiting.isEmpty, let worker = Self.leastBusy(of: state.workers) {
      give(state.waiting.removeFirst(), to: worker, state)
    }
  }

  /// Returns the worker with the fewest items among those that take more; nil if none does.
  private static func leastBusy(of workers: [FleetWorker]) -> FleetWorker? {
    workers.filter {
      $0.isReady && !$0.isRetired && !$0.isAlone && $0.underWay.count < $0.window
    }.min { $0.underWay.count < $1.underWay.count }
  }

  private func give(_ job: Job, to worker: FleetWorker, _ state: State) {
    worker.given += 1
    worker.underWay[job.item.id] = job
    worker.order.append(job)
    worker.send(job.item.frame(at: job.index))
    startClocks(of: worker, state)
  }

  /// Starts the clocks of the items that a worker has a free session for.
  ///
  /// An item that waits, also while a worker loads the model, loses no time.
  private func startClocks(of worker: FleetWorker, _ state: State) {
    // All of them are started, although one would be enough to wake the service.
    let started = worker.order.prefix(sessions).map { $0.startClock() }
    if started.contains(true) { state.service?.noteDeadline() }
  }
}

/// The first worker ended before it had loaded the model, and has said why.
struct StartFailure: ReportedError {
  let ending: ProcessEnding

  var message: String { "The first worker couldn't load the model: \(ending.text)." }

  var exitCode: Int32 {
    if case .exited(let status) = ending, status != 0 { status } else { 65 }
  }
}
