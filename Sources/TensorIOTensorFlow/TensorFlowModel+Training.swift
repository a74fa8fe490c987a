// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TensorFlowModel: TrainableLoadedModel {
  package func makeTrainingSession(
    _ signature: SignatureDescription, operations: [String], options: SessionOptions
  ) throws -> any Session {
    try TensorFlowSession(
      model: self, signature: signature, operations: operations, options: options)
  }

  package func checkExport() throws { _ = try TensorFlowSaver(self) }

  package func exportCheckpoint(to folder: String) throws {
    let saver = try TensorFlowSaver(self)
    try Checkpoint(folder: folder).write(variables) { try saver.save(to: $0, for: folder) }
  }

  package func restoreCheckpoint(from folder: String) throws {
    let checkpoint = Checkpoint(folder: folder)
    try checkpoint.check()
    try checkpoint.check(variables, of: self.folder.path)
    try TensorFlowSaver(self).restore(from: checkpoint.prefix)
  }

  package func exportModel(to path: String) throws {
    let saver = try TensorFlowSaver(self)
    let files = FileManager.default
    do {
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      try folder.modelForServing(tags: tags, isRepaired: isRepaired)
        .write(to: URL(filePath: path + "/" + SavedModelFolder.modelFile))
      for name in ["assets", "assets.extra"] where FileSystem.isFolder(folder.path + "/" + name) {
        try files.copyItem(atPath: folder.path + "/" + name, toPath: path + "/" + name)
      }
      try files.createDirectory(atPath: path + "/variables", withIntermediateDirectories: false)
    } catch let error as TensorIOError {
      throw error
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "The model cannot be written to '\(path)': \(FileSystem.reason(for: error)).", cause: error)
    }
    try saver.save(to: path + "/" + SavedModelFolder.variables, for: path)
  }

  package func inputs(_ inputs: [String], neededFor outputs: [String]) -> [String] {
    let key = signatures[0].key
    let wanted = outputs.compactMap { tensor(named: $0, in: key)?.operation }
    let needed = graph.operations(runFor: wanted, feeding: [])
    return inputs.filter { name in
      inputTensors(named: name, in: key, neededFor: needed).contains {
        needed.contains($0.operation)
      }
    }
  }
}
