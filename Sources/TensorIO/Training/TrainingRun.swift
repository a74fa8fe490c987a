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
  private var generator: SplitMix64
  private var watch: BestEpochTracker

  /// Some items of a data source, given by their indices.
  private struct Part {
    let items: TrainingItems
    var indexes: [Int]
  }

  /// Checks everything that can be checked before the first step.
  init(_ trainer: Trainer) throws {
    let options = trainer.options
    try options.check()
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
    generator = SplitMix64(seed: options.seed)
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
    watch = try BestEpochTracker(options, signature.outputs)
  }

  private static func check(_ items: TrainingItems, _ noun: String) throws {
    guard items.count > 0 else {
      throw TensorIOError(.missingInput, "The \(noun) has no items; add at least one.")
    }
  }

  /// Trains all epochs, or stops early when the training is over.
  mutating func train(
    until isOver: () -> Bool, _ onStep: (TrainingStep) throws -> Void,
    _ onEpoch: (EpochResult) throws -> Void
  ) throws -> [EpochResult] {
    let best = try options.keepsBest ? BestCheckpoint(of: model) : nil
    try best?.check()
    var results: [EpochResult] = []
    do {
      while results.count < options.epochs, !watch.isOver,
        let result = try trainEpoch(results.count + 1, until: isOver, onStep)
      {
        if result.isBest { try best?.keep() }
        results.append(result)
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

  /// Trains one epoch; returns nil when it was not completed.
  private mutating func trainEpoch(
    _ epoch: Int, until isOver: () -> Bool, _ onStep: (TrainingStep) throws -> Void
  ) throws -> EpochResult? {
    let clock = ContinuousClock()
    let start = clock.now
    let order = options.shuffles ? generator.shuffled(training.indexes) : training.indexes
    let batches = order.chunks(of: options.batchSize)
    var sums = OutputSums(signature.outputs)
    var last: ModelOutputs?
    for (index, indexes) in batches.enumerated() {
      if isOver() { return nil }
      let batch = try training.items.batch(of: indexes, keys: signature.inputs.map(\.name))
      let outputs = try model.train(batch, placeholders: options.placeholders)
      let means = try sums.add(outputs, items: batch.count)
      if options.stopsAtNonFinite { try check(means, epoch: epoch, step: index + 1) }
      last = outputs
      try onStep(
        TrainingStep(
          epoch: epoch, step: index + 1, stepsPerEpoch: batches.count, items: batch.count,
          means: means, outputs: outputs,
          stepsPerSecond: Double(index + 1) / max((clock.now - start) / .seconds(1), 1e-9)))
    }
    guard let last else { return nil }
    var validated: OutputMeans?
    if validation != nil {
      guard let means = try validate(until: isOver) else { return nil }
      validated = means
    }
    let isBest = watch.note(validated ?? sums.means)
    return EpochResult(
      epoch: epoch, steps: batches.count, items: order.count, duration: clock.now - start,
      training: sums.means, lastOutputs: last, validation: validated, isBest: isBest)
  }

  /// Evaluates the model on the validation items; returns nil when this was not completed.
  private func validate(until isOver: () -> Bool) throws -> OutputMeans? {
    guard let validation else { return nil }
    var sums = OutputSums(signature.outputs)
    for indexes in validation.indexes.chunks(of: options.batchSize) {
      if isOver() { return nil }
      let batch = try validation.items.batch(of: indexes, keys: signature.inputs.map(\.name))
      let outputs = try model.evaluate(batch, placeholders: options.placeholders)
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
