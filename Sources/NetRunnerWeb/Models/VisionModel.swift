// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import TensorIO

/// A bundle of the catalogue, and whether Net Runner can run it.
struct VisionModel: Sendable {
  let bundle: ModelBundle
  /// Whether it came with the program: it is not deleted or replaced.
  let isShipped: Bool
  /// Why Net Runner cannot show it; nil where nothing is known against it.
  private(set) var reason: String?
  /// Why it cannot run at all, as a trial has shown.
  private(set) var problem: String?
  /// Whether a trial has shown that it runs.
  private(set) var hasPassed = false
  /// Which version of a repository it is; nil for one that came another way.
  let origin: BundleOrigin?

  var id: String { bundle.manifest.id }
  /// Whether LiteRT runs it.
  var isOfLiteRT: Bool { bundle.backendName == "tflite" }

  init(_ bundle: ModelBundle, isShipped: Bool) {
    self.bundle = bundle
    self.isShipped = isShipped
    reason = Self.reason(against: bundle.manifest)
    origin = isShipped ? nil : BundleOrigin(ofBundle: bundle.path)
  }

  /// The same model, with what its trial has shown.
  func tried(_ outcome: ModelTrials.Outcome?) -> VisionModel {
    var model = self
    switch outcome {
    case .passed: model.hasPassed = true
    case .failed(let problem):
      model.problem = problem
      model.reason = reason ?? problem
    case nil: break
    }
    return model
  }

  /// What Net Runner asks of a model: one input, a picture.
  private static func reason(against manifest: ModelManifest) -> String? {
    if manifest.isPlaceholder { return "It is a placeholder, without a model." }
    guard manifest.inputs.count == 1 else {
      return
        "It takes \(manifest.inputs.count) inputs, and Net Runner shows models that take one picture."
    }
    guard case .imageInput = manifest.inputs[0].kind else {
      return "Its input '\(manifest.inputs[0].name)' isn't a picture."
    }
    return nil
  }

  /// What the outputs are, as the page shows them.
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
    if ModelSignature(of: bundle).findsObjects { return .detection }
    if findsKeypoints { return .keypoints }
    return outputs.contains { bundle.labels(of: $0) != nil } ? .classification : .values
  }

  /// Whether the first output is rows of y, x and perhaps a score without labels, and is known to be
  /// points: by the 17 joints of MoveNet's output, or by what `model.type` says of it.
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
#endif
