// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import NetRunner
import TensorIO
import TensorIODecoding
import TensorIOEncoding

/// A bundle of the catalogue, and whether Net Runner can run it.
struct ServedModel: Sendable {
  let bundle: ModelBundle
  /// The state of the bundle's files, which tells whether they were changed since.
  let state: BundleState
  /// Whether the model came with the program, so that it can't be deleted or replaced.
  let isShipped: Bool
  /// Why Net Runner can't show the model, or nil if no reason is known.
  private(set) var reason: String?
  /// Why the model can't run at all, if its trial failed.
  private var trialProblem: String?
  private(set) var hasPassed = false
  /// The repository and version that the model came from, or nil if it came from somewhere else.
  let origin: BundleOrigin?
  /// What has been loaded of the bundle, which the catalogue's copies of the model share.
  var loaded = Loaded()

  var id: String { bundle.manifest.id }
  var isOfLiteRT: Bool { bundle.backendName == "tflite" }

  /// Why the model can't be loaded, if that is known, regardless of what its inputs are.
  var problem: String? {
    if bundle.manifest.isPlaceholder { return reason }
    return unloadedProblem ?? loaded.problem ?? trialProblem
  }

  /// Says that the model was unloaded, or nil if it wasn't.
  private var unloadedProblem: String? { loaded.isUnloaded ? unloadedError.message : nil }

  /// The error of requests for the model while it is unloaded.
  var unloadedError: WebError {
    WebError(
      status: .conflict, code: "model_unloaded",
      message: "The model was unloaded. Load it with POST /v2/repository/models/\(id)/load.")
  }

  init(_ bundle: ModelBundle, isShipped: Bool) {
    self.bundle = bundle
    state = BundleState(bundle)
    self.isShipped = isShipped
    reason = Self.reason(against: bundle.manifest)
    origin = isShipped ? nil : BundleOrigin(ofBundle: bundle.path)
  }

  func tried(_ outcome: ModelTrials.Outcome?) -> ServedModel {
    var model = self
    switch outcome {
    case .passed: model.hasPassed = true
    case .failed(let problem):
      model.trialProblem = problem
      model.reason = reason ?? problem
    case nil: break
    }
    return model
  }

  /// Returns why Net Runner can't show a model, or nil if it can.
  private static func reason(against manifest: ModelManifest) -> String? {
    if manifest.isPlaceholder { return "It is a placeholder without a model." }
    guard manifest.inputs.isEmpty || ModelSubject(of: manifest) != nil else {
      return
        "It takes \(manifest.inputs.count) inputs, of which one is an image or a recording. Net "
        + "Runner shows models that take only one image or one recording, or numbers and text."
    }
    return manifest.inputs.isEmpty ? "It takes no input." : nil
  }

  /// What the model takes; nil if Net Runner can't show it.
  var subject: ModelSubject? { ModelSubject(of: bundle.manifest) }

  /// The kind of a model's outputs, which decides how the page shows them.
  enum Kind: String {
    case classification, segmentation, detection, keypoints, image, values
  }

  var kind: Kind {
    let outputs = bundle.manifest.outputs
    if outputs.contains(where: { if case .classMap = $0.kind { true } else { false } }) {
      return .segmentation
    }
    if outputs.contains(where: { if case .imageOutput = $0.kind { true } else { false } }) {
      return .image
    }
    let signature = ModelSignature(of: bundle)
    if signature.findsObjects { return .detection }
    if signature.outputs.contains(where: \.drawsObjects) { return .keypoints }
    if outputs.contains(where: { $0.coding?.type == "depth" }) { return .image }
    if findsKeypoints { return .keypoints }
    return outputs.contains { bundle.labels(of: $0) != nil || $0.namesLabels }
      ? .classification : .values
  }

  /// Whether the model sees only small images, such as drawings of digits.
  var isForDrawings: Bool {
    guard case .imageInput(let shape, _)? = bundle.manifest.inputs.first?.kind else { return false }
    return max(shape.width, shape.height) <= 64
  }

  /// Whether the first output contains keypoints.
  ///
  /// Its rows must be y, x and optionally a score, without labels. It must also have the 17 joints
  /// of MoveNet's output, or `model.type` must say that it contains points.
  private var findsKeypoints: Bool {
    guard let output = bundle.manifest.outputs.first, bundle.labels(of: output) == nil,
      case .array = output.kind, output.shape.count >= 2, let length = output.shape.last,
      length == 2 || length == 3
    else { return false }
    let type = bundle.manifest.model.type ?? ""
    return output.shape.suffix(2) == [17, 3]
      || ["keypoint", "pose", "landmark"].contains(where: type.contains)
  }
}

extension ModelManifest.Layer {
  /// Whether the output is decoded to labels: two classes, those that apply, or those of the nearest
  /// vectors.
  fileprivate var namesLabels: Bool {
    ["binary", "multi-label"].contains(coding?.type)
      || (coding?.type == "embedding" && coding?["gallery"] != nil)
  }
}

extension ServedModel {
  /// The model as it appears in lists.
  var json: JSONObject {
    let manifest = bundle.manifest
    return [
      "id": id, "name": manifest.name, "details": manifest.details, "author": manifest.author,
      "license": manifest.license, "version": manifest.version, "type": manifest.model.type,
      "backend": bundle.backendName, "kind": kind.rawValue, "is_shipped": isShipped,
      "can_run": reason == nil, "reason": reason, "takes": subject?.rawValue, "input": input,
      "classes": labels.count,
      "size_bytes": byteCount, "device_position": manifest.options.devicePosition?.rawValue,
      "output_format": manifest.options.outputFormat, "origin": origin,
    ]
  }

  func details() throws -> JSONObject {
    var details = json
    if reason == nil, let subject { try addInputs(of: subject, to: &details) }
    details.set("labels", labels)
    details.set("inputs", bundle.manifest.inputs.map(Self.json))
    details.set("outputs", bundle.manifest.outputs.map(Self.json))
    let text = try FileSystem.read(bundle.path + "/model.json")
    details.set("manifest", String(decoding: text, as: UTF8.self))
    return details
  }

  /// Adds what the page needs to ask for a recording or for values.
  private func addInputs(of subject: ModelSubject, to details: inout JSONObject) throws {
    let inputs = ModelSignature(of: bundle).inputs
    switch subject {
    case .image: break
    case .recording:
      let window = try inputs[0].audioWindow()
      // A window of a layer with a step is often too short to mean something. Its results are averaged.
      let hasStep = inputs[0].coding?.count("step") != nil
      let samples = hasStep ? max(window.samples, window.sampleRate) : window.samples
      details.set("recording", ["sample_rate": window.sampleRate, "samples": samples])
    case .fields: details.set("fields", try InputField.fields(of: inputs).map(\.json))
    }
  }

  /// The names of the model's classes, or an empty array if it has none.
  var labels: [String] {
    let outputs = ModelSignature(of: bundle).outputs
    return outputs.lazy.compactMap { $0.labels ?? $0.coding?.labels }.first?.names ?? []
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
