// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What is done to the items of a step before the model sees them.
struct ItemPreparation: Sendable {
  private let plan: AugmentationPlan?
  private let weights: ItemWeights?

  /// - Throws: ``TensorIOError`` when an option doesn't suit the model.
  init(_ options: TrainingOptions, for signature: ModelSignature) throws {
    try Augmentation.check(options.augmentations, for: signature)
    plan = AugmentationPlan(options.augmentations, for: signature)
    weights = options.itemWeights
    guard let weights else { return }
    guard let spec = signature.input(named: weights.input) else {
      throw TensorIOError(
        .unknownInput,
        "The model has no input '\(weights.input)' for the weights of items; its inputs are "
          + quotedList(signature.inputs.map(\.name)) + ".")
    }
    guard spec.elementCount == 1, !spec.isImage, spec.dataType != .string else {
      throw TensorIOError(
        .wrongKind,
        "The weight of an item is one number, but '\(spec.name)' has the shape \(spec.itemShape).")
    }
  }

  /// Returns a batch to train on.
  ///
  /// - Parameters:
  ///   - items: All items.
  ///   - indexes: Those of the step, as a part of the order of the epoch.
  ///   - keys: The names of the inputs.
  ///   - step: The step in the epoch, counted from 0.
  ///   - state: The state of the random numbers before the epoch.
  /// - Returns: The batch.
  /// - Throws: ``TensorIOError`` when an item has no right weight, or lacks a value.
  func batch(
    of items: TrainingItems, _ indexes: ArraySlice<Int>, keys: [String], step: Int,
    ofEpoch state: UInt64
  ) throws -> Batch {
    var batch = try items.batch(of: indexes, keys: keys) { item, index, position in
      try check(item, items.name(index))
      let item = plan?.changed(item, at: position, ofEpoch: state) ?? item
      return try weighed(item, weights?.weight(index), items.name(index))
    }
    batch.mix = plan?.mix(ofItems: indexes.count, at: step, ofEpoch: state)
    return batch
  }

  /// Returns a batch to evaluate the model on: the items as they are, with a weight of 1.
  func validationBatch(
    of items: TrainingItems, _ indexes: ArraySlice<Int>, keys: [String]
  ) throws -> Batch {
    try items.batch(of: indexes, keys: keys) { item, index, _ in
      try weighed(item, 1, items.name(index))
    }
  }

  /// Checks that the images of an item can be changed, and names the item if they can't.
  private func check(_ item: Batch.Item, _ name: @autoclosure () -> String) throws {
    do {
      try plan?.check(item)
    } catch var error as TensorIOError {
      error.message = "\(name()): \(error.message)"
      throw error
    }
  }

  /// Returns an item with its weight.
  private func weighed(
    _ item: Batch.Item, _ weight: Double?, _ name: @autoclosure () -> String
  ) throws -> Batch.Item {
    guard let weights, let weight else { return item }
    guard item[weights.input] == nil else {
      throw TensorIOError(
        .invalidOption,
        "\(name()) has a value for '\(weights.input)', which gets the weights of items. Leave one out."
      )
    }
    guard weight.isFinite, weight >= 0 else {
      throw TensorIOError(
        .invalidOption, "\(name()) has the weight \(weight). A weight is at least 0, and finite.")
    }
    var item = item
    item[weights.input] = weight
    return item
  }
}
