// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NetRunner
import TensorIO

extension VisionModel {
  /// The model as it appears in lists.
  var json: [String: JSONValue] {
    let manifest = bundle.manifest
    return [
      "id": .string(id), "name": .string(manifest.name), "details": .string(manifest.details),
      "author": .string(manifest.author), "license": .string(manifest.license),
      "version": .string(manifest.version), "type": .text(manifest.model.type),
      "backend": .text(bundle.backendName), "kind": .string(kind.rawValue),
      "is_shipped": .bool(isShipped), "can_run": .bool(reason == nil), "reason": .text(reason),
      "input": input, "classes": .count(labels.count), "size_bytes": .count(byteCount),
      "device_position": .text(manifest.options.devicePosition?.rawValue),
      "output_format": .text(manifest.options.outputFormat),
      "origin": origin.map(Self.json) ?? .null,
    ]
  }

  /// Returns the model's details, which also appear on its own page.
  ///
  /// - Throws: `TensorIOError` if model.json can't be read.
  func details() throws -> JSONValue {
    var members = json
    members["labels"] = .array(labels.map { .string($0) })
    members["inputs"] = .array(bundle.manifest.inputs.map(Self.json))
    members["outputs"] = .array(bundle.manifest.outputs.map(Self.json))
    let text = try FileSystem.read(bundle.path + "/model.json")
    members["manifest"] = .string(String(decoding: text, as: UTF8.self))
    return .object(members)
  }

  /// The names of the model's classes, or an empty array if it has none.
  var labels: [String] {
    bundle.manifest.outputs.lazy.compactMap { bundle.labels(of: $0) }.first?.names ?? []
  }

  private var input: JSONValue {
    guard let layer = bundle.manifest.inputs.first, case .imageInput(let shape, _) = layer.kind
    else { return .null }
    return .object([
      "name": .string(layer.name), "width": .count(shape.width), "height": .count(shape.height),
      "format": .string(shape.format.rawValue),
    ])
  }

  /// The total size of the bundle's files in bytes, without hidden ones.
  private var byteCount: Int {
    let keys: Set<URLResourceKey> = [.fileSizeKey, .isRegularFileKey]
    let files = FileManager.default.enumerator(
      at: URL(filePath: bundle.path), includingPropertiesForKeys: Array(keys),
      options: .skipsHiddenFiles)
    return (files?.allObjects ?? []).reduce(0) { sum, file in
      let values = try? (file as? URL)?.resourceValues(forKeys: keys)
      return sum + (values?.isRegularFile == true ? values?.fileSize ?? 0 : 0)
    }
  }

  private static func json(_ origin: BundleOrigin) -> JSONValue {
    .object([
      "repository": .string(origin.repository), "channel": .string(origin.channel),
      "model": .string(origin.model), "version": .string(origin.version),
      "manifest": .string(origin.manifest), "document_version": .count(origin.documentVersion),
    ])
  }

  private static func json(_ layer: ModelManifest.Layer) -> JSONValue {
    let type =
      switch layer.kind {
      case .array: "array"
      case .scalar: "scalar"
      case .imageInput, .imageOutput: "image"
      case .classMap: "class map"
      case .string: "string"
      }
    return .object([
      "name": .string(layer.name), "type": .string(type),
      "shape": .array(layer.shape.map(JSONValue.count)),
      "data_type": .text(layer.dataType.map { "\($0)" }),
    ])
  }
}
#endif
