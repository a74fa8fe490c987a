// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A bundle in a temporary folder, whose description is generated from its model.
struct ConformanceBundle {
  let folder: String
  let signature: SignatureDescription
  let bundle: ModelBundle

  /// Copies a model into a new bundle.
  ///
  /// `describe` may change the description of each input.
  init(
    _ model: String, in source: String, of backend: any Backend, signature index: Int = 0,
    describe: ((inout [String: JSONValue]) -> Void)? = nil
  ) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID())")
    folder = root.path
    let path = folder + "/conformance.tiobundle"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: source + "/" + model, toPath: path + "/" + model)
    let signatures = try backend.loadModel(at: path + "/" + model, for: .predict).signatures
    try require(signatures.indices.contains(index), "'\(model)' has no signature \(index).")
    signature = signatures[index]
    let document = Self.document(model, signature, backend, describe)
    try JSONEncoder().encode(document).write(to: URL(filePath: path + "/model.json"))
    bundle = try ModelBundle(path)
  }

  /// Removes the folder.
  ///
  /// Call this when no model needs it any more.
  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  private static func document(
    _ model: String, _ signature: SignatureDescription, _ backend: any Backend,
    _ describe: ((inout [String: JSONValue]) -> Void)?
  ) -> JSONValue {
    let inputs = signature.inputs.map { tensor in
      var layer = layer(tensor)
      describe?(&layer)
      return JSONValue.object(layer)
    }
    return .object([
      "name": .string(model), "details": .string(""), "id": .string(model),
      "version": .string("1"), "author": .string(""), "license": .string(""),
      "model": .object([
        "file": .string(model), "quantized": .bool(false), "backend": .string(backend.name),
      ]),
      "inputs": .array(inputs),
      "outputs": .array(signature.outputs.map { .object(layer($0)) }),
    ])
  }

  private static func layer(_ tensor: TensorDescription) -> [String: JSONValue] {
    [
      "name": .string(tensor.name),
      "type": .string(tensor.dataType == .string ? "string" : "array"),
      "dtype": .string(tensor.typeName),
      "shape": .array(tensor.shape.map { .number(Double($0)) }),
    ]
  }

  func model(
    of backend: any Backend, sessions: Int = 1, signatureKey: String? = nil
  ) throws -> InferenceModel {
    try InferenceModel(
      bundle: bundle,
      loader: ModelLoader(backends: [backend], sessions: sessions, signatureKey: signatureKey))
  }
}

/// Values that fit a layer, with a different set for every seed.
enum ConformanceValues {
  static func inputs(_ specs: [TensorSpec], seed: Int) -> ModelInputs {
    ModelInputs(named(specs, seed: seed))
  }

  static func named(_ specs: [TensorSpec], seed: Int) -> [String: any TensorEncodable] {
    var values: [String: any TensorEncodable] = [:]
    for (index, spec) in specs.enumerated() { values[spec.name] = value(spec, seed + 7 * index) }
    return values
  }

  static func value(_ spec: TensorSpec, _ seed: Int, count: Int? = nil) -> any TensorEncodable {
    let numbers = (0..<(count ?? spec.elementCount)).map { (seed * 31 + $0 * 17) % 61 }
    switch spec.dataType {
    case .float16, .float32, .float64: return numbers.map { Float($0) / 8 - 3 }
    case .bool: return numbers.map { $0 % 2 == 0 }
    case .string: return numbers.map { "text \($0)" }
    default: return numbers
    }
  }
}

extension ModelOutputs {
  /// Returns all outputs as bytes, in order, with one element for each string.
  func contents() throws -> [[Data]] {
    try specs.indices.map { index in
      if specs[index].dataType == .string { return try value(at: index, as: [Data].self) }
      return [try value(at: index, as: Data.self)]
    }
  }

  /// Returns whether two results are equal, or their floating-point numbers are within the
  /// tolerance.
  func agrees(with other: ModelOutputs, within tolerance: Double = 0) throws -> Bool {
    if try contents() == other.contents() { return true }
    guard tolerance > 0 else { return false }
    return try specs.indices.allSatisfy { index in
      let type = specs[index].dataType
      guard type == .float32 || type == .float64 || type == .float16 else {
        return try value(at: index, as: Data.self) == other.value(at: index, as: Data.self)
      }
      let mine = try value(at: index, as: [Double].self)
      let theirs = try other.value(at: index, as: [Double].self)
      return zip(mine, theirs).allSatisfy { one, two in
        (one - two).magnitude <= tolerance * Swift.max(one.magnitude, two.magnitude, 1e-30)
      }
    }
  }
}
