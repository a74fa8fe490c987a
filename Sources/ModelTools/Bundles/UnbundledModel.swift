// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A .tflite file that runs without a bundle, based on its own metadata.
package enum UnbundledModel {
  /// Calls a closure with the path of a bundle that exists only while the closure runs.
  ///
  /// The bundle describes the signature with the key, or the first one. It is an error if the file
  /// doesn't say what a run needs to know.
  package static func withBundle<Result>(
    ofModelAt path: String, signature key: String?, _ body: (String) throws -> Result
  ) throws -> Result {
    let parts = FileSystem.name(of: path).split(separator: ".").dropLast()
    let name = parts.isEmpty ? "model" : parts.joined(separator: ".")
    let model = try LiteRTBackend().liteRTModel(at: path)
    let index = try model.signatures.index(ofKey: key)
    let draft = try BundleDraft(model: model, signature: index, bundleName: name)
    if let unknown = draft.assumptions.first {
      throw TensorIOError(
        .invalidModel,
        "'\(path)' is a model without a bundle, and its metadata lacks what a run needs "
          + "(\(unknown)). Create a bundle with 'tensorio init \(path) -o "
          + "\(name)\(BundleWriter.fileExtension)', complete its model.json, and run the bundle.")
    }
    if draft.assets.contains(where: { $0.name == LayerDrafter.anchorsFile }) {
      throw TensorIOError(
        .invalidModel,
        "'\(path)' is a model without a bundle, and its anchors have to be in a file that stays. "
          + "Create a bundle with 'tensorio init \(path) -o \(name)\(BundleWriter.fileExtension)', "
          + "and run the bundle.")
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "tensorio-\(UUID().uuidString)").path
    let bundle = folder + "/model\(BundleWriter.fileExtension)"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try draft.write(to: bundle, modelPath: path)
    return try body(bundle)
  }
}

extension [SignatureDescription] {
  /// Returns the index of a signature, or of the first one if the key is nil.
  package func index(ofKey key: String?) throws -> Int {
    guard let key else { return 0 }
    guard let index = firstIndex(where: { $0.key == key }) else {
      let keys = map { "'\($0.key)'" }.joined(separator: ", ")
      throw TensorIOError(.invalidOption, "The model has no signature '\(key)'; it has \(keys).")
    }
    return index
  }
}
