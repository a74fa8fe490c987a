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
    /// The part of the graph that XNNPACK took as a whole and that the step belongs to, from 0.
    ///
    /// It is nil for an operator that the runtime's own kernels run.
    public var part: Int?
    /// How often the step ran in one run, which is 1 outside of loops.
    public var calls: Double
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
  /// The mean time of one of the faster runs with the profiler, to which the times of the steps add up.
  public var profiledRunTime: Duration
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
