// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOLiteRT

/// A bundle in a temporary folder with a model file that has training signatures.
struct TrainingBundle: ~Copyable {
  static let x = #"{"name": "x", "type": "array", "shape": [-1, 3]}"#
  static let y = #"{"name": "y", "type": "array", "shape": [-1, 2]}"#
  static let rate = #"{"name": "rate", "type": "scalar", "shape": []}"#
  static let loss = #"{"name": "loss", "type": "scalar", "shape": []}"#
  static let prediction = #"{"name": "prediction", "type": "array", "shape": [-1, 2]}"#

  let path: String

  /// Makes a bundle.
  ///
  /// - Parameters:
  ///   - file: The model file.
  ///   - outputs: The output layers.
  ///   - signature: The value of model.signature.
  ///   - operations: The value of train.ops.
  ///   - inputs: The input layers.
  ///   - placeholders: The placeholder layers.
  /// - Throws: An error when the folder can't be written.
  init(
    _ file: String = Fixtures.model("train_builtin.tflite"), outputs: String,
    signature: String? = nil, operations: [String] = ["train"], inputs: String = "\(x), \(y)",
    placeholders: String = rate
  ) throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: UUID().uuidString + ".tiobundle").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: file, toPath: path + "/model.tflite")
    let key = signature.map { #", "signature": "\#($0)""# } ?? ""
    let json = """
      {"name": "n", "details": "", "id": "i", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "backend": "tflite", "quantized": false,
                 "modes": ["predict", "train", "eval"]\(key)},
       "inputs": [\(inputs)], "outputs": [\(outputs)], "placeholders": [\(placeholders)],
       "train": {"ops": [\(operations.map { "\"\($0)\"" }.joined(separator: ", "))]}}
      """
    try json.write(toFile: path + "/model.json", atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func model() throws -> TrainableModel {
    try TrainableModel(at: path, loader: ModelLoader(backends: [.liteRT]))
  }
}

/// TensorFlow's results when it trained a file, step by step.
struct GoldenTraining: Decodable {
  let file: String
  let tolerance: Float
  let x: [[Float]]
  let y: [[Float]]
  let rate: Float
  let losses: [Float]
  let predictionBefore: [[Float]]
  let predictionAfter: [[Float]]
  let weight: [[Float]]
  let bias: [Float]

  private enum CodingKeys: String, CodingKey {
    case file, tolerance, x, y, rate, losses, weight, bias
    case predictionBefore = "prediction_before"
    case predictionAfter = "prediction_after"
  }

  static let builtin: GoldenTraining = {
    do {
      let data = try Data(contentsOf: Fixtures.models.appending(path: "expected.json"))
      return try JSONDecoder().decode(Table.self, from: data).trainings[0]
    } catch {
      fatalError("The table of expected trainings cannot be read: \(error)")
    }
  }()

  private struct Table: Decodable {
    let trainings: [GoldenTraining]
  }

  /// The examples, or as many as requested, repeated if necessary.
  func batch(of count: Int? = nil) throws -> Batch {
    try Batch(
      keys: ["x", "y"],
      items: (0..<(count ?? x.count)).map { ["x": x[$0 % x.count], "y": y[$0 % y.count]] })
  }

  /// Trains a model in the same way as TensorFlow did.
  func train(_ model: TrainableModel) throws {
    for _ in losses { try model.train(batch(), placeholders: ["rate": rate]) }
  }

  /// Whether numbers equal the expected ones.
  func agrees(_ found: [Float], _ expected: [Float]) -> Bool {
    found.count == expected.count
      && zip(found, expected).allSatisfy { abs($0 - $1) <= tolerance }
  }
}
