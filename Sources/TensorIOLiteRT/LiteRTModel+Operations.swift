// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import TensorIO

extension LiteRTModel {
  /// The name of the operation that replaces everything that `edgetpu_compiler` compiled.
  static let edgeTPUOperation = "edgetpu-custom-op"

  /// The error for a model that runs only on an Edge TPU.
  static var edgeTPUError: TensorIOError {
    TensorIOError(
      .unsupportedModel,
      "The model is compiled for a Coral Edge TPU and cannot run on anything else. Use the file "
        + "that was the input of edgetpu_compiler; its name usually doesn't contain '_edgetpu'.")
  }

  /// Rejects a model that is compiled for an Edge TPU.
  ///
  /// - Throws: ``TensorIOError`` with the code ``TensorIOError/Code/unsupportedModel``.
  package func refuseEdgeTPU() throws {
    let isCompiled = file.customOperations.contains { $0.code?.customName == Self.edgeTPUOperation }
    if isCompiled { throw Self.edgeTPUError }
  }

  /// Returns the meaning of each output of a signature that ends in `TFLite_Detection_PostProcess`.
  ///
  /// - Parameter index: The signature's index in ``signatures``.
  /// - Returns: `boxes`, `classes`, `scores` or `count` for each output, or nil for a model that
  ///   doesn't end in that operation.
  /// - Throws: ``TensorIOError`` when the graph cannot be read.
  package func detectionOutputs(ofSignature index: Int) throws -> [String]? {
    let names = ["boxes", "classes", "scores", "count"]
    let last = file.customOperations.last {
      $0.code?.customName == "TFLite_Detection_PostProcess"
    }
    guard let last, last.outputs.count == names.count else { return nil }
    let outputs = try graph.tensors(ofSignature: index).outputs.compactMap { output -> String? in
      guard let number = graph.index(of: output.tensor) else { return nil }
      return last.outputs.firstIndex(of: Int32(clamping: number)).map { names[$0] }
    }
    return Set(outputs).count == names.count && outputs.count == names.count ? outputs : nil
  }
}
