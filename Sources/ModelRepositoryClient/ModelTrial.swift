// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import TensorIO

/// Loads a model that nobody vouches for, and runs it once on zeros.
///
/// With backends that run models in processes of their own, a model that crashes, or takes more memory
/// or time than it is given, only fails its trial.
package struct ModelTrial: Sendable {
  /// A bundle's folder, or a .tflite file.
  package let path: String
  private let backends: [any Backend]

  /// Makes a trial.
  ///
  /// - Parameters:
  ///   - path: A bundle's folder, or a .tflite file.
  ///   - backends: What runs the model.
  package init(path: String, backends: [any Backend]) {
    self.path = path
    self.backends = backends
  }

  /// Tries the model.
  ///
  /// - Throws: `TensorIOError` that says why it cannot be used; `.missingLibrary` where this computer
  ///   cannot tell.
  package func run() throws {
    try FileSystem.isFolder(path) ? tryBundle() : tryFile()
  }

  private func tryBundle() throws {
    try InferenceModel.tryOut(ModelBundle(path), with: ModelLoader(backends: backends))
  }

  /// A file without a bundle does not describe its values: it is loaded, and run on zeros.
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
          for place in 0..<memory.byteCount {
            memory.storeBytes(of: 0, toByteOffset: place, as: UInt8.self)
          }
        }
      }
      try session.run()
    }
  }
}
#endif
