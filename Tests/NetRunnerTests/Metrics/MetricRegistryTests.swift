// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import NetRunner

@Suite struct MetricRegistryTests {
  /// Counts the images that have a test bundle's own truths.
  private struct Counting: Metric {
    let name = "counting"

    func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) -> Int? {
      if case .results = truth { 1 } else { nil }
    }

    func reduce(_ items: [Int]) -> MetricReport {
      MetricReport(values: [MetricValue("count", Double(items.count), count: items.count)])
    }
  }

  @Test func `every built-in metric can be made by name and keeps its name`() throws {
    let registry = MetricRegistry.standard
    let expected: Set = [
      "classification", "regression", "segmentation", "detection", "top1", "top5", "topk",
      "EvaluationMetricAccuracyTop5", "balanced_accuracy", "macro_f1", "log_loss", "ece", "roc_auc",
      "average_precision", "mae", "rmse", "r2", "mean_iou", "pixel_accuracy", "ap", "ap50", "ar100",
    ]
    #expect(expected.isSubset(of: registry.names))
    #expect(registry.names == registry.names.sorted())
    for name in registry.names {
      let metric = try registry.metric(named: name, context: MetricContext(labels: ["a", "b"]))
      #expect(metric.name == name)
    }
  }

  @Test func `an unknown name is an error that lists the known ones`() {
    let error = #expect(throws: TensorIOError.self) {
      _ = try MetricRegistry.standard.metric(named: "top_1", context: MetricContext(labels: ["a"]))
    }
    #expect(error?.code == .invalidOption)
    #expect(error?.message.contains("'top_1'") == true)
    #expect(error?.message.contains("macro_f1, ") == true)
  }

  @Test func `a program's own metric works like the others`() throws {
    var registry = MetricRegistry()
    registry.register("counting") { _ in Counting() }
    var accumulator = MetricAccumulator(
      try registry.metric(named: "counting", context: MetricContext(labels: [])))
    #expect(try accumulator.add(.results(.null), nil, at: 0))
    #expect(try !accumulator.add(.label("a"), nil, at: 1))
    #expect(try accumulator.report().values.first?.value == 1)
    #expect(throws: TensorIOError.self) {
      _ = try MetricRegistry.standard.metric(
        named: "counting", context: MetricContext(labels: []))
    }
  }

  @Test func `a metric isn't made for an unsuitable model or options`() {
    let unlabelled = #expect(throws: TensorIOError.self) {
      _ = try MetricRegistry.standard.metric(named: "top1", context: MetricContext(labels: []))
    }
    #expect(unlabelled?.message.contains("labels") == true)
    var context = MetricContext(labels: ["a"])
    context.topK = 0
    let zero = #expect(throws: TensorIOError.self) {
      _ = try MetricRegistry.standard.metric(named: "topk", context: context)
    }
    #expect(zero?.message.contains("at least 1, got 0") == true)
  }

  @Test(arguments: MetricRegistry.standard.names)
  func `unsuitable truths are omitted, and zero images don't crash a metric`(
    _ name: String
  ) throws {
    var accumulator = MetricAccumulator(
      try MetricRegistry.standard.metric(named: name, context: MetricContext(labels: ["a", "b"])))
    #expect(try !accumulator.add(.results(.null), nil, at: 0))
    #expect(accumulator.count == 0)
    let report = try accumulator.report()
    #expect(!report.values.isEmpty)
    #expect(report.values.allSatisfy { $0.value == nil && $0.count == 0 && $0.interval == nil })
    #expect(!report.notes.isEmpty)
  }
}
