// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
import TensorIOLiteRT
import TensorIOTensorFlow

extension ModelReport {
  /// The report as JSON, with the keys that `tensorio help inspect` lists.
  package var json: JSONValue {
    .object([
      "path": .string(path),
      "kind": .string(bundle == nil ? "model" : "bundle"),
      "bundle": bundle.map(json) ?? .null,
      "model": model.map(Self.json) ?? .null,
      "warnings": .array(issues.map(Self.json)),
    ])
  }

  private static func json(_ issue: Issue) -> JSONValue {
    .object([
      "severity": .string(issue.severity.rawValue), "code": .string(issue.code),
      "path": .stringOrNull(issue.path), "message": .string(issue.message),
    ])
  }

  // MARK: - Model

  private static func json(_ model: ModelFile) -> JSONValue {
    .object([
      "backend": .string(model.savedModel == nil ? "tflite" : "tensorflow"),
      "file": .string(FileSystem.name(of: model.path)),
      "bytes": .number(Double(model.byteCount)),
      "name": .stringOrNull(model.metadata?.name),
      "description": .stringOrNull(model.metadata?.description),
      "version": .stringOrNull(model.metadata?.version),
      "author": .stringOrNull(model.metadata?.author),
      "license": .stringOrNull(model.metadata?.license),
      "saved_model": model.savedModel.map(json) ?? .null,
      "signatures": .array(model.signatures.indices.map { json(signatureAt: $0, of: model) }),
    ])
  }

  private static func json(_ facts: SavedModelFacts) -> JSONValue {
    let version = facts.model.tensorFlowVersion
    return .object([
      "tensorflow_version": .stringOrNull(version.isEmpty ? nil : version),
      "tags": .strings(facts.model.tags),
      "graphs": .array(facts.graphs.map(JSONValue.strings)),
      "variables": .bool(facts.model.hasVariables),
      "files": .array(
        facts.files.map { file in
          .object(["name": .string(file.name), "bytes": .number(Double(file.byteCount))])
        }),
      "results": .strings(facts.results),
      "train_ops": .array(
        facts.trainingOperations.map { name, needs in
          .object(["name": .string(name), "needs": .strings(needs)])
        }),
    ])
  }

  private static func json(signatureAt index: Int, of model: ModelFile) -> JSONValue {
    let signature = model.signatures[index]
    let metadata = model.metadata.tensors(of: signature, at: index)
    let facts = model.savedModel
    func list(_ tensors: [TensorDescription], _ metadata: [TensorMetadata?]?) -> JSONValue {
      .array(
        tensors.enumerated().map { position, tensor in
          // Placeholders have no other name than the graph's.
          let graphName = facts.map { $0.graphNames[index][tensor.name] ?? tensor.name }
          return json(tensor, at: position, graphName, metadata?[position])
        })
    }
    return .object([
      "key": .string(signature.key),
      "inputs": list(signature.inputs, metadata.inputs),
      "placeholders": list(facts?.placeholders[index] ?? [], nil),
      "outputs": list(signature.outputs, metadata.outputs),
    ])
  }

  private static func json(
    _ tensor: TensorDescription, at index: Int, _ graphName: String?, _ metadata: TensorMetadata?
  ) -> JSONValue {
    .object([
      "index": .number(Double(index)),
      "name": .string(tensor.name),
      "tensor": .stringOrNull(graphName),
      "type": .string(tensor.typeName),
      "shape": tensor.rankIsUnknown ? .null : .integers(tensor.shape),
      "has_default": .bool(tensor.hasDefault),
      "quantization": tensor.quantization.map(json) ?? .null,
      "metadata": metadata.map(json) ?? .null,
    ])
  }

  private static func json(_ quantization: StoredQuantization) -> JSONValue {
    .object([
      "scales": .floats(quantization.scales),
      "zero_points": .integers(quantization.zeroPoints.map { Int(clamping: $0) }),
      "axis": .numberOrNull(quantization.axis.map(Double.init)),
    ])
  }

  private static func json(_ metadata: TensorMetadata) -> JSONValue {
    .object([
      "name": .stringOrNull(metadata.name),
      "description": .stringOrNull(metadata.description),
      "content": .stringOrNull(metadata.content.map(word)),
      "color_space": .stringOrNull(metadata.content.flatMap(colorSpace)),
      "normalization": metadata.normalization.map {
        .object(["mean": .floats($0.mean), "std": .floats($0.std)])
      } ?? .null,
      "minimum": .floats(metadata.minimum),
      "maximum": .floats(metadata.maximum),
      "labels": metadata.labels.map(JSONValue.strings) ?? .null,
      "value_labels": metadata.valueLabels.map(JSONValue.strings) ?? .null,
      "score_threshold": .numberOrNull(metadata.scoreThreshold?.shortestDouble),
    ])
  }

