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
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// The folder is missing or is not a folder.
    public static let notFound = Code(rawValue: "not-found")
    /// The folder's extension is not .tiobundle.
    public static let wrongExtension = Code(rawValue: "wrong-extension")
    /// The folder's extension is .tfbundle, which is deprecated.
    public static let deprecatedExtension = Code(rawValue: "deprecated-extension")
    /// The folder has no model.json, or it cannot be read.
    public static let noManifest = Code(rawValue: "no-manifest")
    /// model.json is not JSON.
    public static let malformedJSON = Code(rawValue: "malformed-json")
    /// A required key is missing.
    public static let missingKey = Code(rawValue: "missing-key")
    /// A key is unknown at its path.
    public static let unknownKey = Code(rawValue: "unknown-key")
    /// A value has the wrong JSON type.
    public static let wrongType = Code(rawValue: "wrong-type")
    /// A string is not one of those that the key takes.
    public static let unknownValue = Code(rawValue: "unknown-value")
    /// A shape is impossible, or is not that of an image.
    public static let badShape = Code(rawValue: "bad-shape")
    /// A key is set on a layer that cannot have it.
    public static let misplacedKey = Code(rawValue: "misplaced-key")
    /// Keys are set that exclude each other.
    public static let conflictingKeys = Code(rawValue: "conflicting-keys")
    /// Two layers have the same name.
    public static let duplicateName = Code(rawValue: "duplicate-name")
    /// A path leads out of the bundle.
    public static let pathOutsideBundle = Code(rawValue: "path-outside-bundle")
    /// The model file is missing.
    public static let missingModelFile = Code(rawValue: "missing-model-file")
    /// The model file's kind does not determine the backend, or contradicts it.
    public static let unknownBackend = Code(rawValue: "unknown-backend")
    /// The backend does not support the mode or feature.
    public static let unsupportedByBackend = Code(rawValue: "unsupported-by-backend")
    /// A labels file is missing or unreadable.
    public static let missingLabels = Code(rawValue: "missing-labels")
    /// A decoder doesn't fit the outputs, or can't read its files.
    public static let decoderMismatch = Code(rawValue: "decoder-mismatch")
    /// An encoder's keys, such as the `columns` of `features`, don't fit its input or each other.
    public static let encoderMismatch = Code(rawValue: "encoder-mismatch")
    /// A file that a decoder needs is missing.
    public static let missingFile = Code(rawValue: "missing-file")
    /// A labels file has fewer names than the layer has values.
    public static let tooFewLabels = Code(rawValue: "too-few-labels")
    /// A labels file has more names than the layer has values.
    public static let tooManyLabels = Code(rawValue: "too-many-labels")
    /// A field has no effect here.
    public static let ignoredField = Code(rawValue: "ignored-field")
    /// The number of layers differs from the model's.
    public static let layerCount = Code(rawValue: "layer-count")
    /// The layers have the model's names in a different order.
    public static let layerOrder = Code(rawValue: "layer-order")
    /// The model has no such tensor or signature.
    public static let unknownTensor = Code(rawValue: "unknown-tensor")
    /// The model does not have the operation, or `train.ops` needs values that no layer provides.
    public static let badTrainingOperation = Code(rawValue: "bad-training-operation")
    /// A layer's data type differs from the tensor's.
    public static let dataTypeMismatch = Code(rawValue: "data-type-mismatch")
    /// A layer's element count differs from the tensor's.
    public static let elementCountMismatch = Code(rawValue: "element-count-mismatch")
    /// A layer reads fewer values than the tensor has.
    public static let partialOutput = Code(rawValue: "partial-output")
    /// `quantized` contradicts the model.
    public static let quantizationMismatch = Code(rawValue: "quantization-mismatch")
    /// The model file is not a model, or the runtime cannot run it.
    public static let unusableModel = Code(rawValue: "unusable-model")
    /// The model keeps state from run to run.
    public static let keepsState = Code(rawValue: "keeps-state")
    /// A string is still the placeholder that `tensorio init` writes for what the model does not
    /// say.
    public static let unfinishedText = Code(rawValue: "unfinished-text")
    /// The program's own check failed.
    public static let custom = Code(rawValue: "custom")
  }
}

extension BundleIssue: CustomStringConvertible {
  public var description: String {
    "\(path): expected \(expected), found \(found) [\(code)]. \(suggestion)"
  }
}
