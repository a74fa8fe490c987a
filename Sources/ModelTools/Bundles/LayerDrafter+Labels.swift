// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

extension LayerDrafter {
  mutating func addLabels(
    _ metadata: TensorMetadata?, of tensor: TensorDescription, to members: inout Members,
    name: String
  ) {
    if let labels = metadata?.valueLabels {
      let file = addAsset(labels)
      checks.append(
        "labels of '\(name)': its values are line indexes in assets/\(file), which programs "
          + "must look up")
    }
    guard tensor.dataType != .string, !tensor.shape.isEmpty else { return }
    let batch = tensor.shape[0] == -1 ? 1 : 0
    let values = tensor.shape.dropFirst(batch).map { max($0, 1) }.elementCount ?? .max
    guard let labels = metadata?.labels else {
      guard !images.isEmpty else { return }
      if values == 1, signature.outputs.count == 1 {
        checks.append(
          "labels of '\(name)': if its number is the score of one of two classes, put both names "
            + "into assets/labels.txt and add \"decode\": {\"type\": \"binary\", \"labels\": "
            + "\"labels.txt\"}, and \"activation\": \"sigmoid\" if it is a logit")
      }
      if values > 1, tensor.shape.count <= 2, metadata?.valueLabels == nil {
        checks.append(
          "labels of '\(name)': the model has none; if it is a classifier, put the class names "
            + "into assets/labels.txt and add \"labels\": \"labels.txt\"")
      }
      return
    }
    let file = addAsset(labels)
    guard labels.count >= values else {
      checks.append(
        "labels of '\(name)': assets/\(file) has \(labels.count) names for \(values) values; "
          + "complete it and add \"labels\": \"\(file)\", or delete it if the values aren't "
          + "classes")
      return
    }
    if labels.count > values {
      checks.append(
        "labels of '\(name)': assets/\(file) has \(labels.count) names for \(values) values; the "
          + "last names have no value")
    }
    labelledOutputs += 1
    members.append(("labels", .string(file)))
  }

  /// Adds a file of labels unless an identical one exists, and returns its name.
  mutating func addAsset(_ labels: [String]) -> String {
    addAsset(labels.map { $0 + "\n" }.joined(), named: "labels")
  }

  /// Adds a file unless an identical one exists, and returns its name.
  mutating func addAsset(_ text: String, named base: String) -> String {
    if let same = assets.first(where: { $0.text == text }) { return same.name }
    let isTaken = assets.contains { $0.name == "\(base).txt" }
    let name = isTaken ? "\(base)-\(assets.count + 1).txt" : "\(base).txt"
    assets.append(BundleDraft.Asset(name: name, text: text))
    return name
  }
}
