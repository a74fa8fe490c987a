// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import TensorIO

/// The profiler of a compiled model that was made for profiling.
struct LiteRTProfiler {
  /// An operator of the file that ran, or a step of a delegate such as XNNPACK.
  struct Event {
    private let event: LiteRtProfiledEvent

    /// Returns nil for other events, such as the runtime's own work.
    fileprivate init?(_ event: LiteRtProfiledEvent) {
      guard [Self.operatorKind, Self.delegateKind].contains(event.kind) else { return nil }
      self.event = event
    }

    private static let operatorKind: Int32 = 2
    private static let delegateKind: Int32 = 8

    var isOfDelegate: Bool { event.kind == Self.delegateKind }
    var name: String { event.tag.map { String(cString: $0) } ?? "?" }
    var node: UInt64 { event.node }
    var graph: UInt64 { event.graph }
    var microseconds: Float { Float(event.elapsed_microseconds) }
  }

  /// The most events of one run, of which a loop can have any number.
  private static let mostEvents = 100_000

  private let functions: LiteRtProfilerFunctions
  private let model: LiteRTCompiledModel
  /// The model owns it.
  private let handle: LiteRtProfiler

  init(of model: LiteRTCompiledModel, in library: LiteRTLibrary) throws {
    functions = try library.profilerFunctions()
    self.model = model
    var handle: LiteRtProfiler?
    let status = functions.CompiledModelGetProfiler(model.handle, &handle)
    guard status == LiteRT.ok, let handle else {
      throw TensorIOError(
        .internalFault, "LiteRT made no profiler for the model: \(LiteRT.name(of: status)).")
    }
    self.handle = handle
  }

  func start() throws { try check(functions.StartProfiler(handle)) }

  /// Calls a closure with the events since the start, and removes them, which also stops the profiler.
  func takeEvents(_ body: ([Event]) -> Void) throws {
    var count: Int32 = 0
    try check(functions.GetNumProfilerEvents(handle, &count))
    guard (0...Self.mostEvents).contains(Int(count)) else {
      throw TensorIOError(
        .unsupportedModel,
        "The model runs \(count) steps at a time, of which at most \(Self.mostEvents) are measured."
      )
    }
    var events = [LiteRtProfiledEvent](repeating: LiteRtProfiledEvent(), count: Int(count))
    if count > 0 { try check(functions.GetProfilerEvents(handle, count, &events)) }
    // The names are the profiler's, so they are read before it is reset.
    body(events.compactMap(Event.init))
    try check(functions.ResetProfiler(handle))
  }

  private func check(_ status: LiteRtStatus) throws {
    guard status == LiteRT.ok else {
      throw TensorIOError(
        .inferenceFailed, "LiteRT's profiler failed: \(LiteRT.name(of: status)).")
    }
  }
}
