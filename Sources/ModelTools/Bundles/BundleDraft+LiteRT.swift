// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
package import TensorIOLiteRT

extension BundleDraft {
  /// Describes one signature of a TensorFlow Lite model.
  ///
  /// - Throws: ``TensorIOError`` when a layer cannot be described.
  package init(model: LiteRTModel, signature index: Int, bundleName: String) throws {
    try model.refuseEdgeTPU()
    let signature = model.signatureWithShapes(at: index)
    let metadata = model.metadata
    let detection = try model.detectionOutputs(ofSignature: index)
    var drafter = LayerDrafter(signature, detection: detection)
    let (inputMetadata, outputMetadata) =
      metadata?.tensors(of: signature, at: index)
      ?? (signature.inputs.map { _ in nil }, signature.outputs.map { _ in nil })
    let inputs = try drafter.inputs(inputMetadata)
    let outputs = try drafter.outputs(outputMetadata)

    var blanks: [String] = []
    let about = About(
      name: metadata?.name, details: metadata?.description, version: metadata?.version,
      author: metadata?.author, license: metadata?.license)
    var members = Self.members(about, bundleName: bundleName, blanks: &blanks)
    let modelFile = "model.tflite"
    var file: Members = [
      ("file", .string(modelFile)), ("quantized", .bool(drafter.isQuantized)),
    ]
    if let type = drafter.modelType { file.append(("type", .string(type))) }
    file.append(("backend", .string("tflite")))
    file.append(("modes", .strings(["predict"])))
    if model.signatures.count > 1 { file.append(("signature", .string(signature.key))) }
    members.append(("model", .object(file)))
    members.append(("inputs", .array(inputs)))
    members.append(("outputs", .array(outputs)))
    if let options = drafter.options { members.append(("options", options)) }
    self.init(
      modelFile: modelFile, manifest: .object(members), assets: drafter.assets, blanks: blanks,
      checks: Self.signatureChecks(model.signatures, chosen: index) + drafter.checks
        + (metadata?.problems ?? []))
    assumptions = drafter.checks.filter { !$0.hasPrefix("labels of ") && !$0.hasPrefix("options.") }
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
