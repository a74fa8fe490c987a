// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CLiteRT
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A session that runs one signature of a compiled model, with its own buffers.
///
/// When two threads use one compiled model, LiteRT returns wrong results without an error. This is
/// why sessions are not `Sendable`.
final class LiteRTSession: Session {
  /// The signature's index in the model.
  let signature: Int

  private let model: LiteRTModel
  /// The options for another compiled model; nil if sessions share this one.
  private let options: SessionOptions?
  private var compiled: LiteRTCompiledSignature
  private var compiledHandle: LiteRtCompiledModel
  private let inputTensors: [LiteRTGraph.NamedTensor]
  private let outputTensors: [LiteRTGraph.NamedTensor]

  private var inputs: [LiteRTBuffer] = []
  private var outputs: [LiteRTBuffer] = []
  private var inputHandles: [LiteRtTensorBuffer?] = []
  private var outputHandles: [LiteRtTensorBuffer?] = []
  private let hasStringOutputs: Bool
  /// False after a shape was refused and the earlier shapes could not be restored.
  ///
  /// The buffers then no longer fit the model.
  private var isUsable = true

  /// Makes a session with a compiled model of its own.
  convenience init(model: LiteRTModel, signature: Int, options: SessionOptions) throws {
    try self.init(
      model: model, signature: signature,
      running: LiteRTCompiledModel(model.file, options: options), options: options)
  }

  /// Makes a session with a compiled model that other sessions use too, if there are no options.
  ///
  /// The inputs have the current shapes of the compiled model.
  init(
    model: LiteRTModel, signature: Int, running compiled: LiteRTCompiledModel,
    options: SessionOptions? = nil
  ) throws {
    self.model = model
    self.signature = signature
    self.options = options
    self.compiled = LiteRTCompiledSignature(
      compiled: compiled, index: signature, key: model.signatures[signature].key)
    compiledHandle = compiled.handle
    (inputTensors, outputTensors) = try model.graph.tensors(ofSignature: signature)
    hasStringOutputs = model.signatures[signature].outputs.contains { $0.dataType == .string }
    try makeBuffers()
  }

  // MARK: - Session

  func resizeInputs(to shapes: [[Int]]) throws {
    let before = inputs.map(\.shape)
    guard shapes != before else { return }
    isUsable = false
    do {
      try take(shapes)
    } catch {
      try take(before)
      isUsable = true
      throw error
    }
    isUsable = true
  }

  private func take(_ shapes: [[Int]]) throws {
    try compiled.resizeInputs(to: shapes, names: inputTensors.map(\.name))
    try makeBuffers()
  }

  /// Compiles the model again, because LiteRT has no function that resets variables.
  ///
  /// The buffers stay. If the model can't be compiled, the session stays as it is.
  func reset() throws {
    guard let options else {
      throw TensorIOError(.unsupportedModel, "The variables of a trained model aren't reset.")
    }
    let fresh = LiteRTCompiledSignature(
      compiled: try LiteRTCompiledModel(model.file, options: options), index: signature,
      key: model.signatures[signature].key)
    let own = try inputTensors.indices.map { try fresh.inputShape(at: $0) }
    if own != inputShapes {
      try fresh.resizeInputs(to: inputShapes, names: inputTensors.map(\.name))
    }
    // LiteRT only runs a model whose layouts it has computed.
    _ = try fresh.outputShapes(count: outputTensors.count)
    (compiled, compiledHandle) = (fresh, fresh.compiled.handle)
  }

  /// The shapes of this session's input buffers.
  var inputShapes: [[Int]] { inputs.map(\.shape) }

  /// Sets the compiled model's shapes to this session's, after another session changed them.
  func restoreShapes() throws {
    try compiled.resizeInputs(to: inputShapes, names: inputTensors.map(\.name))
    _ = try compiled.outputShapes(count: outputTensors.count)
  }

  func outputShape(at index: Int) -> [Int] { outputs[index].shape }

  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws {
    try inputs[index].withMutableBytes(body)
  }

  /// Copies the value of one of this session's inputs to an input of another session.
  func copyInput(at index: Int, to other: LiteRTSession, at otherIndex: Int) throws {
    let (source, target) = (inputs[index], other.inputs[otherIndex])
    guard source.byteCount == target.byteCount else {
      throw TensorIOError(
        .wrongElementCount,
        "The input '\(inputTensors[index].name)' has \(source.byteCount) bytes in one signature "
          + "but \(target.byteCount) bytes in another. They must be the same.")
    }
    target.memory.start.copyMemory(from: source.memory.start, byteCount: source.byteCount)
  }

