// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A session of a model in another process.
///
/// When that process ends, the current run throws an error. The next run starts another process,
/// which gets the same shapes. After a model has ended three processes in a row, it is not run for a
/// while, so that a model that always ends its process doesn't keep the machine busy.
final class IsolatedSession: Session {
  private let model: IsolatedModel
  private let signature: SignatureDescription
  /// Ends every run.
  private let cancellation: CancellationToken?
  private var worker: WorkerProcess?
  private var layout = SessionLayout(inputs: [], outputs: [])
  /// The shapes that were requested last.
  private var shapes: [[Int]]?
  private var hasAnswered = false
  private var faultsInARow = 0
  /// When the model may run again, after too many faults in a row.
  private var restsUntil: ContinuousClock.Instant?

  private static let mostFaultsInARow = 3
  /// How often the time for which a model isn't run is doubled, at most.
  private static let mostDoublings = 5

  init(
    _ model: IsolatedModel, _ signature: SignatureDescription, taking worker: WorkerProcess?,
    cancellation: CancellationToken?
  ) throws {
    self.model = model
    self.signature = signature
    self.cancellation = cancellation
    self.worker = worker
    try open(worker ?? WorkerProcess.load(model.address, model.options).process)
  }

  // MARK: - Session

  func resizeInputs(to shapes: [[Int]]) throws {
    try take(ask(.resizeInputs(shapes)))
    self.shapes = shapes
  }

  func reset() throws { _ = try ask(.reset) }

  func outputShape(at index: Int) -> [Int] { layout.outputs[index].shape }

  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws {
    var span = try running().memory.bytes(layout.inputs[index].range).mutableBytes
    try body(&span)
  }

  func setInput(at index: Int, to strings: [Data]) throws {
    _ = try ask(.setStrings(input: index, strings))
  }

  func useDefault(forInputAt index: Int) throws { _ = try ask(.useDefault(input: index)) }

  func run() throws { try run(untilOneOf: []) }

  /// Runs the model, and ends its process if the token is cancelled.
  func run(until token: CancellationToken) throws { try run(untilOneOf: [token]) }

  private func run(untilOneOf tokens: [CancellationToken]) throws {
    let reply = try ask(nil, untilOneOf: tokens)
    faultsInARow = 0
    hasAnswered = true
    if reply != nil { try take(reply) }
  }

  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws {
    let bytes = try running().memory.bytes(layout.outputs[index].range)
    try body(UnsafeRawBufferPointer(bytes).bytes)
  }

  func strings(ofOutput index: Int) throws -> [Data] {
    guard case .strings(let strings) = try ask(.readStrings(output: index)) else {
      throw unexpected
    }
    return strings
  }

  // MARK: - The process

  /// Returns the process, after starting a new one if the last one has ended.
  private func running() throws -> WorkerProcess {
    if let worker { return worker }
    if let restsUntil, restsUntil > .now {
      let seconds = ((restsUntil - .now) / .seconds(1)).rounded(.up)
      throw TensorIOError(
        .processEnded,
        "The model '\(model.address.path)' ended \(faultsInARow) processes in a row, and isn't "
          + "run for the next \(Int(seconds)) seconds. If this goes on, convert or download the model "
          + "again.")
    }
    let worker = try WorkerProcess.load(model.address, model.options).process
    try open(worker)
    return worker
  }

  private func noteFault() {
    faultsInARow += 1
    let doublings = min(faultsInARow - Self.mostFaultsInARow, Self.mostDoublings)
    guard doublings >= 0 else { return }
    restsUntil = .now + .seconds(model.options.restSeconds * Double(1 << doublings))
  }

  private func open(_ worker: WorkerProcess) throws {
    self.worker = worker
    try take(ask(.makeSession(signature)))
    if let shapes { try take(ask(.resizeInputs(shapes))) }
  }

  private func ask(
    _ request: WorkerRequest?, untilOneOf tokens: [CancellationToken] = []
  ) throws -> WorkerReply? {
    let worker = try running()
    let seconds = hasAnswered ? model.options.runSeconds : model.options.firstAnswerSeconds
    do {
      return try worker.ask(
        request, within: seconds, cancellation: (cancellation.map { [$0] } ?? []) + tokens)
    } catch let error as TensorIOError {
      if !worker.isRunning {
        self.worker = nil
        if error.code != .cancelled { noteFault() }
      }
      throw error
    }
  }

  /// Uses the layout of the tensors in a reply.
  private func take(_ reply: WorkerReply?) throws {
    guard case .layout(let layout) = reply, let worker else { throw unexpected }
    guard layout.inputs.count == signature.inputs.count,
      layout.outputs.count == signature.outputs.count, layout.isPossible
    else { throw unexpected }
    try worker.memory.reserve(layout.byteCount + SessionLayout.slack)
    self.layout = layout
  }

  private var unexpected: TensorIOError {
    TensorIOError(
      .internalFault, "The process of '\(model.address.path)' gave a response that doesn't fit.")
  }
}
