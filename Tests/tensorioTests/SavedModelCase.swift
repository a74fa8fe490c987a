// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import Testing

/// A SavedModel with inputs and the outputs of Python's TensorFlow.
struct SavedModelCase: Sendable, CustomTestStringConvertible {
  let model: String
  /// The signature that takes the inputs.
  let signature: String
  let tolerance: Double
  /// The input tensors, by the names that layers get.
  let inputs: [String: Values]
  let outputs: [String: Values]

  var testDescription: String { "\(model) \(signature)" }

  struct Values: Decodable, Sendable {
    var dtype: String
    var shape: [Int]
    var values: [JSONValue]

    /// The values of the first item for a layer with a batch axis, or all values.
    func item(of layer: ModelManifest.Layer) -> [JSONValue] {
      guard layer.shape.first == -1, let count = shape.first, count > 0 else { return values }
      return Array(values.prefix(values.count / count))
    }

    /// Whether a printed value is the expected one.
    func agrees(_ found: JSONValue, with expected: JSONValue, within tolerance: Double) -> Bool {
      switch (found, expected) {
      case (.string(let found), .string(let expected)):
        return Data(found.utf8) == Data(base64Encoded: expected)
      case (.bool(let found), .bool(let expected)): return found == expected
      case (.integer(let found), .integer(let expected)): return found == expected
      default:
        guard let found = found.real, let expected = expected.real else { return false }
        if tolerance > 0 { return abs(found - expected) <= tolerance * max(1, abs(expected)) }
        return switch dtype {
        case "float16": Float16(found) == Float16(expected)
        case "float32": Float(found) == Float(expected)
        default: found == expected
        }
      }
    }
  }

  /// The cases that can be run with one item in JSON: without images, bytes that aren't text,
  /// placeholders and means over a batch.
  static let all: [SavedModelCase] = {
    struct Table: Decodable {
      struct Row: Decodable {
        var model: String
        var tags: [String]
        var targets: [String]?
        var tolerance: Double
        var inputs: [String: Values]
        var outputs: [String: Values]
      }
      var cases: [Row]
    }
    let path = CommandRunner.packageFolder.appending(path: savedModelsFolder + "/expected.json")
    guard hasTensorFlow, let data = try? Data(contentsOf: path),
      let table = try? JSONDecoder().decode(Table.self, from: data)
    else { return [] }
    return table.cases.compactMap { row in
      guard row.targets == nil, !["picture", "strings"].contains(row.model) else { return nil }
      return try? SavedModelCase(row.model, row.tags, row.tolerance, row.inputs, row.outputs)
    }
  }()

  /// Returns nil if no signature has exactly these inputs, or if `tensorio init` skips the graph.
  private init?(
    _ name: String, _ tags: [String], _ tolerance: Double, _ inputs: [String: Values],
    _ outputs: [String: Values]
  ) throws {
    let isTraining = name.hasPrefix("train_")
    let model = try savedModel(name, for: isTraining ? .train : .predict)
    guard model.tags == tags else { return nil }
    for signature in model.signatures {
      func named(_ tensors: [TensorDescription], _ values: [String: Values]) -> [String: Values] {
        let pairs = tensors.compactMap { tensor -> (String, Values)? in
          guard let graphName = model.graphName(of: tensor.name, in: signature) else { return nil }
          let value = values[graphName.contains(":") ? graphName : graphName + ":0"]
          return value.map { (tensor.name, $0) }
        }
        return Dictionary(pairs) { first, _ in first }
      }
      let own = named(signature.inputs, inputs)
      let found = named(signature.outputs, outputs)
      guard own.count == inputs.count, own.count == signature.inputs.count, !found.isEmpty,
        signature.inputs.allSatisfy({ own[$0.name]?.fits($0) ?? false }),
        Self.areItems(signature, own)
      else { continue }
      self.model = name
      self.signature = signature.key
      self.tolerance = tolerance
      self.inputs = own
      self.outputs = found
      return
    }
    // Without a signature, nothing says which output belongs to which layer.
    return nil
  }

  /// Whether each output has a batch axis, so that the first item has its own outputs.
  private static func areItems(
    _ signature: SignatureDescription, _ inputs: [String: Values]
  ) -> Bool {
    let isBatch = signature.inputs.contains { input in
      input.shape.first == -1 && !input.rankIsUnknown && inputs[input.name]?.shape.first != 1
    }
    return !isBatch || signature.outputs.allSatisfy { $0.shape.first == -1 }
  }
}

extension SavedModelCase.Values {
  /// Whether the values fit the layer that `tensorio init` describes and aren't empty.
  fileprivate func fits(_ tensor: TensorDescription) -> Bool {
    tensor.rankIsUnknown ? values.count == 1 : !values.isEmpty
  }
}

extension JSONValue {
  fileprivate var real: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }
}
