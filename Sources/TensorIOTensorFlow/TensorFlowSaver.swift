// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CTensorFlow
import TensorIO

/// The operations of a graph that write its variables to files and read them back.
struct TensorFlowSaver {
  private let model: TensorFlowModel
  /// The tensor that takes the prefix of the files' names.
  private let fileName: TensorFlowGraph.Tensor
  /// The tensor that writes the files when it is fetched.
  private let saving: TensorFlowGraph.Tensor
  /// The operation that reads the files.
  private let restoring: OpaquePointer

  init(_ model: TensorFlowModel) throws {
    let definition = model.saverDefinition
    guard let fileName = model.graph.tensor(named: definition.filenameTensorName),
      let saving = model.graph.tensor(named: definition.saveTensorName),
      let restoring = model.graph.operation(named: definition.restoreOpName)
    else {
      throw TensorIOError(
        .unsupportedModel,
        "The model '\(model.folder.path)' has no saver, so its weights can neither be exported "
          + "nor restored. Export the model with a saver (tf.compat.v1.train.Saver).")
    }
    self.model = model
    self.fileName = fileName
    self.saving = saving
    self.restoring = restoring
  }

  /// Writes the variables to files whose names begin with a prefix.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the names.
  ///   - shownPath: The path to name in errors.
  /// - Throws: ``TensorIOError`` when the files cannot be written.
  func save(to prefix: String, for shownPath: String) throws {
    _ = try run(on: prefix, fetching: [saving], running: []) { failure in
      TensorIOError(
        .unwritableFile,
        "The weights cannot be written to '\(shownPath)': "
          + Self.reason(of: failure))
    }
  }

  /// Returns the system's error message, without the temporary files that TensorFlow names before
  /// it.
  private static func reason(of failure: TensorFlowFailure) -> String {
    let text = failure.message.split(separator: "; ").last.map(String.init) ?? failure.message
    return text.hasSuffix(".") ? text : text + "."
  }

  /// Reads either all variables or none from files whose names begin with a prefix.
  ///
  /// TensorFlow assigns the values one by one, and some of its variables accept any shape. Without
  /// the checks here, another model's weights would only show in wrong results.
  func restore(from prefix: String) throws {
    let graph = model.graph
    let operations = graph.operations(runFor: [restoring], feeding: [fileName])
    let assignments = graph.assignments(among: operations)
    guard assignments.isEmpty else {
      try checkShapes(of: assignments, from: prefix)
      return try assign(from: prefix)
    }
    // TensorFlow 2 assigns in a function, so check the shapes afterwards and undo the assignment on
    // failure.
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let before = folder.path + "/weights"
    try save(to: before, for: before)
    do {
      try assign(from: prefix)
      try checkShapes(of: graph.variableReads(among: operations), from: prefix)
    } catch {
      try assign(from: before)
      throw error
    }
  }

  private func assign(from prefix: String) throws {
    _ = try run(on: prefix, fetching: [], running: [restoring]) { refusal(of: prefix, $0.message) }
  }

  /// Computes the values of variables without assigning them, and checks their shapes.
  private func checkShapes(
    of assignments: [TensorFlowGraph.Assignment], from prefix: String
  ) throws {
    guard !assignments.isEmpty else { return }
    let values = try run(on: prefix, fetching: assignments.map(\.value), running: []) {
      refusal(of: prefix, $0.message)
    }
    for (assignment, value) in zip(assignments, values) {
      guard let shape = assignment.shape, shape != value.shape, !shape.contains(-1) else {
        continue
      }
      throw refusal(
        of: prefix,
        "the variable '\(assignment.variable)' has the shape \(shape), but \(value.shape) in the "
          + "checkpoint. The checkpoint may belong to another model.")
    }
  }

  private func refusal(of prefix: String, _ reason: String) -> TensorIOError {
    TensorIOError(
      .invalidModel,
      "The weights of '\(prefix)' cannot be restored into '\(model.folder.path)': \(reason)")
  }

  private func run(
    on prefix: String, fetching tensors: [TensorFlowGraph.Tensor],
    running operations: [OpaquePointer?], orThrow explained: (TensorFlowFailure) -> TensorIOError
  ) throws -> [TensorFlowTensor] {
    let library = model.library
    let name = try TensorFlowTensor(prefix, library)
    let feeds = [fileName.output]
    let values: [OpaquePointer?] = [name.handle]
    let fetches = tensors.map(\.output)
    var results = [OpaquePointer?](repeating: nil, count: fetches.count)
    do throws(TensorFlowFailure) {
      try library.checking { status in
        model.runOptions.withBuffer { options in
          library.functions.SessionRun(
            model.session, options, feeds, values, 1, fetches, &results, Int32(fetches.count),
            operations, Int32(operations.count), nil, status)
        }
      }
    } catch {
      throw explained(error)
    }
    return results.compactMap { $0.map { TensorFlowTensor(owning: $0, library) } }
  }
}
