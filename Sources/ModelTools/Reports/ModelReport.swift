// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
package import TensorIOLiteRT
import TensorIOTensorFlow

/// The facts about a model file or a bundle that the command `inspect` shows.
package struct ModelReport {
  let path: String
  private(set) var bundle: ModelBundle?
  /// The model file; nil if it is missing or isn't read.
  private(set) var model: ModelFile?
  /// The problems that keep the model from working well, or from working at all.
  private(set) var issues: [Issue] = []
  /// Whether the model has each operation of `train.ops`; empty if the model wasn't read.
  private(set) var foundOperations: [String: Bool] = [:]

  /// A model file or the folder of a SavedModel, with what it says about itself.
  struct ModelFile {
    var path: String
    var byteCount: Int
    var signatures: [SignatureDescription]
    var metadata: ModelMetadata?
    /// The facts that only a SavedModel has; nil for any other model.
    var savedModel: SavedModelFacts?
  }

  struct Issue {
    var severity: BundleIssue.Severity = .warning
    var code: String
    var path: String?
    var message: String
  }

  /// Reads a bundle, a .tflite file or the folder of a SavedModel.
  ///
  /// The backends load the model of a bundle to find further problems. The closure gets the path of
  /// a TensorFlow Lite model before it is read.
  package init(
    path: String, liteRT: LiteRTBackend, backends: [any Backend],
    willRead: (_ path: String) -> Void
  ) throws {
    self.path = path
    switch try ModelKind(of: path) {
    case .bundle:
      try inspectBundle(backends) { path in
        willRead(path)
        return try liteRT.liteRTModel(at: path)
      }
    case .liteRT:
      willRead(path)
      inspect(try liteRT.liteRTModel(at: path), at: path)
    case .savedModel:
      let use = try SavedModelUse(ofModelAt: path, with: .tensorFlow)
      try inspectSavedModel(at: path, for: use.modes)
    }
  }

  private mutating func inspectBundle(
    _ backends: [any Backend], readLiteRT: (String) throws -> LiteRTModel
  ) throws {
    let bundle = try ModelBundle(path)
    self.bundle = bundle
    guard let modelPath = bundle.modelPath else {
      issues = bundle.warnings.map(Issue.init)
      return
    }
    if bundle.backendName == "tensorflow" {
      let manifest = bundle.manifest
      try inspectSavedModel(
        at: modelPath, for: manifest.model.modes, operations: manifest.trainingOperations)
    } else {
      inspect(try readLiteRT(modelPath), at: modelPath)
    }
    do {
      let loader = ModelLoader(backends: backends)
      issues += try InferenceModel(bundle: bundle, loader: loader).loadWarnings().map(Issue.init)
    } catch let error as TensorIOError {
      issues += (bundle.warnings + error.issues).map(Issue.init)
      if !error.issues.contains(where: { $0.severity == .error }) {
        issues.append(
          Issue(severity: .error, code: "cannot-run", message: "The model can't be run: \(error)"))
      }
    }
  }

  private mutating func inspectSavedModel(
    at path: String, for modes: ModelModes, operations: [String]? = nil
  ) throws {
    let backend = TensorFlowBackend()
    let graphs = try backend.graphTags(ofModelAt: path)
    let model = try backend.tensorFlowModel(at: path, for: modes)
    let facts = try SavedModelFacts(model, at: path, graphs: graphs, operations: operations)
    self.model = ModelFile(
      path: path, byteCount: facts.files.reduce(0) { $0 + $1.byteCount },
      signatures: model.signatures, savedModel: facts)
    for name in operations ?? [] { foundOperations[name] = model.hasOperation(name) }
  }

  private mutating func inspect(_ model: LiteRTModel, at path: String) {
    let metadata = model.metadata
    self.model = ModelFile(
      path: path, byteCount: model.byteCount, signatures: model.signatures, metadata: metadata)
    issues += (metadata?.problems ?? []).map {
      Issue(code: "damaged-metadata", message: $0)
    }
  }
}

extension ModelReport.Issue {
  fileprivate init(_ issue: BundleIssue) {
    self.init(
      severity: issue.severity, code: issue.code.rawValue, path: issue.path,
      message: issue.description)
  }
}

extension ModelMetadata? {
  /// Metadata describes only the main graph, which is the first signature.
  func tensors(
    of signature: SignatureDescription, at index: Int
  ) -> (inputs: [TensorMetadata?], outputs: [TensorMetadata?]) {
    func matched(_ metadata: [TensorMetadata], _ tensors: [TensorDescription]) -> [TensorMetadata?]
    {
      // The metadata has the order of the tensors. If the counts differ, they can't be matched.
      index == 0 && metadata.count == tensors.count ? metadata : tensors.map { _ in nil }
    }
    return (
      matched(self?.inputs ?? [], signature.inputs), matched(self?.outputs ?? [], signature.outputs)
    )
  }
}
