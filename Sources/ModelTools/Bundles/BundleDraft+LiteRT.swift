// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
package import TensorIOLiteRT

extension BundleDraft {
  /// Describes one signature of a TensorFlow Lite model.
  ///
  /// If only the values of the outputs show what they mean, and `mayRun` is true, the model is run
  /// once on an empty image.
  package init(
    model: LiteRTModel, signature index: Int, bundleName: String, mayRun: Bool = false
  ) throws {
    try model.refuseEdgeTPU()
    let signature = model.signatureWithShapes(at: index)
    let metadata = model.metadata
    var tensors = metadata.tensors(of: signature, at: index)
    let parameters = model.parameters.map { ParameterDescription($0, signature) }
    parameters?.complete(&tensors)
    var recognized = try RecognizedModel(model, signature, at: index, metadata, &tensors)
    if let parameters {
      recognized = (recognized ?? RecognizedModel()).completed(
        from: parameters, about: metadata)
    }
    if mayRun, let decoder = recognized?.decoder, decoder.type == "yolo",
      let largest = model.largestCentre(of: decoder, in: signature)
    {
      recognized?.decoder?.setUnits(largest: largest)
    }
    var drafter = LayerDrafter(signature, recognized: recognized)
    let inputs = try drafter.inputs(tensors.inputs)
    let outputs = try drafter.outputs(tensors.outputs)
    self.init(
      drafter, model.signatures, at: index, about: recognized?.about ?? metadata,
      bundleName: bundleName,
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

  /// Runs the model on an empty image, and returns the largest coordinate of the boxes' centres.
  ///
  /// It is that of the left upper corners if the model itself chooses among its boxes. The result
  /// is nil if the model can't be run.
  fileprivate func largestCentre(
    of decoder: DecoderDraft, in signature: SignatureDescription
  ) -> Float? {
    let tensor = signature.outputs[decoder.output]
    guard let dataType = tensor.dataType, let shape = recognizedShape(tensor.shape) else {
      return nil
    }
    let spec = TensorSpec(
      name: tensor.name, shape: shape, dataType: dataType,
      kind: .vector(tensor.quantization == nil ? nil : .model, labels: nil),
      storedQuantization: tensor.quantization)
    var largest: Float?
    do {
      // A new session's inputs are zeros.
      let session = try makeSession(signature, options: SessionOptions())
      try session.run()
      try session.withOutput(at: decoder.output) { bytes in
        let values = try [Float].decode(bytes, as: spec)
        let isRowwise = decoder.layout == "v8"
        let (rows, columns) = (shape[1], shape[2])
        guard values.count == rows * columns else { return }
        let indices =
          isRowwise
          ? Array(0..<(2 * columns)) : (0..<rows).flatMap { [$0 * columns, $0 * columns + 1] }
        largest = indices.lazy.map { values[$0] }.filter(\.isFinite).max()
      }
    } catch {
      // The file is described even if the model can't run. Loading the bundle reports the reason.
    }
    return largest
  }

  /// Returns a shape [1, rows, columns] with at least two rows and columns; nil for any other.
  private func recognizedShape(_ shape: [Int]) -> [Int]? {
    guard shape.count == 3, abs(shape[0]) == 1, shape[1] > 1, shape[2] > 1 else { return nil }
    return [1] + shape.dropFirst()
  }
}

extension RecognizedModel {
  /// Recognizes a model by its metadata, its operations, or the shapes of its tensors.
  ///
  /// Labels that the tensors' metadata has only by mistake are removed from it.
  fileprivate init?(
    _ model: LiteRTModel, _ signature: SignatureDescription, at index: Int,
    _ metadata: ModelMetadata?,
    _ tensors: inout (inputs: [TensorMetadata?], outputs: [TensorMetadata?])
  ) throws {
    let input = tensors.inputs.first ?? nil
    let known = Self.export(of: model)
    if known != nil {
      // The older exporter attached its dictionary as labels.
      for output in tensors.outputs.indices { tensors.outputs[output]?.labels = nil }
    }
    if let known, let export = RecognizedModel(known, signature, input) {
      self = export
      if let labels, signature.outputs.count == 1 {
        tensors.outputs = [TensorMetadata(labels: labels)]
      }
      return
    }
    let names =
      try model.detectionOutputs(ofSignature: index) ?? Self.detectionNames(tensors.outputs)
    if let names {
      self.init(detections: names, signature, input, tensors.outputs)
    } else if let detector = metadata?.detector, index == 0,
      let found = RecognizedModel(detector, signature, input, tensors.outputs)
    {
      self = found
    } else if let sound = RecognizedModel(
      soundShapesOf: signature, hasLabels: tensors.outputs.first??.labels != nil)
    {
      self = sound
      if let labels, tensors.outputs.first??.labels == nil {
        tensors.outputs = [TensorMetadata(labels: labels)]
      }
    } else {
      self.init(shapesOf: signature, input)
    }
  }

  private static func export(of model: LiteRTModel) -> UltralyticsMetadata? {
    guard let file = model.attachedFile(UltralyticsMetadata.fileNames), let bytes = file.bytes
    else { return nil }
    return UltralyticsMetadata(bytes, named: file.name)
  }
}
