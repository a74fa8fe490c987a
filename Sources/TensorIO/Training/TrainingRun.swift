// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// One run of a trainer, from the first epoch to the last.
struct TrainingRun {
  private let model: TrainableModel
  private let options: TrainingOptions
  private let signature: ModelSignature
  private let training: Part
  private let validation: Part?
  private let preparation: ItemPreparation
  private let order: ItemOrder
  private let checkpoints: TrainingCheckpoints?
  private var watch: BestEpochTracker
  private var state: TrainingState
  /// The checkpoint that the training continues from; nil if it begins.
  private var resumed: String?
  private let limits: LimitWatch

  /// Some items of a data source, given by their indices.
  private struct Part {
    let items: TrainingItems
    var indexes: [Int]
  }

  /// Checks everything that can be checked before the first step.
  init(_ trainer: Trainer) throws {
    let options = trainer.options
    try options.check()
    limits = LimitWatch(options.limits, measurement: options.measurementTime)
    try Self.check(trainer.data, "data")
    if let validation = trainer.validation { try Self.check(validation, "validation data") }
    model = trainer.model
    let validates = trainer.validation != nil || options.validationShare > 0
    if validates, try model.inference.loaded().onlyTrains {
      throw TensorIOError(
        .invalidOption,
        "The model can't be evaluated on validation items, because computing its outputs would "
          + "train it. Describe outputs that don't train it, or leave out the validation.")
    }
    self.options = options
    signature = try trainer.model.loadSignature()
    preparation = try ItemPreparation(options, for: signature)
    var generator = SplitMix64(seed: options.seed)
    let all = Array(0..<trainer.data.count)
    if let validation = trainer.validation {
      training = Part(items: trainer.data, indexes: all)
      self.validation = Part(items: validation, indexes: Array(0..<validation.count))
    } else if options.validationShare > 0 {
      let count = max(1, Int((Double(all.count) * options.validationShare).rounded()))
      guard count < all.count else {
        throw TensorIOError(
          .invalidOption,
          "The validation share \(options.validationShare) of \(all.count) items leaves none "
            + "to train on. Lower the share, or add items.")
      }
      let order = generator.shuffled(all)
      training = Part(items: trainer.data, indexes: order[count...].sorted())
      self.validation = Part(items: trainer.data, indexes: order[..<count].sorted())
    } else {
      training = Part(items: trainer.data, indexes: all)
      self.validation = nil
    }
    order = ItemOrder(training.indexes, balancing: options.balancedClass)
    watch = try BestEpochTracker(options, signature.outputs)
    checkpoints = try options.checkpoints.map { try TrainingCheckpoints($0) }
    state = TrainingState(
      settings: .init(
        items: training.indexes.count, validationItems: self.validation?.indexes.count ?? 0,
        batchSize: options.batchSize, seed: options.seed, shuffles: options.shuffles,
        balances: options.balancedClass != nil,
        augmentations: options.augmentations.isEmpty
          ? nil : options.augmentations.map(\.description),
        monitored: watch.name.map { $0 + (options.prefersHigher ? ", higher" : "") },
        notes: options.notes.isEmpty ? nil : options.notes),
      generator: generator.state)
  }

  /// The names of the inputs.
  private var keys: [String] { signature.inputs.map(\.name) }

  private static func check(_ items: TrainingItems, _ noun: String) throws {
    guard items.count > 0 else {
      throw TensorIOError(.missingInput, "The \(noun) has no items; add at least one.")
    }
  }

  /// Summarizes the training.
  ///
  /// - Parameter results: The results of the completed epochs.
  /// - Returns: What the training did.
  func summary(_ results: [EpochResult]) -> TrainingSummary {
    let isDone = state.epochs >= options.epochs
    let ending = isDone ? .completed : watch.isOver ? .noImprovement : limits.ending ?? .cancelled
    return TrainingSummary(
      ending: ending, epochs: results, steps: limits.steps, duration: limits.duration,
      memoryGrowth: limits.growth)
  }

  /// Trains all epochs, or stops early when the training is over.
  mutating func train(
    until isOver: () -> Bool, checkpointsWhen wantsCheckpoint: () -> Bool,
    _ onResume: (Int, String, [ChangedSetting]) -> Void, _ onStep: (TrainingStep) throws -> Void,
    _ onEpoch: (EpochResult) throws -> Void
  ) throws -> [EpochResult] {
    let best = try options.keepsBest ? BestCheckpoint(of: model) : nil
    let beforeCheck = limits.duration
    try best?.check()
    // Restoring the best weights takes about as long as writing them.
    limits.reserve = limits.duration - beforeCheck
    if options.checkpoints?.resumes == true, let last = try checkpoints?.last() {
      let changes = last.state.changes(to: state.settings)
      try resume(from: last, keeping: best)
      onResume(state.epochs, last.folder, changes)
    }
    var results: [EpochResult] = []
    do {
      while state.epochs < options.epochs, !watch.isOver,
        let result = try trainEpoch(until: isOver, checkpointsWhen: wantsCheckpoint, onStep)
      {
        if result.isBest { try best?.keep() }
        results.append(result)
        try checkpoints?.write(model, state)
        try onEpoch(result)
      }
    } catch {
      // The error that ended the training matters more than one from restoring the weights.
      try? best?.restore()
      throw error
    }
    try best?.restore()
    return results
  }

