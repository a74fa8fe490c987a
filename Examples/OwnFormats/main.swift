// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import NetRunner
import TensorIO
import TensorIOCommandLine

#if Servers
import NetRunnerCommandLine
#endif

// The whole `tensorio` command, with its own output format and its own metric.
TensorIOTool.main { tool in
  #if Servers
  tool.commands = [NetRunnerCommand.self]
  #endif
  tool.outputFormats.register(BestLabel(), named: "best-label")
  tool.metrics.register("sure") { _ in SureMetric() }
}

/// Shows only the best label, in capitals.
struct BestLabel: OutputFormat {
  let decays = false

  func text(for prediction: Prediction) -> String {
    prediction.classification?.top(1).first?.label.uppercased() ?? "NOTHING"
  }
}

/// Measures how often the model is at least 90% sure.
struct SureMetric: Metric {
  let name = "sure"

  func evaluate(_ truth: GroundTruth, _ prediction: Prediction?) -> Bool? {
    prediction?.classification?.top(1, threshold: 0.9).first != nil
  }

  func reduce(_ items: [Bool]) -> MetricReport {
    let share = items.isEmpty ? nil : Double(items.count { $0 }) / Double(items.count)
    return MetricReport(values: [MetricValue(name, share, count: items.count)])
  }
}
