// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO

extension VisionModel {
  /// The model as it appears in lists.
  var json: JSONObject {
    let manifest = bundle.manifest
    return [
      "id": id, "name": manifest.name, "details": manifest.details, "author": manifest.author,
      "license": manifest.license, "version": manifest.version, "type": manifest.model.type,
      "backend": bundle.backendName, "kind": kind.rawValue, "is_shipped": isShipped,
      "can_run": reason == nil, "reason": reason, "input": input, "classes": labels.count,
      "size_bytes": byteCount, "device_position": manifest.options.devicePosition?.rawValue,
      "output_format": manifest.options.outputFormat, "origin": origin,
    ]
  }

  /// Returns the model's details, which also appear on its own page.
  ///
  /// - Throws: `TensorIOError` if model.json can't be read.
  func details() throws -> JSONObject {
    var details = json
    details.set("labels", labels)
    details.set("inputs", bundle.manifest.inputs.map(Self.json))
    details.set("outputs", bundle.manifest.outputs.map(Self.json))
    let text = try FileSystem.read(bundle.path + "/model.json")
    details.set("manifest", String(decoding: text, as: UTF8.self))
    return details
  }

  /// The names of the model's classes, or an empty array if it has none.
  var labels: [String] {
    bundle.manifest.outputs.lazy.compactMap { bundle.labels(of: $0) }.first?.names ?? []
  }

  private var input: JSONObject? {
    guard let layer = bundle.manifest.inputs.first, case .imageInput(let shape, _) = layer.kind
    else { return nil }
    return [
      "name": layer.name, "width": shape.width, "height": shape.height,
      "format": shape.format.rawValue,
    ]
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

  private static func json(_ layer: ModelManifest.Layer) -> JSONObject {
    let type =
      switch layer.kind {
      case .array: "array"
      case .scalar: "scalar"
      case .imageInput, .imageOutput: "image"
      case .classMap: "class map"
      case .string: "string"
      }
    return [
      "name": layer.name, "type": type, "shape": layer.shape,
      "data_type": layer.dataType.map { "\($0)" },
    ]
  }
}
#endif
