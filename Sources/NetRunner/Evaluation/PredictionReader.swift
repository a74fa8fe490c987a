// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Converts a model's outputs to predictions.
struct PredictionReader: Sendable {
  private let classification: Int?
  private let values: Int?
  private let classMap: Int?
  private let detection: DetectionLayout?

  /// Determines once which outputs are used.
  ///
  /// - Parameters:
  ///   - outputs: The model's outputs.
  ///   - labels: The names of the objects' classes, for detection models.
  init(_ outputs: [TensorSpec], labels: [String]) {
    detection = DetectionLayout(outputs, labels: labels)
    classification = outputs.firstIndex {
      if case .vector(_, .some) = $0.kind { true } else { false }
    }
    classMap = outputs.firstIndex { if case .classMap = $0.kind { true } else { false } }
    values = detection == nil ? outputs.firstIndex { $0.isNumbers } : nil
  }

  /// Reads the outputs of one run.
  ///
  /// - Throws: `TensorIOError` if an output can't be read.
  func prediction(_ outputs: ModelOutputs) throws -> Prediction {
    var prediction = Prediction()
    prediction.outputs = try outputs.names.enumerated().map { index, name in
      (name, try outputs.value(at: index))
    }
    prediction.classification = try classification.map { index in
      if case .labels(let labels) = prediction.outputs[index].value { return labels }
      return try outputs.value(at: index)
    }
    prediction.values = try values.map { index in
      let values: [Float] = try outputs.value(at: index)
      return values
    }
    if let classMap, case .classMap(let map) = prediction.outputs[classMap].value {
      prediction.classMap = map
    }
    prediction.detections = try detection?.detections(outputs)
    return prediction
  }
}
