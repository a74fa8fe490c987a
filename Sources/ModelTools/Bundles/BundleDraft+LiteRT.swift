// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
package import TensorIOLiteRT

extension BundleDraft {
  package init(model: LiteRTModel, signature index: Int, bundleName: String) throws {
    try model.refuseEdgeTPU()
    let signature = model.signatureWithShapes(at: index)
    let metadata = model.metadata
    var drafter = LayerDrafter(signature, detection: try model.detectionOutputs(ofSignature: index))
    let tensors = metadata.tensors(of: signature, at: index)
    let inputs = try drafter.inputs(tensors.inputs)
    let outputs = try drafter.outputs(tensors.outputs)
    self.init(
      drafter, model.signatures, at: index, about: metadata, bundleName: bundleName,
      modelFile: "model.tflite", backend: "tflite", mode: "predict",
      layers: [("inputs", .array(inputs)), ("outputs", .array(outputs))],
      checks: Self.signatureChecks(model.signatures, chosen: index) + drafter.checks
        + (metadata?.problems ?? []))
  }
}

extension LiteRTModel {
  /// Returns a signature, and asks the runtime for the output shapes that the file leaves out.
  ///
  /// Older converters leave out the output shapes of custom operations. Such an output looks like a
  /// scalar.
  fileprivate func signatureWithShapes(at index: Int) -> SignatureDescription {
    var signature = signatures[index]
    guard signature.outputs.contains(where: { $0.shape.isEmpty }) else { return signature }
    do {
      let session = try makeSession(signature, options: SessionOptions())
      for output in signature.outputs.indices where signature.outputs[output].shape.isEmpty {
        signature.outputs[output].shape = session.outputShape(at: output)
      }
    } catch {
      // The file is described even if the model can't run. Loading the bundle reports the reason.
    }
    return signature
  }
}
