// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Observability
public import Logging
public import Metrics
import Synchronization
public import TensorIO
public import Tracing

/// Reports the runs of models to the metrics, the log and the traces of a service.
///
/// ```swift
/// let observer = ServiceObserver(logger: logger)
/// let loader = ModelLoader(backends: [.liteRT], sessions: 2, observer: observer)
/// ```
///
/// The metrics go to the program's `MetricsSystem`. All have the dimension `model`, the `id` in
/// model.json:
///
/// | Metric | Kind | Further dimension |
/// |---|---|---|
/// | `tensorio_runs_total` | counter | `outcome`: `succeeded`, `failed`, `cancelled`, `deadlineExceeded`, `overloaded` |
/// | `tensorio_items_total` | counter of the items of runs that succeeded | |
/// | `tensorio_run_duration_seconds` | timer | `stage`: `load` (of the first runs), `queue`, `decode`, `preprocess`, `inference`, `postprocess`, `total` |
///
/// Runs that failed are logged as errors. Runs that were refused or too late are logged as warnings.
/// With a tracer, each run is a span `tensorio.run` of the caller's trace, with a span for each stage.
public struct ServiceObserver: RunObserver {
  private let logger: Logger?
  private let tracer: (any Tracer)?
  private let factory: (any MetricsFactory)?
  private let instruments = Instruments()

  /// Makes an observer.
  ///
  /// - Parameters:
  ///   - logger: Logs runs without outputs; nil for no log.
  ///   - tracer: Gets a span for each run, such as `InstrumentationSystem.tracer`; nil for none.
  ///   - metrics: Makes the metrics; nil for those of the program's `MetricsSystem`.
  public init(
    logger: Logger? = nil, tracer: (any Tracer)? = nil, metrics: (any MetricsFactory)? = nil
  ) {
    self.logger = logger
    self.tracer = tracer
    factory = metrics
  }

  public func runEnded(_ run: RunEvent) {
    instruments.of(run.model, factory).record(run)
    if let logger { log(run, to: logger) }
    if let tracer { trace(run, with: tracer) }
  }

  private func log(_ run: RunEvent, to logger: Logger) {
    let level: Logger.Level
    switch run.outcome {
    case .succeeded, .cancelled: return
    case .failed: level = .error
    case .deadlineExceeded, .overloaded: level = .warning
    }
    logger.log(
      level: level, "\(run.error.map { "\($0)" } ?? run.outcome.rawValue)",
      metadata: [
        "model": "\(run.model)", "outcome": "\(run.outcome.rawValue)",
        "waited_ms": "\(run.waited.milliseconds)", "total_ms": "\(run.total.milliseconds)",
      ])
  }

  // MARK: - Traces

  private func trace(_ run: RunEvent, with tracer: any Tracer) {
    let end = DefaultTracerClock.now.nanosecondsSinceEpoch
    let start = end - min(end, run.total.nanoseconds)
    let span = tracer.startSpan("tensorio.run", at: Instant(start))
    span.attributes["tensorio.model"] = run.model
    span.attributes["tensorio.outcome"] = run.outcome.rawValue
    span.attributes["tensorio.items"] = run.items
    var begin = start
    for (stage, duration) in run.stages where duration > .zero {
      let part = tracer.startSpan(
        "tensorio.\(stage)", context: span.context, at: Instant(begin))
      begin += duration.nanoseconds
      part.end(at: Instant(begin))
    }
    if let error = run.error {
      span.recordError(error)
      span.setStatus(SpanStatus(code: .error, message: "\(error)"))
    }
    span.end(at: Instant(end))
  }

  /// A moment for a tracer, in nanoseconds since 1970.
  private struct Instant: TracerInstant {
    let nanosecondsSinceEpoch: UInt64

    init(_ nanoseconds: UInt64) { nanosecondsSinceEpoch = nanoseconds }

    static func < (left: Instant, right: Instant) -> Bool {
      left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }
  }
}

extension RunEvent {
  /// The stages that are known, in order, and their durations.
  fileprivate var stages: [(String, Duration)] {
    // Only the first runs of a model wait until it is loaded.
    var stages = (loading > .zero ? [("load", loading)] : []) + [("queue", waited)]
    if let latency {
      stages += [
        ("decode", latency.decode), ("preprocess", latency.preprocess),
        ("inference", latency.inference), ("postprocess", latency.postprocess),
      ]
    }
    return stages
  }
}

extension Duration {
  fileprivate var nanoseconds: UInt64 { UInt64(max(0, milliseconds) * 1e6) }
}

/// The metrics of every model, which are made once.
private final class Instruments: Sendable {
  private let models = Mutex<[String: ModelInstruments]>([:])

  func of(_ model: String, _ factory: (any MetricsFactory)?) -> ModelInstruments {
    models.withLock { models in
      if let known = models[model] { return known }
      let new = ModelInstruments(model, factory ?? MetricsSystem.factory)
      models[model] = new
      return new
    }
  }
}

private final class ModelInstruments: Sendable {
  private let runs: [RunOutcome: Counter]
  private let items: Counter
  private let durations: [String: Timer]

  private static let stages = [
    "load", "queue", "decode", "preprocess", "inference", "postprocess", "total",
  ]

  init(_ model: String, _ factory: any MetricsFactory) {
    let name = [("model", model)]
    runs = Dictionary(
      uniqueKeysWithValues: RunOutcome.allCases.map { outcome in
        let dimensions = name + [("outcome", outcome.rawValue)]
        return (
          outcome,
          Counter(label: "tensorio_runs_total", dimensions: dimensions, factory: factory)
        )
      })
    items = Counter(label: "tensorio_items_total", dimensions: name, factory: factory)
    durations = Dictionary(
      uniqueKeysWithValues: Self.stages.map { stage in
        let dimensions = name + [("stage", stage)]
        return (
          stage,
          Timer(
            label: "tensorio_run_duration_seconds", dimensions: dimensions, factory: factory)
        )
      })
  }

  func record(_ run: RunEvent) {
    runs[run.outcome]?.increment()
    if run.outcome == .succeeded { items.increment(by: run.items) }
    for (stage, duration) in run.stages + [("total", run.total)] {
      durations[stage]?.recordNanoseconds(Int64(clamping: duration.nanoseconds))
    }
  }
}
#endif
