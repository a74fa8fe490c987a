// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

final class LineModel: TrainableLoadedModel {
  struct Weights {
    var weight: Float = 0
    var bias: Float = 0
  }

  static let x = TensorDescription(name: "x", dataType: .float32, shape: [-1, 1])
  static let target = TensorDescription(name: "target", dataType: .float32, shape: [-1, 1])
  static let y = TensorDescription(name: "y", dataType: .float32, shape: [-1, 1])
  static let learningRate = {
    var tensor = TensorDescription(name: "learning_rate", dataType: .float32, shape: [])
    tensor.hasDefault = true
    return tensor
  }()

  static let training = SignatureDescription(
    key: "train", inputs: [x, target, learningRate],
    outputs: [
      TensorDescription(name: "loss", dataType: .float32, shape: []),
      TensorDescription(name: "errors", dataType: .float32, shape: [-1]), y,
    ])
  static let serving = SignatureDescription(key: "serving_default", inputs: [x], outputs: [y])

  let signatures: [SignatureDescription]

  private let weights: Mutex<Weights>
  private let record: LineRecord
  private let onlyTrains: Bool
  private let onStep: (@Sendable (Int) throws -> Void)?

  init(_ weights: Weights, of backend: LineBackend) {
    self.weights = Mutex(weights)
    record = backend.record
    onlyTrains = backend.onlyTrains
    onStep = backend.onStep
    var training = Self.training
    if !backend.givesPredictions { training.outputs.removeAll { $0.name == Self.y.name } }
    signatures = backend.servesInference ? [training, Self.serving] : [training]
  }

  var present: Weights { weights.withLock { $0 } }

  func describe(
    _ layers: LayerNames, in signature: SignatureDescription
  ) -> SignatureDescription {
    let (inputs, outputs) = (Self.training.inputs, Self.training.outputs)
    let found = layers.outputs.compactMap { name in outputs.first { $0.name == name } }
    let needed = self.inputs(inputs.map(\.name), neededFor: found.map(\.name))
    let fed = inputs.filter { layers.inputs.contains($0.name) || needed.contains($0.name) }.map {
      var tensor = $0
      // An input that no output depends on can be left out.
      if !needed.contains($0.name) { tensor.hasDefault = true }
      return tensor
    }
    var description = SignatureDescription(
      key: signature.key, inputs: fed.filter { !$0.hasDefault || layers.inputs.contains($0.name) },
      outputs: found)
    description.isTrainingStep =
      onlyTrains && !layers.operations.isEmpty && signature.key != Self.serving.key
    return description
  }

  func inputs(_ inputs: [String], neededFor outputs: [String]) -> [String] {
    let needsTarget = outputs.contains("loss") || outputs.contains("errors")
    return inputs.filter { $0 == "x" || ($0 == "target" && needsTarget) }
  }

  func makeSession(
    _ signature: SignatureDescription, options: SessionOptions
  ) throws -> any Session {
    guard signature.isTrainingStep else { return LineSession(signature, of: self, step: nil) }
    return LineSession(signature, of: self) { _, _, _ in
      throw TensorIOError(.unsupportedModel, "Computing the outputs would train the model.")
    }
  }

  func makeTrainingSession(
    _ signature: SignatureDescription, operations: [String], options: SessionOptions
  ) throws -> any Session {
    for name in operations where name != "step" {
      throw TensorIOError(.invalidModel, "The model has no operation '\(name)'; it has 'step'.")
    }
    return LineSession(signature, of: self) { [self] x, targets, rate in
      record.note(x)
      try onStep?(x.count)
      weights.withLock { weights in
        let before = weights
        for (x, target) in zip(x, targets) {
          let slope = 2 * (before.weight * x + before.bias - target) / Float(targets.count)
          weights.weight -= rate * slope * x
          weights.bias -= rate * slope
        }
      }
    }
  }

  // MARK: - Files

  func exportCheckpoint(to folder: String) throws {
    try write(text, to: folder + "/checkpoint.data-00000-of-00001")
    try write("", to: folder + "/checkpoint.index")
  }

  func restoreCheckpoint(from folder: String) throws {
    let data = try FileSystem.read(folder + "/checkpoint.data-00000-of-00001")
    let read = try Self.weights(String(decoding: data, as: UTF8.self))
    weights.withLock { $0 = read }
  }

  func exportModel(to path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw TensorIOError(.unwritableFile, "'\(path)' cannot be written: \(error)", cause: error)
    }
    try write(text, to: path + "/saved_model.pb")
  }

  static func weights(_ text: String) throws -> Weights {
    let numbers = text.split(separator: " ").compactMap { Float($0) }
    guard numbers.count == 2 else {
      throw TensorIOError(.invalidModel, "'\(text)' is not a weight and a bias.")
    }
    return Weights(weight: numbers[0], bias: numbers[1])
  }

  private var text: String { "\(present.weight) \(present.bias)" }

  private func write(_ text: String, to path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(filePath: path))
    } catch {
      throw TensorIOError(.unwritableFile, "'\(path)' cannot be written: \(error)", cause: error)
    }
  }
}
