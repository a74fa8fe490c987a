// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Measures the operators of each run of a backend's models with LiteRT's profiler.
///
/// The profiler slows every run down, so measure the time of whole runs with another backend.
package final class OperatorRecorder: Sendable {
  private let times = Mutex(StepTimes())

  package init() {}

  /// Forgets the runs so far, such as those that filled caches.
  package func reset() { times.withLock { $0 = StepTimes() } }

  /// Returns the means of the recorded runs.
  ///
  /// - Parameter plainRuns: The times of runs without the profiler.
  /// - Returns: The times of the operators.
  package func operatorTimes(besides plainRuns: [Duration]) -> OperatorTimes {
    times.withLock { times in
      times.plainRuns = plainRuns
      return times.operatorTimes(with: .xnnpack)
    }
  }

  fileprivate func add(_ events: [LiteRTProfiler.Event], ofRunTaking time: Duration) {
    times.withLock { $0.add(events, ofRunTaking: time) }
  }
}

/// A session whose runs a recorder measures.
final class RecordedSession: Session {
  private let session: LiteRTSession
  private let profiler: LiteRTProfiler
  private let recorder: OperatorRecorder

  init(
    model: LiteRTModel, signature: Int, options: SessionOptions, recorder: OperatorRecorder
  ) throws {
    let compiled = try LiteRTCompiledModel(model.file, options: options, profiling: .xnnpack)
    profiler = try LiteRTProfiler(of: compiled, in: model.library)
    session = try LiteRTSession(model: model, signature: signature, running: compiled)
    self.recorder = recorder
  }

  func run() throws { try record { try session.run() } }

  func run(until token: CancellationToken) throws {
    try record { try session.run(until: token) }
  }

  private func record(_ run: () throws -> Void) throws {
    try profiler.start()
    let time = try ContinuousClock().measure(run)
    try profiler.takeEvents { recorder.add($0, ofRunTaking: time) }
  }

  // MARK: - Everything else is the session's

  func resizeInputs(to shapes: [[Int]]) throws { try session.resizeInputs(to: shapes) }

  func outputShape(at index: Int) -> [Int] { session.outputShape(at: index) }

  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws {
    try session.withInput(at: index, body)
  }

  func setInput(at index: Int, to strings: [Data]) throws {
    try session.setInput(at: index, to: strings)
  }

  func useDefault(forInputAt index: Int) throws { try session.useDefault(forInputAt: index) }

  func reset() throws { try session.reset() }

  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws {
    try session.withOutput(at: index, body)
  }

  func strings(ofOutput index: Int) throws -> [Data] { try session.strings(ofOutput: index) }
}
