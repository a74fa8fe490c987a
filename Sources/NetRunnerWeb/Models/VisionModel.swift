// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import NetRunner
import Synchronization
import TensorIO

/// A bundle of the catalogue, and whether Net Runner can run it.
struct VisionModel: Sendable {
  let bundle: ModelBundle
  /// Whether the model came with the program, so that it can't be deleted or replaced.
  let isShipped: Bool
  /// Why Net Runner can't show the model, or nil if no reason is known.
  private(set) var reason: String?
  /// Why the model can't run at all, if its trial failed.
  private var trialProblem: String?
  /// Whether the model's trial passed.
  private(set) var hasPassed = false
  /// The repository and version that the model came from, or nil if it came from somewhere else.
  let origin: BundleOrigin?
  /// What has been loaded of the bundle, which the catalogue's copies of the model share.
  var loaded = Loaded()

  /// What has been loaded of a bundle.
  final class Loaded: Sendable {
    let model = Mutex<InferenceModel?>(nil)
    let evaluator = Mutex<Evaluator?>(nil)
    /// Why the bundle couldn't be loaded at the last attempt.
    let problem = Mutex<String?>(nil)
  }

  var id: String { bundle.manifest.id }
  /// Whether LiteRT runs the model.
  var isOfLiteRT: Bool { bundle.backendName == "tflite" }

  /// Why the model can't be loaded, if that is known, regardless of what its inputs are.
  var problem: String? {
    bundle.manifest.isPlaceholder ? reason : loaded.problem.withLock { $0 } ?? trialProblem
  }

  init(_ bundle: ModelBundle, isShipped: Bool) {
    self.bundle = bundle
    self.isShipped = isShipped
    reason = Self.reason(against: bundle.manifest)
    origin = isShipped ? nil : BundleOrigin(ofBundle: bundle.path)
  }

  /// Returns the model with the outcome of its trial.
  func tried(_ outcome: ModelTrials.Outcome?) -> VisionModel {
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

  /// Returns why Net Runner can't show a model, or nil if its only input is an image.
  private static func reason(against manifest: ModelManifest) -> String? {
    if manifest.isPlaceholder { return "It is a placeholder without a model." }
    guard manifest.inputs.count == 1 else {
      return "It takes \(manifest.inputs.count) inputs, but Net Runner only shows models that take "
        + "one image."
    }
    guard case .imageInput = manifest.inputs[0].kind else {
      return "Its input '\(manifest.inputs[0].name)' isn't an image."
    }
    return nil
  }

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
    if ModelSignature(of: bundle).findsObjects { return .detection }
    if findsKeypoints { return .keypoints }
    return outputs.contains { bundle.labels(of: $0) != nil } ? .classification : .values
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
#endif
