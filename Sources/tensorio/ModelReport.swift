// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

/// What there is to say about a model file or a bundle: the facts behind `tensorio inspect`.
struct ModelReport {
  /// The path as it was given.
  let path: String
  /// The bundle, when the path is one.
  private(set) var bundle: ModelBundle?
  /// The model file; nil when there is none or it is not read.
  private(set) var model: ModelFile?
  /// What keeps the model from working well, or at all.
  private(set) var issues: [Issue] = []

  /// A model file and what it says of itself.
  struct ModelFile {
    var path: String
    var byteCount: Int
    var signatures: [SignatureDescription]
    var metadata: ModelMetadata?
  }

  /// Something that a person should know.
  struct Issue {
    var severity: BundleIssue.Severity = .warning
    var code: String
    var path: String?
    var message: String

    init(_ issue: BundleIssue) {
      severity = issue.severity
      code = issue.code.rawValue
      path = issue.path
      message = issue.description
    }

    init(_ message: String, severity: BundleIssue.Severity = .warning, code: String) {
      self.severity = severity
      self.code = code
      self.message = message
    }
  }

  /// Looks at a bundle or a model file.
  ///
  /// - Throws: ``TensorIOError`` when there is nothing to look at, or it is damaged.
  init(path: String) throws {
    self.path = path
    let backend = LiteRTBackend()
    if try Self.isBundle(path) {
      try inspectBundle(with: backend)
    } else {
      try inspectModel(at: path, with: backend)
    }
  }

  /// Whether a path is a bundle; else it is a file that may be a model.
  private static func isBundle(_ path: String) throws -> Bool {
    guard FileSystem.isFolder(path) else { return false }
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    if folder.hasSuffix(".tiobundle") || folder.hasSuffix(".tfbundle")
      || FileSystem.isFile(folder + "/model.json")
    {
      return true
    }
    try refuseFolder(path)
    return true
  }

  /// Tells why a folder is no model that can be read.
  static func refuseFolder(_ path: String) throws {
    guard FileSystem.isFolder(path) else { return }
    guard FileSystem.isFile(path + "/saved_model.pb") else {
      throw TensorIOError(
        .invalidModel,
        "'\(path)' is a folder, but neither a bundle (it has no model.json) nor a SavedModel (it "
          + "has no saved_model.pb).")
    }
    throw TensorIOError(
      .unsupportedModel,
      "'\(path)' is a SavedModel; this version inspects only TensorFlow Lite models.")
  }

  private mutating func inspectBundle(with backend: LiteRTBackend) throws {
    let bundle = try ModelBundle(path)
    self.bundle = bundle
    guard let modelPath = bundle.modelPath else {
      issues = bundle.warnings.map(Issue.init)
      return
    }
    guard bundle.backendName == backend.name else {
      issues = bundle.warnings.map(Issue.init)
      issues.append(
        Issue(
          "'\(bundle.manifest.model.file)' was not read: this version inspects only TensorFlow "
            + "Lite models.", code: "not-inspected"))
      return
    }
    try inspectModel(at: modelPath, with: backend)
    do {
      let loader = ModelLoader(backends: [backend])
      issues += try InferenceModel(bundle: bundle, loader: loader).warnings.map(Issue.init)
    } catch let error as TensorIOError {
      let found = error.issues.isEmpty ? bundle.warnings : error.issues
      issues += found.map(Issue.init)
      if !found.contains(where: { $0.severity == .error }) {
        issues.append(
          Issue("The model cannot be run: \(error)", severity: .error, code: "cannot-run"))
      }
    }
  }

  private mutating func inspectModel(at path: String, with backend: LiteRTBackend) throws {
    let model = try backend.liteRTModel(at: path)
    let metadata = model.metadata
    self.model = ModelFile(
      path: path, byteCount: model.byteCount, signatures: model.signatures, metadata: metadata)
    issues += (metadata?.problems ?? []).map { Issue($0, code: "damaged-metadata") }
  }
}

extension ModelMetadata {
  /// The metadata of a signature's tensors; it describes the main graph, which is the first one.
  func tensors(
    of signature: SignatureDescription, at index: Int
  ) -> (inputs: [TensorMetadata?], outputs: [TensorMetadata?]) {
    func matched(_ metadata: [TensorMetadata], _ tensors: [TensorDescription]) -> [TensorMetadata?]
    {
      // Tensors go by their order; with another count nothing tells which is which.
      index == 0 && metadata.count == tensors.count ? metadata : tensors.map { _ in nil }
    }
    return (matched(inputs, signature.inputs), matched(outputs, signature.outputs))
  }
}
