// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import NetRunner
import Synchronization
import TensorIO

/// An evaluation that waits for its turn, runs, and keeps its results in memory.
final class EvaluationJob: Sendable {
  enum Phase: String, Sendable {
    case queued, running, done, failed, cancelled

    var hasEnded: Bool { self != .queued && self != .running }
  }

  /// The results so far.
  struct State: Sendable {
    var phase = Phase.queued
    var progress: EvaluationProgress
    var rows: [ResultRow] = []
    var drawings = RowDrawings()
    var report: EvaluationReport?
    /// The report as it appears in the API, without its rows.
    var document: JSONValue?
    var error: WebError?
    /// Keeps the upload from being deleted while the evaluation needs it.
    fileprivate var use: UploadLease?
    fileprivate var isOver = false
  }

  let id = UUID().uuidString.lowercased()
  let started = Date.now
  let request: EvaluationRequest
  let run: EvaluationRun
  let location: DatasetLocation
  private let bundles: [ModelBundle]
  private let state: Mutex<State>

  init(
    _ request: EvaluationRequest, location: DatasetLocation, run: EvaluationRun,
    bundles: [ModelBundle]
  ) {
    self.request = request
    self.run = run
    self.bundles = bundles
    var state = State(
      progress: EvaluationProgress(
        models: bundles.map(\.manifest.id), images: run.dataset.samples.count))
    state.use = location.use
    self.state = Mutex(state)
    var location = location
    location.use = nil
    self.location = location
  }

  /// The number of rows when the evaluation is complete.
  var rowCount: Int { bundles.count * run.dataset.samples.count }
  var phase: Phase { state.withLock { $0.phase } }
  /// Calls a closure with the current results, while other threads wait for them.
  func withState<Result>(_ body: (State) throws -> Result) rethrows -> Result {
    try state.withLock { try body($0) }
  }

  /// Ends the evaluation early, keeping the results so far.
  func cancel() {
    let use = state.withLock { state -> UploadLease? in
      state.isOver = true
      guard state.phase == .queued else { return nil }
      state.phase = .cancelled
      return state.endUse()
    }
    // Release the lease outside of the lock, because this can delete the upload.
    withExtendedLifetime(use) {}
  }

  /// Runs the evaluation, blocking the calling thread until it ends.
  func evaluate(_ options: NetRunnerOptions) {
    let isBegun = state.withLock { state in
      guard state.phase == .queued else { return false }
      state.phase = .running
      return true
    }
    guard isBegun else { return }
    do {
      let runtimes = options.makeEvaluationRuntimes?() ?? options.runtimes
      var report = try run.evaluate(
        bundles, with: runtimes.backends, by: ToolRecord(version: options.version),
        libraries: options.libraries(bundles),
        until: { state.withLock { $0.isOver } }, onProgress: note)
      let accelerators = bundles.compactMap { bundle in
        bundle.modelPath.flatMap(runtimes.accelerator).map { accelerator in
          let reason = accelerator.reason.map { " (\($0))" } ?? ""
          return (bundle.manifest.id, accelerator.name + reason)
        }
      }
      if !accelerators.isEmpty {
        report.environment.accelerators = Dictionary(accelerators) { first, _ in first }
      }
      try finish(report)
    } catch {
      fail(error)
    }
    let use = state.withLock { $0.endUse() }
    withExtendedLifetime(use) {}
  }

  private func note(_ progress: EvaluationRun.Progress) {
    state.withLock { state in
      var row = progress.row
      state.drawings.take(from: &row)
      state.rows.append(row)
      state.progress.add(progress, at: .now)
    }
  }

  private func finish(_ report: EvaluationReport) throws {
    var report = report
    for index in report.models.indices {
      let path = report.models[index].model.path
      report.models[index].model.path = FileSystem.name(of: path)
    }
    let (progress, isOver) = state.withLock { ($0.progress, $0.isOver) }
    let isWhole = progress.remaining == 0
    if !isWhole {
      let all = counted(run.dataset.samples.count, "image")
      let counts = progress.models.map { "\($0.done) of \(all) with '\($0.id)'" }
      report.dataset.notes.append("cancelled: evaluated \(counts.joined(separator: ", "))")
    }
    var summary = report
    summary.results = []
    guard case .object(var members) = try JSONValue(parsing: Data(summary.json().utf8)) else {
      throw TensorIOError(.internalFault, "The report isn't a JSON object.")
    }
    members["results"] = nil
    let document = JSONValue.object(members)
    state.withLock { state in
      state.report = report
      state.document = document
      state.phase = isOver && !isWhole ? .cancelled : .done
    }
  }

  private func fail(_ error: any Error) {
    state.withLock { state in
      if state.isOver, (error as? TensorIOError)?.code == .cancelled {
        state.phase = .cancelled
        return
      }
      state.error =
        (error as? TensorIOError).map { WebError($0.naming(location.confinedFolder.shown)) }
        ?? WebError(status: .internalServerError, code: "internal_error", message: "\(error)")
      state.phase = .failed
    }
  }

  /// Returns the path of an image's file, by the image's index in the dataset.
  func image(at index: Int) throws -> String {
    guard let position = run.dataset.indices.firstIndex(of: index),
      case .file(let path) = run.dataset.samples[position].source,
      let real = location.confinedFolder.confinedPath(of: path), real == path
    else {
      throw WebError(
        status: .notFound, code: "picture_not_found",
        message: "The evaluation has no image \(index), or its file no longer exists.")
    }
    return path
  }
}

extension EvaluationJob.State {
  fileprivate mutating func endUse() -> UploadLease? {
    defer { use = nil }
    return use
  }
}

/// The progress of an evaluation, and its speed.
struct EvaluationProgress: Sendable {
  struct Model: Sendable, Encodable {
    let id: String
    var done = 0
    let count: Int
    var failed = 0

    private enum CodingKeys: String, CodingKey {
      case id = "model"
      case done, count, failed
    }
  }

  private(set) var models: [Model]
  private var start: (instant: ContinuousClock.Instant, done: Int)?
  private var end: ContinuousClock.Instant?

  /// The shortest time to compute a rate from, because shorter times are unreliable.
  private static let leastTime = Duration.milliseconds(200)

  init(models: [String], images: Int) {
    self.models = models.map { Model(id: $0, count: images) }
  }

  /// The number of completed rows.
  var done: Int { models.reduce(0) { $0 + $1.done } }
  /// The number of remaining rows.
  var remaining: Int { models.reduce(0) { $0 + $1.count - $1.done } }

  mutating func add(_ progress: EvaluationRun.Progress, at instant: ContinuousClock.Instant) {
    guard let index = models.firstIndex(where: { $0.id == progress.model }) else { return }
    models[index].done = progress.done
    models[index].failed = progress.failed
    // Measure from the first row, because the time before it is spent on loading.
    if start == nil { start = (instant, done) }
    end = instant
  }

  /// Images per second over all models, or nil if it can't be estimated yet.
  var rate: Double? {
    guard let start, let end else { return nil }
    let time = start.instant.duration(to: end)
    guard time >= Self.leastTime, done > start.done else { return nil }
    return Double(done - start.done) / (time / .seconds(1))
  }

  /// The estimated number of seconds until the end, or nil if it can't be estimated yet.
  var secondsLeft: Double? { rate.map { Double(remaining) / $0 } }
}
#endif
