// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// How long the operators of a TensorFlow Lite model take, as LiteRT's profiler measured them.
///
/// ```swift
/// let times = try LiteRTBackend().operatorTimes(ofModelAt: "model.tflite", with: .builtIn)
/// for step in times.steps.sorted(by: { $0.time > $1.time }).prefix(5) {
///   print(step.name, step.time, step.share)
/// }
/// ```
public struct OperatorTimes: Hashable, Sendable {
  /// The implementations of a model's operators.
  public enum Kernels: String, CaseIterable, Sendable {
    /// The runtime's own implementation of each operator.
    ///
    /// The times belong to the operators of the file exactly. Runs are usually slower than with
    /// ``xnnpack``.
    case builtIn = "built_in"
    /// XNNPACK's implementations, which every other run of this library uses.
    ///
    /// XNNPACK merges, splits and reorders operators. Its steps have names of its own, and don't
    /// belong to single operators of the file.
    case xnnpack
  }

  /// An operator, or one of XNNPACK's steps.
  public struct Step: Hashable, Sendable {
    /// The operator's name, such as `CONV_2D`, or XNNPACK's own name.
    public var name: String
    /// The index of the graph in the file.
    public var graph: Int
    /// The operator's index in its graph, or nil for a step of XNNPACK.
    public var index: Int?
    /// The mean time in one of the faster runs.
    ///
    /// The profiler counts whole microseconds, so short operators are only known from many runs.
    /// XNNPACK's shortest steps are often zero.
    public var time: Duration
    /// The part of the time of all steps, from 0 to 1.
    ///
    /// The operators of the body of a loop or a condition are also a part of the operator that
    /// contains it, so all shares can add up to more than 1.
    public var share: Double
  }

  /// The implementations that were measured.
  public var kernels: Kernels
  /// The number of runs with the profiler, between which there are as many without it.
  ///
  /// All times are means of the faster half of them. The other runs may have waited for other programs.
  public var runs: Int
  /// The mean time of one of the faster runs without the profiler, which makes small models slower.
  ///
  /// It includes the runtime's own work between the steps.
  public var runTime: Duration
  /// The steps in the order in which they ran for the first time.
  public var steps: [Step]
}

extension LiteRTBackend {
  /// Measures the operators of a model's first signature.
  ///
  /// The inputs are zeros, or empty strings. Axes of unknown length have the length 1. Like every
  /// run, this can end the process if the file is damaged.
  ///
  /// - Parameters:
  ///   - path: The path of a `.tflite` file.
  ///   - kernels: The implementations to measure.
  ///   - options: The number of threads, and a token that ends a run.
  ///   - runs: The most runs to measure.
  ///   - duration: The time after which no further run begins. At least one run is measured.
  /// - Returns: The times of the operators, or of XNNPACK's steps.
  /// - Throws: `TensorIOError` if the library is missing or has no profiler, or if the model can't be
  ///   loaded or run. Some models only run with one kind of kernels.
  public func operatorTimes(
    ofModelAt path: String, with kernels: OperatorTimes.Kernels,
    options: SessionOptions = SessionOptions(), runs: Int = 50,
    within duration: Duration = .seconds(2)
  ) throws -> OperatorTimes {
    let model = try liteRTModel(at: path)
    try model.refuseEdgeTPU()
    let compiled = try LiteRTCompiledModel(model.file, options: options, profiling: kernels)
    let profiler = try LiteRTProfiler(of: compiled, in: model.library)
    let session = try LiteRTSession(model: model, signature: 0, running: compiled)
    try session.fillWithEmptyStrings()
    try session.run()
    var measured = StepTimes()
    var whole = Duration.zero
    let clock = ContinuousClock()
    repeat {
      let plain = try clock.measure { try session.run() }
      measured.plainRuns.append(plain)
      try profiler.start()
      let profiled = try clock.measure { try session.run() }
      try profiler.takeEvents { measured.add($0, ofRunTaking: profiled) }
      whole += plain + profiled
    } while measured.runs.count < runs && whole < duration
    return measured.operatorTimes(with: kernels)
  }
}

/// The times of the steps in each run.
private struct StepTimes {
  /// What identifies a step in each run.
  private struct Key: Hashable {
    var graph: UInt64
    var node: UInt64
    /// The place among XNNPACK's steps of a run, because their nodes aren't unique.
    var place: Int?
  }

  private var indexes: [Key: Int] = [:]
  private var steps: [(name: String, key: Key)] = []
  /// The times of runs without the profiler.
  var plainRuns: [Duration] = []
  /// The times of runs with it, and of the steps that were known after each run, in microseconds.
  private(set) var runs: [(time: Duration, steps: [Float])] = []

  /// Adds the events of one run.
  mutating func add(_ events: [LiteRTProfiler.Event], ofRunTaking time: Duration) {
    var times = [Float](repeating: 0, count: steps.count)
    var place = 0
    for event in events {
      var key = Key(graph: event.graph, node: event.node)
      if event.isOfDelegate {
        key.place = place
        place += 1
      }
      if let index = indexes[key] {
        times[index] += event.microseconds
      } else {
        indexes[key] = steps.count
        steps.append((event.name, key))
        times.append(event.microseconds)
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
      steps: zip(steps, means).map { step, mean in
        OperatorTimes.Step(
          name: step.name, graph: Int(clamping: step.key.graph),
          index: step.key.place == nil ? Int(clamping: step.key.node) : nil,
          time: .microseconds(mean), share: total > 0 ? mean / total : 0)
      })
  }
}
