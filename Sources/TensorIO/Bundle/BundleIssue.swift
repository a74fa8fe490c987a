// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A problem that a validation found in a bundle: where it is, what was expected, what was found,
/// and how to fix it.
public struct BundleIssue: Sendable, Hashable {
  /// The rule that the bundle breaks.
  public var code: Code
  /// Whether the bundle can be used despite the issue.
  public var severity: Severity
  /// The path in model.json, such as `inputs[0].quantize.scale`, or the name of a file.
  public var path: String
  /// What the rule requires.
  public var expected: String
  /// What the bundle has.
  public var found: String
  /// How to fix it.
  public var suggestion: String

  /// Makes an issue.
  public init(
    _ code: Code, severity: Severity = .error, path: String, expected: String, found: String,
    suggestion: String
  ) {
    self.code = code
    self.severity = severity
    self.path = path
    self.expected = expected
    self.found = found
    self.suggestion = suggestion
  }

  /// The severity of an issue.
  public enum Severity: String, Sendable {
    /// The bundle cannot be used.
    case error
    /// The bundle works, but perhaps not as its author intended.
    case warning
  }

  /// The rules.
  public enum Code: String, Sendable, CaseIterable {
    /// The folder is missing or is not a folder.
    case notFound = "not-found"
    /// The folder's extension is not .tiobundle.
    case wrongExtension = "wrong-extension"
    /// The folder's extension is .tfbundle, which is deprecated.
    case deprecatedExtension = "deprecated-extension"
    /// The folder has no model.json, or it cannot be read.
    case noManifest = "no-manifest"
    /// model.json is not JSON.
    case malformedJSON = "malformed-json"
    /// A required key is missing.
    case missingKey = "missing-key"
    /// A key is unknown at its path.
    case unknownKey = "unknown-key"
    /// A value has the wrong JSON type.
    case wrongType = "wrong-type"
    /// A string is not one of those that the key takes.
    case unknownValue = "unknown-value"
    /// A shape is impossible, or is not that of an image.
    case badShape = "bad-shape"
    /// A key is set on a layer that cannot have it.
    case misplacedKey = "misplaced-key"
    /// Keys are set that exclude each other.
    case conflictingKeys = "conflicting-keys"
    /// Two layers have the same name.
    case duplicateName = "duplicate-name"
    /// A path leads out of the bundle.
    case pathOutsideBundle = "path-outside-bundle"
    /// The model file is missing.
    case missingModelFile = "missing-model-file"
    /// The model file's kind does not determine the backend, or contradicts it.
    case unknownBackend = "unknown-backend"
    /// The backend does not support the mode or feature.
    case unsupportedByBackend = "unsupported-by-backend"
    /// A labels file is missing or unreadable.
    case missingLabels = "missing-labels"
    /// A labels file has fewer names than the layer has values.
    case tooFewLabels = "too-few-labels"
    /// A labels file has more names than the layer has values.
    case tooManyLabels = "too-many-labels"
    /// A field has no effect here.
    case ignoredField = "ignored-field"
    /// The number of layers differs from the model's.
    case layerCount = "layer-count"
    /// The layers have the model's names in a different order.
    case layerOrder = "layer-order"
    /// The model has no such tensor or signature.
    case unknownTensor = "unknown-tensor"
    /// The model does not have the operation, or `train.ops` needs values that no layer provides.
    case badTrainingOperation = "bad-training-operation"
    /// A layer's data type differs from the tensor's.
    case dataTypeMismatch = "data-type-mismatch"
    /// A layer's element count differs from the tensor's.
    case elementCountMismatch = "element-count-mismatch"
    /// A layer reads fewer values than the tensor has.
    case partialOutput = "partial-output"
    /// `quantized` contradicts the model.
    case quantizationMismatch = "quantization-mismatch"
    /// The model file is not a model, or the runtime cannot run it.
    case unusableModel = "unusable-model"
    /// The model keeps state from run to run.
    case keepsState = "keeps-state"
    /// A string is still the placeholder that `tensorio init` writes for what the model does not
    /// say.
    case unfinishedText = "unfinished-text"
    /// The program's own check failed.
    case custom
  }
}

extension BundleIssue: CustomStringConvertible {
  public var description: String {
    "\(path): expected \(expected), found \(found) [\(code.rawValue)]. \(suggestion)"
  }
}
