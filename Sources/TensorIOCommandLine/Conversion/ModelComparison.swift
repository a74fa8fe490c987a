// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import TensorIO

/// How much the results of two models differ on the same random values.
struct ModelComparison {
  /// The largest difference of a value, for each output.
  private(set) var differences: [(name: String, value: Double)] = []
  /// Whether every difference can be one of rounding.
  private(set) var agrees = true

  private static let runs = 3

  init() {}

  /// Runs both models, whose layers have the same names.
  ///
  /// - Throws: `TensorIOError` if one of them can't be run.
  init(of first: ModelBundle, _ second: ModelBundle) throws {
    let loader = ModelLoader(backends: Backends.all)
    let models = try [first, second].map { try loader.makeModel(from: $0) }
    let signature = try models[0].loadSignature()
    var generator = SplitMix64(seed: 1)
    var largest: [String: Double] = [:]
    for _ in 0..<Self.runs {
      let inputs = try Self.randomInputs(for: signature.inputs, &generator)
      let results = try models.map { try Self.run($0, inputs) }
      for output in signature.outputs where output.dataType != .string {
        let (one, other) = try (Self.values(output, results[0]), Self.values(output, results[1]))
        guard one.count == other.count else {
          throw TensorIOError(
            .wrongElementCount,
            "'\(output.name)' has \(other.count) values after the conversion, and \(one.count) before."
          )
        }
        for (left, right) in zip(one, other) where left != right && !(left.isNaN && right.isNaN) {
          let difference = abs(left - right)
          largest[output.name] = max(
            largest[output.name] ?? 0, difference.isNaN ? .infinity : difference)
          if !(difference <= 1e-4 + 1e-3 * abs(left)) { agrees = false }
        }
      }
    }
    differences = signature.outputs.map { ($0.name, largest[$0.name] ?? 0) }
  }

  /// The differences as a sentence.
  var text: String {
    let parts = differences.map { "'\($0.name)' \($0.value.shortText(digits: 4))" }
    return "largest difference on \(Self.runs) random inputs: " + parts.joined(separator: ", ")
  }

  private static func run(_ model: any Model, _ inputs: ModelInputs) throws -> ModelOutputs {
    try model.run(inputs)
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
