// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import ModelTools
import NetRunner
import TensorIO
import TensorIODecoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Samples from which a converter takes the ranges of a model's values.
struct CalibrationSamples {
  /// The samples that are used, which are spread over all that were given.
  let samples: [Sample]

  /// Finds the samples.
  ///
  /// - Parameters:
  ///   - paths: Photos, recordings, arrays, tables, and folders of them.
  ///   - limit: The most samples that are used.
  /// - Throws: `TensorIOError` if a path doesn't exist, or if there are no samples.
  init(_ paths: [String], limit: Int) throws {
    try BulkCommand.checkExistence(of: paths)
    let all = try Dataset(images: paths).samples
    let count = min(limit, all.count)
    samples = (0..<count).map { all[$0 * all.count / count] }
  }

  /// Prepares the samples for a bundle's model, one after the other.
  ///
  /// - Parameters:
  ///   - bundle: The model.
  ///   - body: Takes the model and the inputs of a sample.
  /// - Throws: `TensorIOError` with the sample's name if it doesn't suit the model, and what the body throws.
  func forEach(
    for bundle: ModelBundle, _ body: (InferenceModel, ModelInputs) throws -> Void
  ) throws {
    var options = EvaluationOptions()
    options.threads = 1
    let evaluator = try Evaluator(bundle, Backends.all, options)
    for sample in samples {
      do {
        for inputs in try evaluator.inputs(of: sample.source) {
          try body(evaluator.model, inputs)
        }
      } catch let error as TensorIOError {
        throw TensorIOError(
          error.code, "The sample '\(sample.id)' can't be used: \(error.message)")
      }
    }
  }

  /// Writes the tensors that the model would get as NumPy files: `000000-0.npy` is the first input of the
  /// first run.
  ///
  /// - Returns: The number of runs.
  /// - Throws: `TensorIOError` if a sample doesn't suit the model.
  func write(for bundle: ModelBundle, to folder: String) throws -> Int {
    var count = 0
    try forEach(for: bundle) { model, inputs in
      let encoded = try model.encodedInputs(inputs)
      guard encoded.count == bundle.manifest.inputs.count else {
        throw TensorIOError(.wrongElementCount, "It has no value for an optional input.")
      }
      for (index, input) in encoded.enumerated() {
        let spec = input.spec
        let shape = (spec.isBatched ? [1] : []) + spec.itemShape
        let tensor = try Tensor(
          copying: input.bytes.span.bytes, dataType: spec.dataType, shape: shape)
        let number = String(count)
        let name = String(repeating: "0", count: max(0, 6 - number.count)) + number
        try NumPyFile.write(tensor, to: "\(folder)/\(name)-\(index).npy")
      }
      count += 1
    }
    return count
  }
}
