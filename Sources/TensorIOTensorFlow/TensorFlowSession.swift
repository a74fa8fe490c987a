// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CTensorFlow
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A session that feeds a model and fetches its outputs, with its own memory for both.
final class TensorFlowSession: Session {
  private let model: TensorFlowModel
  private let signature: SignatureDescription
  private let cancellation: CancellationToken?
  private var functions: TensorFlowFunctions { model.library.functions }

  private var inputs: [Input] = []
  private let fetches: [TF_Output]
  /// The operations that a training step runs.
  private let operations: [OpaquePointer?]
  /// Whether computing the outputs runs the operations, so that both come from the same run.
  private let outputsRunOperations: Bool
  /// Whether a run would train the model although the session isn't for training.
  private let isRefused: Bool

  private var outputs: [TensorFlowTensor] = []
  private let status: OpaquePointer
  // The arguments of a run, kept so that a run doesn't allocate memory for them.
  private var feeds: [TF_Output] = []
  private var feedValues: [OpaquePointer?] = []
  private var fetchValues: [OpaquePointer?]

  private struct Input {
    /// The placeholders that take the value.
    let outputs: [TF_Output]
    let type: Int32
    /// The number of bytes of an element.
    let width: Int
    /// Whether the run needs a value.
    let isNeeded: Bool
    var shape: [Int]
    var tensor: TensorFlowTensor?
    /// Whether a run has used the tensor, after which something else may refer to its memory.
    var wasFed = false
    /// Whether the next run uses the value.
    var isSet = false
  }

  init(
    model: TensorFlowModel, signature: SignatureDescription, operations names: [String],
    options: SessionOptions
  ) throws {
    self.model = model
    self.signature = signature
    cancellation = options.cancellation
    let outputTensors = try signature.outputs.map { try Self.tensor($0.name, signature, model) }
    let computed = model.graph.operations(
      runFor: outputTensors.map(\.operation) + names.flatMap { model.operations(named: $0) },
      feeding: [])
    let inputTensors = try signature.inputs.map { input in
      let tensors = model.inputTensors(
        named: input.name, in: signature.key, neededFor: computed)
      return tensors.isEmpty ? [try Self.tensor(input.name, signature, model)] : tensors
    }
    let fed = Set(inputTensors.flatMap(\.self))
    let targets = try Self.operations(named: names, model, feeding: fed)
    let graph = model.graph
    let forOutputs = graph.operations(
      runFor: outputTensors.filter { !fed.contains($0) }.map(\.operation), feeding: fed)
    outputsRunOperations = targets.contains { forOutputs.contains($0) }
    let needed = graph.operations(
      runFor: outputTensors.map(\.operation) + targets, feeding: [])
    try Self.checkPlaceholders(
      among: graph.operations(runFor: targets, feeding: fed), of: names, model)
    fetches = outputTensors.map(\.output)
    fetchValues = Array(repeating: nil, count: fetches.count)
    operations = targets
    isRefused = signature.isTrainingStep && names.isEmpty
    guard let status = model.library.functions.NewStatus() else {
      throw TensorIOError(.internalFault, "TensorFlow could not create a status.")
    }
    self.status = status
    inputs = zip(signature.inputs, inputTensors).map { description, tensors in
      let dataType = description.dataType ?? .float32
      return Input(
        outputs: tensors.map(\.output),
        type: model.library.functions.OperationOutputType(tensors[0].output),
        width: dataType == .string ? MemoryLayout<TF_TString>.stride : dataType.byteWidth,
        isNeeded: tensors.contains { tensor in
          needed.contains(tensor.operation)
            && graph.placeholders(among: [tensor.operation]).count == 1
        },
        shape: description.rankIsUnknown ? [-1] : description.shape)
    }
  }

  deinit { functions.DeleteStatus(status) }

  // MARK: - Session

  func resizeInputs(to shapes: [[Int]]) throws {
    for (index, shape) in shapes.enumerated() where inputs[index].shape != shape {
      inputs[index].shape = shape
      inputs[index].tensor = nil
    }
  }