  // MARK: - Bundle

  private func json(_ bundle: ModelBundle) -> JSONValue {
    let manifest = bundle.manifest
    func list(_ layers: [ModelManifest.Layer]) -> JSONValue {
      .array(layers.map { Self.json($0, in: bundle) })
    }
    let operations = manifest.trainingOperations.map { name in
      JSONValue.object([
        "name": .string(name), "exists": foundOperations[name].map(JSONValue.bool) ?? .null,
      ])
    }
    return .object([
      "name": .string(manifest.name),
      "details": .string(manifest.details),
      "id": .string(manifest.id),
      "version": .string(manifest.version),
      "author": .string(manifest.author),
      "license": .string(manifest.license),
      "placeholder": .bool(manifest.isPlaceholder),
      "file": .string(manifest.model.file),
      "backend": .stringOrNull(bundle.backendName),
      "type": .stringOrNull(manifest.model.type),
      "class": .stringOrNull(manifest.model.className),
      "quantized": .bool(manifest.model.isQuantized),
      "modes": .strings(manifest.model.modes.names),
      "inputs": list(manifest.inputs),
      "outputs": list(manifest.outputs),
      "placeholders": list(manifest.placeholders),
      "train_ops": .array(operations),
      "options": .object(manifest.options.values),
    ])
  }

  /// Returns an input or output, as in the report.
  package static func json(_ layer: ModelManifest.Layer, in bundle: ModelBundle) -> JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(layer.name), "type": .string(layer.typeName),
      "shape": .integers(layer.shape), "dtype": .stringOrNull(layer.dataType?.rawValue),
    ]
    switch layer.kind {
    case .array(let quantization, let file):
      members["quantization"] = quantization.map(json) ?? .null
      members["labels_file"] = .stringOrNull(file)
      members["labels"] = bundle.labels(of: layer).map { .strings($0.names) } ?? .null
    case .scalar(let quantization):
      members["quantization"] = quantization.map(json) ?? .null
    case .imageInput(let shape, let preprocessing):
      members["format"] = .string(shape.format.rawValue)
      members["layout"] = .string(shape.layout.rawValue)
      members["resize"] = .string(preprocessing.resize.rawValue)
      members["crop"] = json(preprocessing.crop)
      members["normalize"] =
        preprocessing.normalization.map { json($0.scale, $0.bias, shape.format) } ?? .null
    case .imageOutput(let shape, let values):
      members["format"] = .string(shape.format.rawValue)
      members["layout"] = .string(shape.layout.rawValue)
      members["denormalize"] = values.map { json($0.scale, $0.bias, shape.format) } ?? .null
    case .classMap(let shape, let file):
      members["format"] = .string(ClassMapShape.formatName)
      members["layout"] = .string(shape.layout.rawValue)
      members["labels_file"] = .stringOrNull(file)
      members["labels"] = bundle.labels(of: layer).map { .strings($0.names) } ?? .null
    case .string: break
    }
    if let coding = layer.coding {
      if ["audio", "features", "text"].contains(coding.type) {
        members.merge(coding.options) { first, _ in first }
      } else {
        members["decode"] = .object(
          coding.options.merging(["type": .string(coding.type)]) { first, _ in first })
      }
    }
    return .object(members)
  }

  private static func json(_ quantization: Quantization) -> JSONValue {
    switch quantization {
    case .model: .object(["standard": .string("model")])
    case .linear(let scale, let bias):
      .object(["scale": .float(scale), "bias": .float(bias)])
    }
  }

  private static func json(_ crop: ImageCrop) -> JSONValue {
    var members: [String: JSONValue] = [
      "mode": .string(crop.mode.rawValue), "fraction": .number(crop.fraction),
    ]
    if crop.mode == .pad {
      let parts = ["r": crop.color.red, "g": crop.color.green, "b": crop.color.blue]
      members["color"] = .object(parts.mapValues { .integer(Int64($0)) })
      members["rounding"] = .string(crop.rounding.rawValue)
    }
    return .object(members)
  }

  private static func json(
    _ scale: ColorValues, _ bias: ColorValues, _ format: ImageShape.Format
  ) -> JSONValue {
    .object([
      "scale": scale.common.map(JSONValue.float) ?? .colors(scale),
      "bias": format == .gray ? .float(bias.red) : .colors(bias),
    ])
  }

  private static func word(_ content: TensorMetadata.Content) -> String {
    switch content {
    case .features: "features"
    case .image: "image"
    case .boundingBoxes: "bounding_boxes"
    case .audio: "audio"
    case .other: "other"
    }
  }

  private static func colorSpace(_ content: TensorMetadata.Content) -> String? {
    if case .image(let space, _, _) = content { space.rawValue } else { nil }
  }
}
