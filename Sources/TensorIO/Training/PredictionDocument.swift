// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The model.json of an exported, trained model.
struct PredictionDocument {
  /// The name of the model's file or folder in the bundle.
  static let modelFile = "predict"

  private var root: [String: JSONValue]

  var text: String { OrderedJSON(.object(root)).text }

  /// Makes the document from the model.json that describes the training.
  ///
  /// - Throws: ``TensorIOError`` when the bundle's own model.json cannot be read.
  init(
    of bundle: ModelBundle, _ layers: PredictionLayers, _ labels: inout ClassLabels
  ) throws {
    let path = bundle.path + "/model.json"
    guard case .object(var root) = try JSONValue(parsing: FileSystem.read(path)),
      case .object(var model) = root["model"]
    else { throw TensorIOError(.invalidBundle, "'\(path)' is no longer a valid model.json.") }
    model["file"] = .string(Self.modelFile)
    model["modes"] = .array([.string("predict")])
    model["signature"] = layers.signatureKey.map { .string($0) }
    root["model"] = .object(model)
    root["train"] = nil
    let outputs = try Self.layers(
      layers.outputs.compactMap { output in
        if case .described(let name) = output { name } else { nil }
      }, "outputs", in: root)
    root["inputs"] = .array(try Self.layers(layers.inputs, "inputs", in: root).map(\.layer))
    root["outputs"] = .array(
      layers.outputs.compactMap { output in
        switch output {
        case .described(let name): outputs.first { $0.name == name }?.layer
        case .tensor(let tensor): Self.layer(of: tensor)
        }
      })
    let placeholders = try Self.layers(layers.placeholders, "placeholders", in: root)
    root["placeholders"] = placeholders.isEmpty ? nil : .array(placeholders.map(\.layer))
    labels.add(to: &root)
    self.root = root
  }

  private static func layers(
    _ names: [String], _ key: String, in root: [String: JSONValue]
  ) throws -> [(name: String, layer: JSONValue)] {
    guard !names.isEmpty else { return [] }
    guard case .array(let layers) = root[key] else {
      throw TensorIOError(.invalidBundle, "The bundle's model.json no longer has \"\(key)\".")
    }
    return layers.compactMap { layer in
      guard case .object(let members) = layer, case .string(let name) = members["name"],
        names.contains(name)
      else { return nil }
      return (name, layer)
    }
  }

  private static func layer(of tensor: TensorDescription) -> JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(tensor.name), "type": .string("array"),
      "shape": .array(tensor.shape.map { .number(Double($0)) }),
    ]
    members["dtype"] = tensor.dataType.map { .string($0.rawValue) }
    return .object(members)
  }
}