  func outputShape(at index: Int) -> [Int] {
    if outputs.indices.contains(index) { return outputs[index].shape }
    let description = signature.outputs[index]
    return description.rankIsUnknown ? [-1] : description.shape
  }

  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws {
    try writableTensor(at: index).withMutableBytes(body)
    inputs[index].isSet = true
  }

  func setInput(at index: Int, to strings: [Data]) throws {
    guard strings.count == inputs[index].shape.elementCount else {
      throw TensorIOError(
        .wrongElementCount,
        "'\(signature.inputs[index].name)' takes strings of the shape \(inputs[index].shape), but "
          + "got \(strings.count) strings.")
    }
    try writableTensor(at: index).setStrings(strings)
    inputs[index].isSet = true
  }

  func useDefault(forInputAt index: Int) throws {
    guard !inputs[index].isNeeded else {
      throw TensorIOError.missingPlaceholder(signature.inputs[index].name)
    }
    inputs[index].isSet = false
  }

  func run() throws { try run(within: nil) }

  /// Runs the model, and ends the run between two operations when the token's deadline has passed.
  ///
  /// TensorFlow's C API has no other way to end one run. A step of training is always completed.
  func run(until token: CancellationToken) throws {
    guard !token.isCancelled else {
      throw TensorIOError(.cancelled, "The run was cancelled before it began.")
    }
    guard let deadline = token.deadline, operations.isEmpty else { return try run() }
    try run(within: ContinuousClock.now.duration(to: deadline))
  }

  /// Runs the model, for up to a time if there is one.
  private func run(within limit: Duration?) throws {
    if cancellation?.isCancelled == true {
      throw TensorIOError(.cancelled, "The run was cancelled before it began.")
    }
    guard !isRefused else {
      throw TensorIOError(
        .unsupportedModel,
        "A run for \(quotedList(signature.outputs.map(\.name))) would train the model "
          + "'\(model.folder.path)', because computing them runs the training operations. To run "
          + "or evaluate the model, describe outputs that don't train it.")
    }
    outputs.removeAll(keepingCapacity: true)
    collectFeeds()
    // Mark the inputs before anything runs, because even a failed run may have shared their memory.
    for index in inputs.indices where inputs[index].isSet { inputs[index].wasFed = true }
    if !operations.isEmpty && !outputsRunOperations { try run(operations, fetching: false) }
    try run(outputsRunOperations ? operations : [], fetching: true, within: limit)
  }

  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws {
    try outputs[index].withBytes(body)
  }

  /// The size in bytes from which outputs are kept; smaller outputs are cheaper to copy.
  private static let leastTakenBytes = 4096

  func takeOutput(at index: Int) -> (any TensorMemory)? {
    let tensor = outputs[index]
    // An output may be the memory of a variable or an input, which must be copied.
    guard tensor.byteCount >= Self.leastTakenBytes, tensor.takeAlone() else { return nil }
    return tensor
  }

  func strings(ofOutput index: Int) throws -> [Data] { outputs[index].strings }

  // MARK: - Running

  private func collectFeeds() {
    feeds.removeAll(keepingCapacity: true)
    feedValues.removeAll(keepingCapacity: true)
    for input in inputs {
      guard input.isSet, let tensor = input.tensor else { continue }
      for output in input.outputs {
        feeds.append(output)
        feedValues.append(tensor.handle)
      }
    }
  }

  private func run(
    _ targets: [OpaquePointer?], fetching: Bool, within limit: Duration? = nil
  ) throws {
    let count = Int32(fetching ? fetches.count : 0)
    let options = limit.map(RunOptionsMessage.init(limit:)) ?? model.runOptions
    options.withBuffer { options in
      functions.SessionRun(
        model.session, options, feeds, feedValues, Int32(feeds.count), fetches, &fetchValues, count,
        targets, Int32(targets.count), nil, status)
    }
    if let failure = TensorFlowFailure(status, functions) { throw runError(failure) }
    guard fetching else { return }
    for index in fetchValues.indices {
      guard let handle = fetchValues[index] else {
        throw TensorIOError(
          .inferenceFailed, "The output '\(signature.outputs[index].name)' has no value.")
      }
      outputs.append(TensorFlowTensor(owning: handle, model.library))
      fetchValues[index] = nil
    }
  }

