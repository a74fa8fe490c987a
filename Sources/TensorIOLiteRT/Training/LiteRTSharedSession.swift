// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A session of a model that is trained.
///
/// It runs signatures one after the other, on variables that all sessions of the model share, and
/// returns the outputs of one signature. An input that several signatures have is a single input
/// here.
final class LiteRTSharedSession: Session {
  private let description: SignatureDescription
  private let shared: LiteRTSharedModel
  private let steps: [LiteRTSession]
  /// For each step, the indexes of its inputs in `inputs`.
  private let inputsOfSteps: [[Int]]
  /// The step whose outputs are read.
  private let last: LiteRTSession
  /// Whether a run would train the model although this session must not.
  private let isRefused: Bool
  private var inputs: [Input]

  private struct Input {
    /// The steps that take the input, and its index in each.
    let uses: [(step: Int, index: Int)]
    let byteWidth: Int
    var shape: [Int]
    /// Memory for the values of an input that no step takes.
    var unused: AlignedMemory?
  }

  /// Makes a session.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - description: The inputs and outputs of the session. Its key names one of the signatures to
  ///     run.
  ///   - signatures: The indexes of the signatures that a run executes, in order.
  ///   - shared: The compiled model.
  ///   - isTraining: Whether runs may be training steps.
  /// - Throws: ``TensorIOError`` when a signature cannot be run, or two signatures have an input of
  ///   the same name but of different types.
  init(
    model: LiteRTModel, _ description: SignatureDescription, running signatures: [Int],
    sharing shared: LiteRTSharedModel, isTraining: Bool = false
  ) throws {
    self.description = description
    self.shared = shared
    isRefused = description.isTrainingStep && !isTraining
    steps = try shared.makeSteps(signatures, of: model)
    inputsOfSteps = try signatures.map { signature in
      try model.signatures[signature].inputs.map { input in
        try Self.index(of: input, in: model.signatures[signature].key, among: description.inputs)
      }
    }
    guard let last = steps.first(where: { model.signatures[$0.signature].key == description.key })
    else {
      throw TensorIOError(
        .internalFault, "A session for the signature '\(description.key)' doesn't run it.")
    }
    self.last = last
    let inputsOfSteps = inputsOfSteps
    inputs = description.inputs.enumerated().map { index, input in
      let uses = inputsOfSteps.enumerated().flatMap { step, indexes in
        indexes.enumerated().filter { $0.element == index }.map { (step: step, index: $0.offset) }
      }
      return Input(
        uses: uses, byteWidth: input.dataType?.byteWidth ?? 0,
        shape: input.shape.map { $0 < 0 ? 1 : $0 })
    }
  }

  private static func index(
    of input: TensorDescription, in key: String, among inputs: [TensorDescription]
  ) throws -> Int {
    guard let index = inputs.firstIndex(where: { $0.name == input.name }) else {
      throw TensorIOError(
        .internalFault, "The input '\(input.name)' of the signature '\(key)' is not described.")
    }
    guard inputs[index].dataType == input.dataType else {
      throw TensorIOError(
        .unsupportedModel,
        "The input '\(input.name)' is \(input.typeName) in the signature '\(key)', but "
          + "\(inputs[index].typeName) in another. An input that several signatures share must "
          + "have the same type in all of them.")
    }
    return index
  }

  // MARK: - Session

  func resizeInputs(to shapes: [[Int]]) throws {
    guard shapes != inputs.map(\.shape) else { return }
    try shared.resize(steps, to: inputsOfSteps.map { $0.map { shapes[$0] } })
    for index in inputs.indices {
      inputs[index].shape = shapes[index]
      inputs[index].unused = nil
    }
  }

  func outputShape(at index: Int) -> [Int] { last.outputShape(at: index) }

  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws {
    let uses = inputs[index].uses
    guard let first = uses.first else { return try withUnusedInput(at: index, body) }
    try steps[first.step].withInput(at: first.index, body)
    for use in uses.dropFirst() {
      try steps[first.step].copyInput(at: first.index, to: steps[use.step], at: use.index)
    }
  }

  /// Lets the caller write a value that no step uses, so that it is still checked.
  private func withUnusedInput(
    at index: Int, _ body: (inout MutableRawSpan) throws -> Void
  ) throws {
    let input = inputs[index]
    guard let elements = input.shape.elementCount else {
      throw TensorIOError(
        .unsupportedModel,
        "The input '\(description.inputs[index].name)' cannot have the shape \(input.shape).")
    }
    let byteCount = elements * input.byteWidth
    let memory = input.unused ?? AlignedMemory(byteCount: byteCount)
    inputs[index].unused = memory
    var span = UnsafeMutableRawBufferPointer(start: memory.start, count: byteCount).mutableBytes
    try body(&span)
  }

  func setInput(at index: Int, to strings: [Data]) throws {
    for use in inputs[index].uses {
      try steps[use.step].setInput(at: use.index, to: strings)
    }
  }

  func useDefault(forInputAt index: Int) throws {
    guard inputs[index].uses.isEmpty else {
      throw TensorIOError(
        .missingInput,
        "There is no value for '\(description.inputs[index].name)', which a training step needs.")
    }
  }

  func run() throws {
    guard !isRefused else {
      throw TensorIOError(
        .unsupportedModel,
        "A run of the signature '\(description.key)' would train the model, so it can neither be "
          + "run nor evaluated. Set model.signature in model.json to a signature that doesn't "
          + "train, and describe its outputs.")
    }
    try shared.run(steps)
  }

  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws {
    try last.withOutput(at: index, body)
  }

  func strings(ofOutput index: Int) throws -> [Data] { try last.strings(ofOutput: index) }
}
