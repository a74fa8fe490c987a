// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
import TensorIO

extension LabelStore {
  /// Imports the labels of a folder of classes, a table or a test bundle in one step.
  ///
  /// Labels that the photos already have are replaced. ``undo(for:)`` reverts the whole import.
  ///
  /// - Parameters:
  ///   - dataset: The photos and their labels.
  ///   - model: The model's identifier.
  /// - Returns: The number of labels that were imported, and notes about what was left out.
  /// - Throws: `TensorIOError` if no photo has a label.
  @discardableResult
  package func importLabels(from dataset: Dataset, for model: String) throws -> LabelTransfer {
    var labels: [(Photo, PhotoLabel)] = []
    var missing: [String] = []
    var others = 0
    for sample in dataset.samples {
      guard let label = sample.truth.flatMap(PhotoLabel.init), case .file(let path) = sample.source
      else {
        others += 1
        continue
      }
      guard FileSystem.isFile(path), let digest = try SHA256.file(path) else {
        missing.append(sample.id)
        continue
      }
      labels.append((Photo(path: key(of: path), sha256: digest.hexadecimal), label))
    }
    var notes: [String] = []
    if let first = missing.first {
      notes.append(
        "left out: \(counted(missing.count, "photo")) that cannot be read, such as '\(first)'")
    }
    if others > 0 {
      notes.append("left out: \(counted(others, "image")) without a class or numbers")
    }
    guard !labels.isEmpty else {
      throw TensorIOError(
        .wrongKind,
        "'\(dataset.path)' has no labels to import\(notes.isEmpty ? "" : ": ")"
          + notes.joined(separator: "; ") + ".")
    }
    try setLabels(labels, for: model)
    return LabelTransfer(count: labels.count, notes: notes)
  }
}

extension PhotoLabel {
  /// Converts a ground truth to a label.
  ///
  /// Returns nil for boxes, class maps and results.
  fileprivate init?(_ truth: GroundTruth) {
    switch truth {
    case .label(let text): self = .text(text)
    case .values(let numbers): self = .numbers(numbers)
    case .boxes, .classMap, .results: return nil
    }
  }
}
