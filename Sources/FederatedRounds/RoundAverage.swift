// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
package import ModelRepositoryAPI
package import TensorIO

/// The average of a round's updates.
///
/// Sums are of Double, and updates are added in the order of the clients' ids, so the average is the
/// same whenever it is computed. Without noise, an update counts as often as its client has items.
/// With noise, every update counts once, because the noise has to hide each client equally.
package struct RoundAverage {
  private let task: RoundTask
  /// The sum of each tensor; empty before the first update.
  private var sums: [[Double]] = []
  private var weight = 0.0
  /// The number of updates.
  package private(set) var updates = 0
  /// The number of items of the updates.
  package private(set) var examples = 0

  /// Creates an average without updates, which takes no memory for the weights yet.
  package init(of task: RoundTask) {
    self.task = task
  }

  private var hasNoise: Bool { task.plan.noiseMultiplier > 0 }

  /// Adds an update that was checked.
  package mutating func add(_ update: RoundUpdate) {
    if sums.isEmpty { sums = Self.zeros(of: task) }
    let norm = update.norm
    // The noise is for updates whose norm isn't above the limit, not even by rounding.
    let scale = norm > task.plan.clipNorm ? task.plan.clipNorm / norm : 1
    let share = hasNoise ? scale : scale * Double(update.examples)
    for (tensor, change) in update.changes.enumerated() {
      for index in change.indices { sums[tensor][index] += share * Double(change[index]) }
    }
    weight += hasNoise ? 1 : Double(update.examples)
    updates += 1
    examples += update.examples
  }

  /// Computes the average, with noise if the task asks for it.
  ///
  /// - Parameter generator: The source of the noise, which nobody else must be able to predict.
  /// - Returns: The average change of each tensor.
  package func result(
    noise generator: inout some RandomNumberGenerator
  ) -> Safetensors {
    let deviation = task.plan.noiseMultiplier * task.plan.clipNorm
    var tensors: [Safetensors.Tensor] = []
    let sums = sums.isEmpty ? Self.zeros(of: task) : sums
    for (weights, sum) in zip(task.weights, sums) {
      let mean = sum.map { value in
        let noise = hasNoise ? deviation * Self.normal(&generator) : 0
        return Float((value + noise) / max(weight, 1))
      }
      tensors.append(
        Safetensors.Tensor(
          name: weights.name, dataType: .float32, shape: weights.shape,
          bytes: mean.withUnsafeBytes { .init($0) }))
    }
    return Safetensors(tensors: tensors, metadata: ["round": task.identity])
  }

  private static func zeros(of task: RoundTask) -> [[Double]] {
    task.weights.map { [Double](repeating: 0, count: $0.count ?? 0) }
  }

  /// Returns a number of the standard normal distribution, by the method of Box and Muller.
  static func normal(_ generator: inout some RandomNumberGenerator) -> Double {
    let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
    return radius * cos(2 * Double.pi * Double.random(in: 0..<1, using: &generator))
  }
}

extension Safetensors {
  /// Returns the weights of a base version with a round's average added.
  ///
  /// Weights that the task doesn't name stay as they are.
  package func adding(_ average: Safetensors, of task: RoundTask) throws -> Safetensors {
    var result = self
    for weights in task.weights {
      let changed = zip(try floats(of: weights), try average.floats(of: weights)).map {
        Float(Double($0) + Double($1))
      }
      guard let index = tensors.firstIndex(where: { $0.name == weights.name }) else { continue }
      result.tensors[index].bytes = changed.withUnsafeBytes { .init($0) }
    }
    return result
  }
}
#endif
