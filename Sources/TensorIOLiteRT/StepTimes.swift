// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The times of the steps in each run.
struct StepTimes {
  /// What identifies a step in each run.
  private struct Key: Hashable {
    var graph: UInt64
    var node: UInt64
    /// The place among XNNPACK's steps of a run, because their nodes aren't unique.
    var place: Int?
  }

  private var indexes: [Key: Int] = [:]
  private var steps: [(name: String, key: Key, part: Int?)] = []
  /// How often each step ran in all runs.
  private var calls: [Int] = []
  /// The times of runs without the profiler.
  var plainRuns: [Duration] = []
  /// The times of runs with it, and of the steps that were known after each run, in microseconds.
  private(set) var runs: [(time: Duration, steps: [Float])] = []

  /// Adds the events of one run.
  mutating func add(_ events: [LiteRTProfiler.Event], ofRunTaking time: Duration) {
    var times = [Float](repeating: 0, count: steps.count)
    var place = 0
    var part = -1
    var isInPart = false
    for event in events {
      var key = Key(graph: event.graph, node: event.node)
      if event.isOfDelegate {
        key.place = place
        place += 1
        // The steps of each part are counted from 0.
        if !isInPart || event.node == 0 { part += 1 }
      }
      isInPart = event.isOfDelegate
      if let index = indexes[key] {
        times[index] += event.microseconds
        calls[index] += 1
      } else {
        indexes[key] = steps.count
        steps.append((event.name, key, isInPart ? part : nil))
        times.append(event.microseconds)
        calls.append(1)
      }
    }
    runs.append((time, times))
  }

  /// Returns the means of the faster half of the runs.
  func operatorTimes(with kernels: OperatorTimes.Kernels) -> OperatorTimes {
    let half = (runs.count + 1) / 2
    let plain = plainRuns.sorted().prefix(half).reduce(Duration.zero) { $0 + $1 }
    let faster = runs.sorted { $0.time < $1.time }.prefix(half)
    var means = [Double](repeating: 0, count: steps.count)
    for (_, times) in faster {
      for (index, time) in times.enumerated() {
        means[index] += Double(time) / Double(faster.count)
      }
    }
    // The graph that was started reports its first operator before any graph that it contains.
    let main = steps.first?.key.graph
    let total = zip(steps, means).reduce(0) { $1.0.key.graph == main ? $0 + $1.1 : $0 }
    return OperatorTimes(
      kernels: kernels, runs: runs.count,
      runTime: plain / max(half, 1),
      profiledRunTime: faster.reduce(Duration.zero) { $0 + $1.time } / max(half, 1),
      steps: steps.enumerated().map { place, step in
        OperatorTimes.Step(
          name: step.name, graph: Int(clamping: step.key.graph),
          index: step.part == nil ? Int(clamping: step.key.node) : nil, part: step.part,
          calls: Double(calls[place]) / Double(max(runs.count, 1)),
          time: .microseconds(means[place]), share: total > 0 ? means[place] / total : 0)
      })
  }
}
