// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Observability
import Foundation
import InMemoryTracing
import Logging
import MetricsTestKit
import Synchronization
import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT
import TensorIOObservability
import TestSupport
import Testing
import Tracing

@Suite struct ServiceObserverTests {
  private static let bundle = Python.root.appending(path: "Demo/digits.tiobundle").path
  private static let photo = Python.root.appending(path: "Demo/images/digit-7-01.png").path

  private let metrics = TestMetrics()
  private let tracer = InMemoryTracer()
  private let lines = Lines()

  /// Keeps what is logged.
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  private struct LineHandler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let outcome = event.metadata?["outcome"].map { "\($0)" } ?? ""
      lines.all.withLock { $0.append("\(event.level) \(outcome): \(event.message)") }
    }
  }

  private func model() throws -> InferenceModel {
    let lines = lines
    let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
    let observer = ServiceObserver(logger: logger, tracer: tracer, metrics: metrics)
    return try InferenceModel(
      at: Self.bundle, loader: ModelLoader(backends: [.liteRT], observer: observer))
  }

  private func count(_ outcome: String, _ model: String) throws -> Int64 {
    try metrics.expectCounter("tensorio_runs_total", [("model", model), ("outcome", outcome)])
      .totalValue
  }

  @Test func `runs are counted, timed, traced and logged`() async throws {
    let model = try model()
    let id = model.bundle.manifest.id
    for _ in 0..<3 { _ = try await model.run(ImageFile(Self.photo)) }
    await #expect(throws: TensorIOError.self) { try await model.run(ImageFile("no such file")) }
    await #expect(throws: TensorIOError.self) {
      try await model.run(ImageFile(Self.photo), deadline: .now)
    }
    #expect(try count("succeeded", id) == 3)
    #expect(try count("failed", id) == 1)
    #expect(try count("deadlineExceeded", id) == 1)
    #expect(try count("overloaded", id) == 0)
    #expect(try metrics.expectCounter("tensorio_items_total", [("model", id)]).totalValue == 3)
    for stage in ["queue", "decode", "preprocess", "inference", "postprocess", "total"] {
      let timer = try metrics.expectTimer(
        "tensorio_run_duration_seconds", [("model", id), ("stage", stage)])
      let isKnownForAll = stage == "queue" || stage == "total"
      #expect(timer.values.count == (isKnownForAll ? 5 : 3), "\(stage)")
      #expect(timer.values.allSatisfy { $0 >= 0 })
    }
    let decode = try metrics.expectTimer(
      "tensorio_run_duration_seconds", [("model", id), ("stage", "decode")])
    #expect(decode.values.allSatisfy { $0 > 0 })
    let logged = lines.all.withLock { $0 }
    #expect(logged.count == 2)
    #expect(logged[0].hasPrefix("error failed: "), "\(logged)")
    #expect(logged[0].contains("'no such file'"), "\(logged)")
    #expect(logged[1].hasPrefix("warning deadlineExceeded: The run of "), "\(logged)")
  }

  @Test func `a run is a span of the caller's trace, with a span for each stage`() async throws {
    let model = try model()
    try await tracer.withSpan("request") { _ in
      _ = try await model.run(ImageFile(Self.photo))
      _ = try? await model.run(ImageFile("no such file"))
    }
    let spans = tracer.finishedSpans
    let request = try #require(spans.first { $0.operationName == "request" })
    let runs = spans.filter { $0.operationName == "tensorio.run" }
    #expect(runs.map(\.parentSpanID) == [request.spanID, request.spanID])
    #expect(runs.map { $0.errors.count } == [0, 1])
    #expect(Set(spans.map(\.traceID)).count == 1)
    let stages = spans.filter { $0.parentSpanID == runs[0].spanID }
    #expect(stages.map(\.operationName).contains("tensorio.decode"))
    #expect(stages.map(\.operationName).contains("tensorio.inference"))
    for stage in stages {
      #expect(
        stage.startInstant.nanosecondsSinceEpoch >= runs[0].startInstant.nanosecondsSinceEpoch)
      #expect(stage.endInstant.nanosecondsSinceEpoch <= runs[0].endInstant.nanosecondsSinceEpoch)
    }
  }
}
#endif
