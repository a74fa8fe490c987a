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

/// An evaluation: it waits, runs, and keeps what came of it in memory.
final class EvaluationJob: Sendable {
  /// What becomes of it.
  enum Phase: String, Sendable {
    case queued, running, done, failed, cancelled

    var hasEnded: Bool { self != .queued && self != .running }
  }

  /// What is known so far.
  struct State: Sendable {
    var phase = Phase.queued
    var progress: EvaluationProgress
    var rows: [ResultRow] = []
    var report: EvaluationReport?
    /// The report as clients get it, without its rows.
    var document: JSONValue?
    var error: WebError?
    /// Keeps the upload while the evaluation needs it.
    fileprivate var use: UploadLease?
    fileprivate var isOver = false
  }

  let id = UUID().uuidString.lowercased()
  let started = Date.now
  let request: EvaluationRequest
  let run: EvaluationRun
  private let place: DatasetPlace
  private let bundles: [ModelBundle]
  private let state: Mutex<State>

  /// Prepares an evaluation.
  ///
  /// - Parameters:
  ///   - request: What was asked for.
  ///   - place: Where the pictures lie.
  ///   - run: The pictures, and how they are run.
  ///   - bundles: The models.
  init(
    _ request: EvaluationRequest, place: DatasetPlace, run: EvaluationRun, bundles: [ModelBundle]
  ) {
    self.request = request
    self.run = run
    self.bundles = bundles
    var state = State(
      progress: EvaluationProgress(
        models: bundles.map(\.manifest.id), pictures: run.dataset.samples.count))
    state.use = place.use
    self.state = Mutex(state)
    var place = place
    place.use = nil
    self.place = place
  }

  /// How many rows there are at its end.
  var rowCount: Int { bundles.count * run.dataset.samples.count }
  /// What is known now.
  var current: State { state.withLock { $0 } }
  /// What becomes of it, as it is known now.
  var phase: Phase { state.withLock { $0.phase } }
  /// Calls a closure with what is known now; others wait for it.
  func withState<Result>(_ body: (State) throws -> Result) rethrows -> Result {
    try state.withLock { try body($0) }
  }

  /// Ends it early; what is done stays.
  func cancel() {
    let use = state.withLock { state -> UploadLease? in
      state.isOver = true
      guard state.phase == .queued else { return nil }
      state.phase = .cancelled
      return state.endUse()
    }
    // Not under the lock: the end of a use can delete an upload.
    withExtendedLifetime(use) {}
  }

  /// Evaluates, and blocks until it is over.
  func evaluate(
    with backends: [any Backend], by tool: ToolRecord,
    libraries: ([ModelBundle]) -> [String: String]
  ) {
    let isBegun = state.withLock { state in
      guard state.phase == .queued else { return false }
      state.phase = .running
      return true
    }
    guard isBegun else { return }
    do {
      let report = try run.evaluate(
        bundles, with: backends, by: tool, libraries: libraries(bundles),
        until: { state.withLock { $0.isOver } }, onProgress: note)
      try finish(report)
    } catch {
      fail(error)
    }
    let use = state.withLock { $0.endUse() }
    withExtendedLifetime(use) {}
  }

  private func note(_ progress: EvaluationRun.Progress) {
    let row = cleaned(progress.row)
    state.withLock { state in
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
      let counts = progress.models.map { "\($0.done) with '\($0.id)'" }.joined(separator: ", ")
      let all = counted(run.dataset.samples.count, "picture")
      report.dataset.notes.append("cancelled: of \(all) \(counts)")
    }
    var summary = report
    summary.results = []
    guard case .object(var members) = try JSONValue(parsing: Data(summary.json().utf8)) else {
      throw TensorIOError(.internalFault, "A report is no object.")
    }
    members["results"] = nil
    let document = JSONValue.object(members)
    state.withLock { state in
      // They are the same, without the server's paths.
      report.results = state.rows
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
      var failure =
        (error as? TensorIOError).map { WebError($0) }
        ?? WebError(status: .internalServerError, code: "internal_error", message: "\(error)")
      failure.message = cleaned(failure.message)
      state.error = failure
      state.phase = .failed
    }
  }

  private func cleaned(_ row: ResultRow) -> ResultRow {
    guard let description = row.errorDescription else { return row }
    var row = row
    row.errorDescription = cleaned(description)
    return row
  }

  /// A message without the server's own paths.
  func cleaned(_ message: String) -> String {
    bundles.reduce(place.cleaned(message)) { message, bundle in
      message.replacing(bundle.path, with: FileSystem.name(of: bundle.path))
    }
  }

  /// The file of a picture.
  ///
  /// - Parameter index: Its place in the dataset.
  /// - Returns: Its path.
  /// - Throws: ``WebError`` where there is none, or not any more.
  func picture(at index: Int) throws -> String {
    guard let position = run.dataset.indices.firstIndex(of: index),
      case .file(let path) = run.dataset.samples[position].source,
      let real = place.confinedFolder.place(of: path), real == path
    else {
      throw WebError(
        status: .notFound, code: "picture_not_found",
        message: "The evaluation has no picture \(index), or it is not there any more.")
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
#endif
