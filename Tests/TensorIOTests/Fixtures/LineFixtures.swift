// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import TensorIO

/// A model of a ``LineBackend`` in its own bundle.
struct LineFixture {
  let bundle: TestBundle
  let backend: LineBackend
  let model: TrainableModel

  /// Makes a bundle and its model.
  ///
  /// - Parameters:
  ///   - outputs: The outputs that the bundle describes.
  ///   - changes: Other values to set in model.json, by JSON pointer.
  ///   - files: Other files of the bundle.
  ///   - backend: The backend that runs the model.
  /// - Throws: Errors of the file system.
  init(
    outputs: [JSONValue] = [.loss], set changes: [String: JSONValue] = [:],
    files: [String: String] = [:], backend: LineBackend = LineBackend()
  ) throws {
    let rate: JSONValue = ["name": "learning_rate", "type": "scalar", "shape": []]
    bundle = try TestBundle(
      "training", named: "line.tiobundle",
      set: [
        "/inputs": [.layer("x", [-1, 1]), .layer("target", [-1, 1])],
        "/outputs": .array(outputs), "/placeholders": [rate], "/train/ops": ["step"],
      ].merging(changes) { $1 }, files: ["train/saved_model.pb": ""].merging(files) { $1 })
    self.backend = backend
    model = try TrainableModel(
      bundle: bundle.open(), loader: ModelLoader(backends: [backend]))
  }

  /// Points of the line y = 2 x + 1, where x is the index.
  static func points(_ count: Int) -> [Batch.Item] {
    (0..<count).map { ["x": Float($0), "target": 2 * Float($0) + 1] }
  }

  /// Points of the same line between -1 and 1, from which a model learns quickly.
  static func nearPoints(_ count: Int) -> [Batch.Item] {
    (0..<count).map { index in
      let x = Float(index) / Float(count) * 2 - 1
      return ["x": x, "target": 2 * x + 1]
    }
  }

  /// What a trained model predicts for 10: 21 if it has learned the line.
  var answer: Float {
    get throws { try inference("y", 10) }
  }

  private func inference(_ output: String, _ x: Float) throws -> Float {
    let folder = try TemporaryFolder()
    try model.withWeights { try $0.exportModel(to: folder.path + "/line") }
    let session = try LineBackend().loadModel(at: folder.path + "/line", for: .predict)
      .makeSession(signature: 1, options: SessionOptions())
    let spec = TensorSpec(name: "x", shape: [1], kind: .scalar(nil))
    try session.withInput(at: 0) { try x.encode(into: &$0, as: spec) }
    try session.run()
    var y: Float = 0
    try session.withOutput(at: 0) { y = try Float.decode($0, as: spec) }
    return y
  }
}

extension JSONValue {
  static let loss: JSONValue = ["name": "loss", "type": "scalar", "shape": []]
  static let errors = layer("errors", [-1])
  static let y = layer("y", [-1, 1])
}