  /// Takes the weights and the state of a checkpoint.
  private mutating func resume(
    from last: (folder: String, state: TrainingState), keeping best: BestCheckpoint?
  ) throws {
    try last.state.check(state.settings, in: last.folder)
    if let best, let epoch = last.state.bestEpoch {
      guard let folder = try checkpoints?.folder(ofEpoch: epoch) else {
        throw TensorIOError(
          .fileNotFound,
          "The checkpoint of the best epoch, \(epoch), is missing beside '\(last.folder)'. Continue "
            + "without keeping the best weights.")
      }
      try model.restore(from: folder)
      try best.keep()
    }
    try model.restore(from: last.folder)
    let settings = state.settings
    resumed = last.folder
    state = last.state
    state.settings = settings
    watch.progress = state.progress
  }

  /// Trains one epoch, or the rest of it; returns nil when it was not completed.
  private mutating func trainEpoch(
    until isOver: () -> Bool, checkpointsWhen wantsCheckpoint: () -> Bool,
    _ onStep: (TrainingStep) throws -> Void
  ) throws -> EpochResult? {
    let clock = ContinuousClock()
    let start = clock.now
    let epoch = state.epochs + 1
    var generator = SplitMix64(seed: state.generator)
    let batches = order.items(shuffles: options.shuffles, &generator).chunks(of: options.batchSize)
    // Items that keep their order draw no numbers, and the next epoch would change images as this one does.
    if generator.state == state.generator { _ = generator.next() }
    var sums = OutputSums(signature.outputs)
    sums.restore(state.sums, items: state.items)
    var last: ModelOutputs?
    let done = state.step
    for (index, indexes) in batches.enumerated().dropFirst(done) {
      if isOver() {
        if state.step > done { try checkpoints?.write(model, state) }
        return nil
      }
      let isAllowed = try limits.beginStep(
        items: indexes.count, bytes: bytes(ofStep: indexes.count),
        endsEpoch: index == batches.count - 1)
      guard isAllowed else {
        if state.step > done { try checkpoints?.write(model, state) }
        return nil
      }
      let batch = try preparation.batch(
        of: training.items, indexes, keys: keys, step: index, ofEpoch: state.generator)
      let outputs = try model.train(batch, placeholders: placeholders(index, of: batches.count))
      limits.endStep()
      let means = try sums.add(outputs, items: batch.count)
      if options.stopsAtNonFinite { try check(means, epoch: epoch, step: index + 1) }
      last = outputs
      (state.step, state.sums, state.items) = (index + 1, sums.sums, sums.items)
      if wantsCheckpoint() { try checkpoints?.write(model, state) }
      try onStep(
        TrainingStep(
          epoch: epoch, step: index + 1, stepsPerEpoch: batches.count, items: batch.count,
          means: means, outputs: outputs,
          stepsPerSecond: Double(index + 1 - done) / max((clock.now - start) / .seconds(1), 1e-9)))
    }
    if last == nil, let indexes = batches.last {
      // The checkpoint was written when all steps were done.
      last = try lastOutputs(indexes, placeholders(state.step - 1, of: batches.count))
    }
    guard let last else { return nil }
    var validated: OutputMeans?
    if validation != nil {
      guard let means = try validate(placeholders(state.step - 1, of: batches.count), until: isOver)
      else {
        try checkpoints?.write(model, state)
        return nil
      }
      validated = means
    }
    guard let metrics = try measure(until: isOver) else {
      try checkpoints?.write(model, state)
      return nil
    }
    let isBest = try watch.note(validated ?? sums.means, metrics)
    (state.epochs, state.step, state.sums, state.items) = (epoch, 0, [], 0)
    (state.generator, state.progress) = (generator.state, watch.progress)
    if isBest { state.bestEpoch = epoch }
    return EpochResult(
      epoch: epoch, steps: batches.count, items: order.count, duration: clock.now - start,
      training: sums.means, lastOutputs: last, validation: validated, metrics: metrics,
      isBest: isBest)
  }

  /// Returns the outputs of the last step, which an earlier process took.
  private func lastOutputs(
    _ indexes: ArraySlice<Int>, _ placeholders: [String: any TensorEncodable]
  ) throws -> ModelOutputs {
    let batch = try preparation.validationBatch(of: training.items, indexes, keys: keys)
    guard try model.inference.loaded().onlyTrains, let resumed else {
      return try model.evaluate(batch, placeholders: placeholders)
    }
    // Only a step computes the outputs of this model, so the weights are read again after it.
    let outputs = try model.train(batch, placeholders: placeholders)
    try model.restore(from: resumed)
    return outputs
  }

