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

  /// The path of the file with the weights that replace those of the model file; nil without one.
  var weightsPath: String? { manifest.model.weights.map { path + "/" + $0 } }

  /// Returns the path of a file in the assets folder.
  public func assetPath(_ name: String) -> String { path + "/assets/" + name }

  /// Returns the labels that a layer names; nil without any.
  public func labels(of layer: ModelManifest.Layer) -> Labels? {
    layer.labelsFile.flatMap { labels[$0] }
  }

  /// Returns how a layer is coded, with its labels.
  func coding(of layer: ModelManifest.Layer) -> LayerCoding? {
    guard let coding = layer.coding else { return nil }
    var labels = coding.text("labels").flatMap { self.labels[$0] }
    if coding.type == "blazeface", coding.text("labels") == nil { labels = Labels(["face"]) }
    return coding.with(labels: labels, folder: path + "/assets/")
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

/// The bundles in a folder.
///
/// A bundle that cannot be read does not keep the others from being found. It is listed in
/// ``failures``.
public struct ModelLibrary: Sendable {
  /// The usable bundles, sorted by the names of their models, ignoring case.
  public let bundles: [ModelBundle]
  /// The bundles that cannot be used, by path, each with its error.
  public let failures: [(path: String, error: TensorIOError)]

  /// Scans a folder, without its subfolders.
  ///
  /// - Throws: ``TensorIOError`` when the folder itself cannot be read.
  public init(scanning folder: String) throws {
    var bundles: [ModelBundle] = []
    var failures: [(path: String, error: TensorIOError)] = []
    for name in try FileSystem.contents(of: folder).sorted()
    where name.hasSuffix(".tiobundle") || name.hasSuffix(".tfbundle") {
      let path = folder + "/" + name
      do {
        bundles.append(try ModelBundle(path))
      } catch let error as TensorIOError {
        failures.append((path, error))
      }
    }
    self.bundles = bundles.sorted {
      ($0.manifest.name.lowercased(), $0.path) < ($1.manifest.name.lowercased(), $1.path)
    }
    self.failures = failures
  }

  /// The bundle whose model has this identifier; nil when there is none.
  public subscript(id id: String) -> ModelBundle? {
    bundles.first { $0.manifest.id == id }
  }
}