  func setInput(at index: Int, to strings: [Data]) throws {
    let buffer = inputs[index]
    let expected = buffer.shape.reduce(1, *)
    guard strings.count == expected else {
      throw TensorIOError(
        .wrongElementCount,
        "'\(inputTensors[index].name)' takes \(expected) strings, but got \(strings.count).")
    }
    let packed = try LiteRTStrings.pack(strings)
    if packed.count > buffer.byteCount {
      try replace(&inputs[index], byteCount: packed.count)
      inputHandles[index] = inputs[index].handle
    }
    packed.withUnsafeBytes { bytes in
      UnsafeMutableRawBufferPointer(start: inputs[index].memory.start, count: packed.count)
        .copyMemory(from: bytes)
    }
  }

  /// Sets every element of the inputs that have strings to an empty one.
  func fillWithEmptyStrings() throws {
    for (index, buffer) in inputs.enumerated() where buffer.isString {
      try setInput(
        at: index, to: Array(repeating: Data(), count: buffer.shape.reduce(1, *)))
    }
  }

  func run() throws {
    guard isUsable else {
      throw TensorIOError(
        .inferenceFailed,
        "The session rejected a shape and could not restore the earlier shapes. Load the model "
          + "again.")
    }
    var status = runOnce()
    if status == LiteRT.runtimeFailure && hasStringOutputs && !compiled.compiled.isStopped {
      // The length of the strings is known only after the model has run, so give them more room.
      var room = outputs.map(\.byteCount).max() ?? 0
      while status == LiteRT.runtimeFailure && room < LiteRTStrings.mostBytes {
        room = max(room * 8, LiteRTStrings.initialBytes)
        try growStringOutputs(to: room)
        compiled.compiled.clearErrors()
        status = runOnce()
      }
    }
    guard status == LiteRT.ok else { throw compiled.runError(status, open: openOutputs) }
  }

  func run(until token: CancellationToken) throws {
    if token.isCancelled {
      throw TensorIOError(.cancelled, "The run was cancelled before it began.")
    }
    try compiled.compiled.whileHeeding(token) { try run() }
  }

  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws {
    try outputs[index].withBytes(body)
  }

  func strings(ofOutput index: Int) throws -> [Data] {
    let buffer = outputs[index]
    return try LiteRTStrings.unpack(
      UnsafeRawBufferPointer(start: buffer.memory.start, count: buffer.byteCount),
      name: outputTensors[index].name)
  }

  // MARK: - Buffers

  @inline(__always)
  private func runOnce() -> LiteRtStatus {
    inputHandles.withUnsafeMutableBufferPointer { inputs in
      outputHandles.withUnsafeMutableBufferPointer { outputs in
        model.library.functions.RunCompiledModel(
          compiledHandle, signature, inputs.count, inputs.baseAddress, outputs.count,
          outputs.baseAddress)
      }
    }
  }

  /// The names of the outputs whose shape the file leaves open.
  private var openOutputs: [String] {
    model.signatures[signature].outputs.filter { $0.shape.contains(-1) }.map(\.name)
  }

  /// Replaces all buffers with new ones.
  ///
  /// This asks for the layouts of the outputs before it makes a buffer, because that makes LiteRT
  /// compute them and report operations that it cannot run.
  private func makeBuffers() throws {
    let inputShapes = try inputTensors.indices.map { try compiled.inputShape(at: $0) }
    let outputShapes = try compiled.outputShapes(count: outputTensors.count)
    // A linear search is enough for the few inputs and outputs. A dictionary would make the start
    // slower.
    var made: [(tensor: UInt32, buffer: LiteRTBuffer)] = []
    func buffer(_ tensor: LiteRtTensor, _ shape: [Int], _ requiredBytes: Int) throws -> LiteRTBuffer
    {
      // An output that shares its tensor with an input or another output must use the same buffer.
      let index = model.graph.index(of: tensor)
      if let index, let shared = made.first(where: { $0.tensor == index }) { return shared.buffer }
      let buffer = try LiteRTBuffer(
        elementType: model.graph.elementType(of: tensor), shape: shape,
        requiredBytes: requiredBytes, model.library)
      if let index { made.append((index, buffer)) }
      return buffer
    }
    inputs = try inputTensors.enumerated().map { index, named in
      try buffer(named.tensor, inputShapes[index], compiled.requiredInputBytes(at: index))
    }
    outputs = try outputTensors.enumerated().map { index, named in
      try buffer(named.tensor, outputShapes[index], compiled.requiredOutputBytes(at: index))
    }
    inputHandles = inputs.map(\.handle)
    outputHandles = outputs.map(\.handle)
  }

  private func growStringOutputs(to byteCount: Int) throws {
    for index in outputs.indices where outputs[index].isString {
      try replace(&outputs[index], byteCount: byteCount)
      outputHandles[index] = outputs[index].handle
    }
  }

  private func replace(_ buffer: inout LiteRTBuffer, byteCount: Int) throws {
    buffer = try LiteRTBuffer(
      elementType: buffer.elementType, shape: buffer.shape, requiredBytes: byteCount,
      model.library)
  }
}