  private func runError(_ failure: TensorFlowFailure) -> TensorIOError {
    let model = "The model '\(model.folder.path)'"
    if failure.isOfTime { return TensorIOError(.cancelled, "\(model) was ended at its deadline.") }
    return failure.missingOperation(in: model) ?? failure.missingVariable(in: model)
      ?? TensorIOError(.inferenceFailed, "\(model) failed: \(failure.message)")
  }

  // MARK: - Memory

  /// Returns the tensor for an input's values: the last one if nothing else uses it, or a new one.
  private func writableTensor(at index: Int) throws -> TensorFlowTensor {
    if let tensor = inputs[index].tensor {
      if !inputs[index].wasFed { return tensor }
      // Outputs may share the memory. They have been read by now, so release them.
      outputs.removeAll(keepingCapacity: true)
      if tensor.takeAlone() {
        inputs[index].wasFed = false
        return tensor
      }
    }
    let shape = inputs[index].shape
    guard let count = shape.elementCount else {
      throw TensorIOError(
        .inferenceFailed,
        "A tensor of shape \(shape) cannot be created for '\(signature.inputs[index].name)'.")
    }
    let tensor = try TensorFlowTensor(
      type: inputs[index].type, shape: shape, byteCount: count * inputs[index].width,
      model.library)
    inputs[index].tensor = tensor
    inputs[index].wasFed = false
    return tensor
  }

  // MARK: - Names

  private static func tensor(
    _ name: String, _ signature: SignatureDescription, _ model: TensorFlowModel
  ) throws -> TensorFlowGraph.Tensor {
    guard let tensor = model.tensor(named: name, in: signature.key) else {
      throw TensorIOError(
        .invalidModel, "The model '\(model.folder.path)' has no tensor '\(name)'.")
    }
    return tensor
  }

  private static func operations(
    named names: [String], _ model: TensorFlowModel, feeding fed: Set<TensorFlowGraph.Tensor>
  ) throws -> [OpaquePointer] {
    let inputs = fed.map(\.operation)
    let found = names.map { name in
      model.operations(named: name).filter { !inputs.contains($0) }
    }
    let missing = names.indices.filter { found[$0].isEmpty }
    guard !missing.isEmpty else { return found.flatMap(\.self) }
    throw TensorIOError(
      .invalidBundle,
      "train.ops names \(quotedList(missing.map { names[$0] })), but the model "
        + "'\(model.folder.path)' has no operation of that name that trains it. An input doesn't "
        + "train the model, and neither does a signature that changes no variables.",
      issues: missing.map { index in
        BundleIssue(
          .badTrainingOperation, path: "train.ops[\(index)]",
          expected: "an operation of the model, or a signature that changes variables",
          found: "'\(names[index])'", suggestion: "Name the operation of a training step.")
      })
  }

  private static func checkPlaceholders(
    among operations: Set<OpaquePointer>, of names: [String], _ model: TensorFlowModel
  ) throws {
    let unfed = model.graph.placeholders(among: operations).map { model.graph.name(of: $0) }
    guard !unfed.isEmpty else { return }
    let list = quotedList(unfed)
    let suggestion = "Describe each one in model.json, as an input or in \"placeholders\"."
    throw TensorIOError(
      .invalidBundle,
      "The training operations (\(names.joined(separator: ", "))) need a value for \(list). "
        + suggestion,
      issues: [
        BundleIssue(
          .badTrainingOperation, path: "train.ops",
          expected: "a layer for each placeholder that the operations need",
          found: "none for \(list)", suggestion: suggestion)
      ])
  }
}