  /// Measures the model after an epoch.
  ///
  /// - Returns: The metrics; nil if the training is over, because they may then be those of a part of the
  ///   dataset.
  private func measure(until isOver: () -> Bool) throws -> [EpochMetric]? {
    guard let measurement = options.measurement else { return [] }
    if isOver() || limits.isLateToMeasure() { return nil }
    let start = limits.duration
    do {
      let metrics = try measurement(model)
      limits.noteMeasurement(limits.duration - start)
      return isOver() ? nil : metrics
    } catch is CancellationError where isOver() {
      return nil
    }
  }

  /// Returns the memory that a step needs for its tensors and for the values that it is made from.
  private func bytes(ofStep items: Int) throws -> Int {
    guard options.limits.memory != nil else { return 0 }
    let values = signature.inputs.reduce(0.0) { sum, spec in
      sum + Double(spec.elementCount) * Double(spec.dataType.byteWidth)
    }
    let tensors = try model.stepBytes(items: items)
    return Int(min(1e18, 2 * values * Double(items) + Double(tensors)))
  }

  /// Returns the placeholders in a step of the current epoch, counted from 0.
  private func placeholders(
    _ step: Int, of stepsPerEpoch: Int
  ) -> [String: any TensorEncodable] {
    var values = options.placeholders
    let (total, overflows) = options.epochs.multipliedReportingOverflow(by: stepsPerEpoch)
    for (name, schedule) in options.schedules {
      values[name] = schedule.value(
        inStep: state.epochs * stepsPerEpoch + step, of: overflows ? .max : total)
    }
    return values
  }

  /// Evaluates the model on the validation items; returns nil when this was not completed.
  private func validate(
    _ placeholders: [String: any TensorEncodable], until isOver: () -> Bool
  ) throws -> OutputMeans? {
    guard let validation else { return nil }
    var sums = OutputSums(signature.outputs)
    for indexes in validation.indexes.chunks(of: options.batchSize) {
      if isOver() || limits.isLate() { return nil }
      let batch = try preparation.validationBatch(of: validation.items, indexes, keys: keys)
      let outputs = try model.evaluate(batch, placeholders: placeholders)
      _ = try sums.add(outputs, items: batch.count)
    }
    return sums.means
  }

  private func check(_ means: OutputMeans, epoch: Int, step: Int) throws {
    guard let broken = means.first(where: { !$0.value.isFinite }) else { return }
    throw TensorIOError(
      .trainingDiverged,
      "The output '\(broken.name)' is \(broken.value) in step \(step) of epoch \(epoch): the "
        + "training has diverged. Use a smaller learning rate, and check that the inputs are "
        + "normalized and don't contain such a value themselves.")
  }
}

extension TrainingOptions {
  fileprivate func check() throws {
    func refuse(_ what: String, _ takes: String, _ found: some Any) -> TensorIOError {
      TensorIOError(.invalidOption, "\(what) must be \(takes), got \(found).")
    }
    guard epochs >= 1 else { throw refuse("epochs", "at least 1", epochs) }
    guard batchSize >= 1 else { throw refuse("batchSize", "at least 1", batchSize) }
    guard validationShare >= 0, validationShare < 1 else {
      throw refuse("validationShare", "at least 0 and less than 1", validationShare)
    }
    for (name, schedule) in schedules {
      try schedule.check(name)
      guard placeholders[name] == nil else {
        throw TensorIOError(.invalidOption, "'\(name)' has both a value and a schedule.")
      }
    }
    guard monitoredMetric == nil || measurement != nil else {
      throw TensorIOError(
        .invalidOption, "monitoredMetric needs a measurement that returns the metric.")
    }
    guard monitoredMetric == nil || monitoredOutput == nil else {
      throw TensorIOError(
        .invalidOption, "Monitor either an output or a metric, not both.")
    }
    if let time = limits.time, time <= .zero { throw refuse("limits.time", "above 0", time) }
    if let memory = limits.memory, memory < 1 {
      throw refuse("limits.memory", "at least 1 byte", memory)
    }
    if let steps = limits.steps, steps < 1 { throw refuse("limits.steps", "at least 1", steps) }
    if let kept = checkpoints?.kept, kept < 1 { throw refuse("kept", "at least 1", kept) }
    if let earlyStopping {
      guard earlyStopping.patience >= 1 else {
        throw refuse("patience", "at least 1 epoch", earlyStopping.patience)
      }
      guard earlyStopping.minimumImprovement >= 0, earlyStopping.minimumImprovement.isFinite else {
        throw refuse("minimumImprovement", "at least 0", earlyStopping.minimumImprovement)
      }
    }
  }
}

extension Array {
  /// The elements in chunks of equal length, except for the last, which has the rest.
  fileprivate func chunks(of count: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: self.count, by: count).map {
      self[$0..<Swift.min(self.count, $0 + Swift.min(count, self.count))]
    }
  }
}
