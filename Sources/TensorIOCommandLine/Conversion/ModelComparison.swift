// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How much the results of two models differ on the same inputs.
struct ModelComparison {
  /// The differences of an output's values.
  private struct Differences {
    var largest = 0.0
    /// In how many runs the same element is the largest.
    var sameBest = 0
    var hasBest = false
    /// How many strings differ; nil if the output has numbers.
    var otherStrings: Int?
  }

  /// Whether every difference can be one of rounding.
  private(set) var agrees = true
  private var outputs: [(name: String, differences: Differences)] = []
  private var runs = 0
  private let isRandom: Bool

  private static let randomRuns = 3

  /// Runs both models, whose layers have the same names.
  ///
  /// - Parameters:
  ///   - first: The bundle of the original model.
  ///   - second: The bundle of the converted model.
  ///   - samples: What the models are run on; nil for random values.
  /// - Throws: `TensorIOError` if one of them can't be run.
  init(of first: ModelBundle, _ second: ModelBundle, on samples: CalibrationSamples?) throws {
    isRandom = samples == nil
    let loader = ModelLoader(backends: Backends.all)
    let models = try [first, second].map { try loader.makeModel(from: $0) }
    let signature = try models[0].loadSignature()
    outputs = signature.outputs.map { ($0.name, Differences()) }
    if let samples {
      try samples.forEach(for: first) { _, inputs in try compare(models, signature, inputs) }
    } else {
      var generator = SplitMix64(seed: 1)
      for _ in 0..<Self.randomRuns {
        try compare(models, signature, Self.randomInputs(for: signature.inputs, &generator))
      }
    }
  }

  private mutating func compare(
    _ models: [any Model], _ signature: ModelSignature, _ inputs: ModelInputs
  ) throws {
    let results = try models.map { try $0.run(inputs) }
    runs += 1
    for (index, output) in signature.outputs.enumerated() {
      if output.dataType == .string {
        try compareStrings(results, of: output, at: index)
        continue
      }
      let (one, other) = try (Self.values(output, results[0]), Self.values(output, results[1]))
      try Self.checkCounts(one.count, other.count, of: output)
      for (left, right) in zip(one, other) where left != right && !(left.isNaN && right.isNaN) {
        let difference = abs(left - right)
        outputs[index].differences.largest = max(
          outputs[index].differences.largest, difference.isNaN ? .infinity : difference)
        if !(difference <= 1e-4 + 1e-3 * abs(left)) { agrees = false }
      }
      guard one.count > 1 else { continue }
      outputs[index].differences.hasBest = true
      let best = [one, other].map { values in
        values.indices.max { values[$0] < values[$1] }
      }
      if best[0] == best[1] { outputs[index].differences.sameBest += 1 }
    }
  }

  private mutating func compareStrings(
    _ results: [ModelOutputs], of output: TensorSpec, at index: Int
  ) throws {
    let (one, other): ([Data], [Data]) = try (results[0][output.name], results[1][output.name])
    try Self.checkCounts(one.count, other.count, of: output)
    let different = zip(one, other).count { $0 != $1 }
    outputs[index].differences.otherStrings =
      (outputs[index].differences.otherStrings ?? 0) + different
    if different > 0 { agrees = false }
  }

  private static func checkCounts(_ before: Int, _ after: Int, of output: TensorSpec) throws {
    guard before == after else {
      throw TensorIOError(
        .wrongElementCount,
        "'\(output.name)' has \(after) values after the conversion, and \(before) before.")
    }
  }

  /// The differences as a sentence.
  var text: String {
    let kind = isRandom ? "random inputs" : "samples"
    let parts = outputs.map { output in
      let found = output.differences
      if let strings = found.otherStrings {
        return "'\(output.name)' \(strings) other \(strings == 1 ? "string" : "strings")"
      }
      let best = found.hasBest ? " (the same largest element in \(found.sameBest))" : ""
      return "'\(output.name)' \(found.largest.shortText(digits: 4))\(isRandom ? "" : best)"
    }
    return "largest difference on \(runs) \(kind): " + parts.joined(separator: ", ")
  }

  private static func values(_ output: TensorSpec, _ outputs: ModelOutputs) throws -> [Double] {
    let tensor: Tensor = try outputs[output.name]
    let plain = TensorSpec(
      name: output.name, shape: [tensor.shape.reduce(1, *)], dataType: tensor.dataType,
      kind: .vector(nil, labels: nil))
    return try tensor.withBytes { try [Double].decode($0, as: plain) }
  }

  private static func randomInputs(
    for specs: [TensorSpec], _ generator: inout SplitMix64
  ) throws -> ModelInputs {
    var inputs: [String: any TensorEncodable] = [:]
    for spec in specs {
      switch spec.kind {
      case .imageInput(let shape, _):
        inputs[spec.name] = PixelBuffer(width: shape.width, height: shape.height, format: .rgb) {
          $0.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = UInt8(generator.next(below: 256)) }
          }
        }
      case _ where spec.dataType == .string: inputs[spec.name] = "text"
      case _ where [.float16, .float32, .float64].contains(spec.dataType):
        inputs[spec.name] = (0..<spec.elementCount).map { _ in Float(generator.nextUnit()) }
      default:
        // Whole numbers may be indices, of which 0 and 1 exist.
        inputs[spec.name] = (0..<spec.elementCount).map { _ in generator.next(below: 2) }
      }
    }
    return ModelInputs(inputs)
  }
}
