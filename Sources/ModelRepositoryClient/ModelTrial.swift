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
package struct ModelTrial: Sendable {
  /// The path of a bundle's folder or a `.tflite` file.
  package let path: String
  private let backends: [any Backend]

  /// Creates a trial.
  ///
  /// - Parameters:
  ///   - path: The path of a bundle's folder or a `.tflite` file.
  ///   - backends: The backends that can run the model.
  package init(path: String, backends: [any Backend]) {
    self.path = path
    self.backends = backends
  }

  /// Tries the model.
  ///
  /// - Throws: `TensorIOError` that says why the model can't be used. The code `.missingLibrary`
  ///   means that this computer couldn't try it.
  package func run() throws {
    try FileSystem.isFolder(path) ? tryBundle() : tryFile()
  }

  private func tryBundle() throws {
    try InferenceModel.tryOut(ModelBundle(path), with: ModelLoader(backends: backends))
  }

  /// Tries a file without a bundle.
  ///
  /// Such a file doesn't describe its values, so each signature is run on zeros.
  private func tryFile() throws {
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
