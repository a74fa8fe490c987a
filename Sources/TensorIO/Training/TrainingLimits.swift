// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The time, memory and steps that a training may take, as on a phone that personalizes a model.
///
/// A training that reaches a limit ends without an error, with the weights of its best epoch if
/// ``TrainingOptions/keepsBest`` is set, or with those of its last step. ``TrainingSummary/ending``
/// says which limit it was.
///
/// ```swift
/// var options = TrainingOptions(epochs: 50, batchSize: 8)
/// options.limits = TrainingLimits(time: .seconds(20), memory: 64 << 20)
/// options.keepsBest = true
/// let summary = try Trainer(model, data: examples, options: options).run()
/// try model.exportBundle(to: "mine.tiobundle")
/// ```
public struct TrainingLimits: Sendable, Hashable {
  /// The longest duration of the training; nil for no limit.
  ///
  /// The training ends before a step that would end too late if it took as long as the longest one
  /// before it. A native call cannot be interrupted without damage to the weights, so a step that
  /// takes longer than every earlier one can exceed the limit by the difference. The same applies
  /// to ``TrainingOptions/measurement``, whose longest duration is kept free for the end of an epoch.
  public var time: Duration?
  /// The number of bytes by which the process may grow during the training; nil for no limit.
  ///
  /// Before each step, the process's resident memory is read (on Linux) and the memory that the
  /// step needs is added: that of its tensors before the first step, and that of the step before
  /// it after that. Loading the model counts unless it was loaded before. If not even the first
  /// step fits, the training is an error and the weights are unchanged.
  public var memory: Int?
  /// The largest number of steps; nil for no limit.
  public var steps: Int?

  /// Makes limits.
  public init(time: Duration? = nil, memory: Int? = nil, steps: Int? = nil) {
    self.time = time
    self.memory = memory
    self.steps = steps
  }
}

/// What a training did, and why it ended.
public struct TrainingSummary: Sendable {
  /// The reason why a training ended.
  public enum Ending: String, Sendable, Hashable {
    /// All epochs are done.
    case completed
    /// The monitored output stopped improving.
    case noImprovement
    /// The caller ended it.
    case cancelled
    /// Another step might have exceeded ``TrainingLimits/time``.
    case timeLimit
    /// Another step might have exceeded ``TrainingLimits/memory``.
    case memoryLimit
    /// It took ``TrainingLimits/steps``.
    case stepLimit
  }

  /// Why the training ended.
  public var ending: Ending
  /// The results of the completed epochs, in order.
  public var epochs: [EpochResult]
  /// The number of steps, including those of an epoch that was not completed.
  public var steps: Int
  /// The duration of the training.
  public var duration: Duration
  /// The number of bytes by which the process had grown when it was largest, as read after each
  /// step; nil where the system doesn't report it.
  public var memoryGrowth: Int?
}

/// Watches the limits of a training.
final class LimitWatch {
  private let limits: TrainingLimits
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private let bytesAtStart: Int?
  private(set) var steps = 0
  private(set) var growth: Int?
  /// The limit that ended the training.
  private(set) var ending: TrainingSummary.Ending?
  /// The time to keep for what follows the last step.
  var reserve = Duration.zero
  private var longestStep = Duration.zero
  private var longestMeasurement: Duration
  private var hasMeasured = false
  private var largestStep = 0
  private var step: (start: ContinuousClock.Instant, bytes: Int?)?

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - measurement: How long a measurement takes, as far as it is known.
  init(_ limits: TrainingLimits, measurement: Duration = .zero) {
    self.limits = limits
    longestMeasurement = measurement
    start = clock.now
    bytesAtStart = limits.memory == nil ? nil : ProcessMemory.residentBytes
    growth = bytesAtStart.map { _ in 0 }
  }

  var duration: Duration { clock.now - start }

  /// Whether the time is over, or would be after another step.
  ///
  /// - Parameter endsEpoch: Whether a measurement follows the step. A training takes its first step
  ///   also if there is no time for a measurement.
  /// - Returns: Whether the step must not begin.
  func isLate(endsEpoch: Bool = false) -> Bool {
    isLate(before: longestStep + (endsEpoch && steps > 0 ? longestMeasurement : .zero))
  }

  /// Whether the time would be over after the measurement of an epoch whose steps are done.
  func isLateToMeasure() -> Bool { isLate(before: longestMeasurement) }

  private func isLate(before work: Duration) -> Bool {
    guard let time = limits.time, duration + work + reserve >= time else { return false }
    ending = ending ?? .timeLimit
    return true
  }

  /// Notes the duration of a measurement, which replaces what was expected before the first one.
  func noteMeasurement(_ duration: Duration) {
    longestMeasurement = hasMeasured ? max(longestMeasurement, duration) : duration
    hasMeasured = true
  }

  /// Notes the beginning of a step, unless the step would exceed a limit.
  ///
  /// - Parameters:
  ///   - items: The number of items in the step.
  ///   - bytes: The memory that the first step needs.
  ///   - endsEpoch: Whether it is the last step of an epoch.
  /// - Returns: Whether the training goes on.
  /// - Throws: ``TensorIOError`` when not even the first step fits into the memory.
  func beginStep(items: Int, bytes: Int, endsEpoch: Bool = false) throws -> Bool {
    if isLate(endsEpoch: endsEpoch) { return false }
    if let most = limits.steps, steps >= most {
      ending = .stepLimit
      return false
    }
    let resident = limits.memory == nil ? nil : ProcessMemory.residentBytes
    if let memory = limits.memory {
      let grown = max(0, (resident ?? 0) - (bytesAtStart ?? 0))
      let (needed, overflows) = grown.addingReportingOverflow(steps == 0 ? bytes : largestStep)
      guard overflows || needed > memory else {
        step = (clock.now, resident)
        return true
      }
      guard steps > 0 else {
        throw TensorIOError(
          .invalidOption,
          "A training step on \(counted(items, "item")) needs about \(ByteCount(bytes)), and the "
            + "process has grown by \(ByteCount(grown)) already, but the training's memory limit is "
            + "\(ByteCount(memory)). Use a smaller batch, or raise the limit.")
      }
      ending = .memoryLimit
      return false
    }
    step = (clock.now, nil)
    return true
  }

  /// Notes that the step ended.
  func endStep() {
    guard let step else { return }
    steps += 1
    longestStep = max(longestStep, clock.now - step.start)
    guard let bytesAtStart, let before = step.bytes, let now = ProcessMemory.residentBytes
    else { return }
    growth = max(growth ?? 0, now - bytesAtStart)
    // The first step also allocates what later ones use again.
    if steps > 1 { largestStep = max(largestStep, now - before) }
  }
}
