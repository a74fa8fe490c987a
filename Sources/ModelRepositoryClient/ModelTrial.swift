// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import TensorIO

/// Loads an untrusted model and runs it once on zeros.
///
/// If the backends run models in separate processes, a model that crashes, or exceeds its limits of
/// memory or time, only fails its trial.
package enum ModelTrial {
  /// Tries the model of a bundle's folder or a `.tflite` file.
  ///
  /// - Throws: `TensorIOError` that says why the model can't be used. The code `.missingLibrary`
  ///   means that this computer couldn't try it.
  package static func run(_ path: String, with backends: [any Backend]) throws {
    if FileSystem.isFolder(path) {
      try InferenceModel.tryOut(ModelBundle(path), with: ModelLoader(backends: backends))
    } else {
      try runFile(path, with: backends)
    }
  }

  /// Tries a file without a bundle.
  ///
  /// Such a file doesn't describe its values, so each signature is run on zeros.
  private static func runFile(_ path: String, with backends: [any Backend]) throws {
    guard let backend = backends.first(where: { $0.name == "tflite" }) else {
      throw TensorIOError(
        .unknownBackend, "'\(path)' needs the backend 'tflite', which this program does not have.")
    }
    let model = try backend.loadModel(at: path, for: .predict, options: SessionOptions())
    for signature in model.signatures where !signature.outputs.isEmpty {
      let session = try model.makeSession(signature, options: SessionOptions())
      guard signature.inputs.allSatisfy({ $0.dataType != .string }) else { continue }
      for index in signature.inputs.indices {
        try session.withInput(at: index) { memory in
          for offset in 0..<memory.byteCount {
            memory.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
          }
        }
      }
      try session.run()
    }
  }
}
#endif
