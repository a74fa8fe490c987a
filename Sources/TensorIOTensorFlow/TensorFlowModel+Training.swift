// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import CTensorFlow
public import TensorIO

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension TensorFlowModel: TrainableLoadedModel {
  public func makeTrainingSession(
    _ signature: SignatureDescription, operations: [String], options: SessionOptions
  ) throws -> any Session {
    try TensorFlowSession(
      model: self, signature: signature, operations: operations, options: options)
  }

  public func exportCheckpoint(to folder: String) throws {
    guard FileSystem.isFolder(folder) else {
      throw TensorIOError(
        .fileNotFound,
        "There is no folder '\(folder)' to export a checkpoint to; make it first.")
    }
    try Checkpoint(folder: folder).write { try save(to: $0) }
  }

  public func restoreCheckpoint(from folder: String) throws {
    let checkpoint = Checkpoint(folder: folder)
    try checkpoint.check()
    try restore(from: checkpoint.prefix)
  }

  public func exportModel(to path: String) throws {
    let files = FileManager.default
    do {
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      try folder.modelForServing(tags: tags, isRepaired: isRepaired)
        .write(to: URL(filePath: path + "/" + SavedModelFolder.modelFile))
      if FileSystem.isFolder(folder.assetsPath) {
        try files.copyItem(atPath: folder.assetsPath, toPath: path + "/assets")
      }
      try files.createDirectory(atPath: path + "/variables", withIntermediateDirectories: false)
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw TensorIOError(
        .unreadableFile, "The model cannot be written to '\(path)': \(error).", cause: error)
    }
    try save(to: path + "/" + SavedModelFolder.variables)
  }

  public func inputs(_ inputs: [String], neededFor outputs: [String]) -> [String] {
    let key = signatures[0].key
    let wanted = outputs.compactMap { tensor(named: $0, in: key)?.operation }
    let needed = graph.operations(runFor: wanted, feeding: [])
    return inputs.filter { name in
      tensor(named: name, in: key).map { needed.contains($0.operation) } ?? false
    }
  }

  // MARK: - Saver

  /// Runs the graph's own saving operation.
  private func save(to prefix: String) throws {
    guard let target = graph.tensor(named: saver.saveTensorName) else { throw withoutSaver() }
    try runSaver(on: prefix, fetching: target, running: nil) { failure in
      TensorIOError(
        .unreadableFile, "The weights cannot be written to '\(prefix)': \(failure.message)")
    }
  }

  /// Runs the graph's own restoring operation.
  private func restore(from prefix: String) throws {
    guard let operation = graph.operation(named: saver.restoreOpName) else { throw withoutSaver() }
    try runSaver(on: prefix, fetching: nil, running: operation) { failure in
      TensorIOError(
        .invalidModel,
        "The weights of '\(prefix)' cannot be restored into '\(folder.path)': \(failure.message)")
    }
  }

  private func runSaver(
    on prefix: String, fetching target: TensorFlowGraph.Tensor?,
    running operation: OpaquePointer?, orThrow error: (TensorFlowFailure) -> TensorIOError
  ) throws {
    guard let file = graph.tensor(named: saver.filenameTensorName) else { throw withoutSaver() }
    let name = try TensorFlowTensor(
      type: TensorFlowType.string, shape: [], byteCount: MemoryLayout<TF_TString>.stride, library)
    name.setStrings([Data(prefix.utf8)])
    let feeds = [file.output]
    let values: [OpaquePointer?] = [name.handle]
    let fetches = target.map { [$0.output] } ?? []
    var results = [OpaquePointer?](repeating: nil, count: fetches.count)
    let targets = operation.map { [Optional($0)] } ?? []
    try library.checking(orThrow: error) { status in
      library.functions.SessionRun(
        session, nil, feeds, values, 1, fetches, &results, Int32(fetches.count), targets,
        Int32(targets.count), nil, status)
    }
    for case let handle? in results { library.functions.DeleteTensor(handle) }
  }

  private func withoutSaver() -> TensorIOError {
    TensorIOError(
      .unsupportedModel,
      "The model '\(folder.path)' has no saver, so that its weights can neither be exported nor "
        + "restored. Export it with one (tf.compat.v1.train.Saver).")
  }
}
