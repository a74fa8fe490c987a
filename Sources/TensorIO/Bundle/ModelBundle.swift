// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A model's folder, `X.tiobundle`, with its description, its file and its assets.
///
/// ```swift
/// let bundle = try ModelBundle("mobilenet.tiobundle")
/// let model = try ModelLoader(backends: [.liteRT]).makeModel(from: bundle)
/// ```
public struct ModelBundle: Sendable {
  /// The path of the folder.
  public let path: String
  /// The content of model.json.
  public let manifest: ModelManifest
  /// The warnings of the validation, none of which keeps the bundle from working.
  public let warnings: [BundleIssue]

  let labels: [String: Labels]
}

extension ModelBundle {
  /// Opens and validates a bundle.
  ///
  /// The checks run in this order: the path, the extension, model.json, its JSON, its schema, the
  /// model file, the labels files, and the caller's own check.
  ///
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - check: The program's own check. The issues that it returns count like the others.
  /// - Throws: ``TensorIOError`` with all issues that were found.
  public init(
    _ path: String, check: ((ModelManifest) -> [BundleIssue])? = nil
  ) throws {
    var validator = BundleValidator(path: path)
    let bundle = validator.run(check: check)
    let errors = validator.issues.filter { $0.severity == .error }
    guard errors.isEmpty, let bundle else {
      if errors.first?.code == .notFound {
        throw TensorIOError(
          .fileNotFound,
          FileSystem.isFile(path)
            ? "'\(path)' is a file, but a bundle is a folder NAME.tiobundle. To make one from a "
              + "model, use 'tensorio init'."
            : "There is no bundle '\(path)'.",
          issues: validator.issues)
      }
      throw TensorIOError(
        .invalidBundle,
        "'\(path)' is not a usable bundle: "
          + (errors.first.map { "\($0)" } ?? "it could not be read.")
          + (errors.count > 1 ? " And \(errors.count - 1) more." : ""),
        issues: validator.issues)
    }
    self = bundle
  }

  /// Returns all issues that a validation finds, both errors and warnings, in the order of the
  /// checks.
  public static func issues(
    at path: String, check: ((ModelManifest) -> [BundleIssue])? = nil
  ) -> [BundleIssue] {
    var validator = BundleValidator(path: path)
    _ = validator.run(check: check)
    return validator.issues
  }

  /// The path of the model file or folder; nil for placeholder bundles.
  public var modelPath: String? {
    manifest.isPlaceholder ? nil : path + "/" + manifest.model.file
  }

  /// Returns the path of a file in the assets folder.
  public func assetPath(_ name: String) -> String { path + "/assets/" + name }

  /// Returns the labels that a layer names; nil without any.
  public func labels(of layer: ModelManifest.Layer) -> Labels? {
    layer.labelsFile.flatMap { labels[$0] }
  }

  /// The name of the backend that model.json names or that the kind of the model file determines.
  public var backendName: String? {
    manifest.model.backend ?? modelPath.flatMap(Self.backendName(ofFileAt:))
  }

  static func backendName(ofFileAt path: String) -> String? {
    if path.hasSuffix(".tflite") { return "tflite" }
    return FileSystem.isFile(path + "/saved_model.pb") ? "tensorflow" : nil
  }
}
