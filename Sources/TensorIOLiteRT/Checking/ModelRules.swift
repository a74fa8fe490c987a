// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Checks a .tflite file before the runtime sees it.
///
/// LiteRT trusts a file: it follows indexes without checking where they lead, divides by scales
/// that are zero, and reserves any amount of memory that a shape asks for. A file that breaks one
/// of these rules makes LiteRT end the process or return wrong numbers without an error. Problems
/// that only a run reveals are left to the process that tries the model; see
/// `Documentation/LiteRT.md`.
struct ModelRules {
  let structure: ModelStructure
  let file: UnsafeRawBufferPointer
  /// The maximum number of bytes that all tensors of the file may take, without its constants.
  let tensorByteLimit: Int

  /// The maximum number of axes that the runtime supports.
  static let maximumRank = 8

  /// Checks a file.
  ///
  /// - Parameters:
  ///   - file: The bytes of the whole file.
  ///   - path: The file's path, for messages.
  ///   - tensorByteLimit: The maximum number of bytes that all tensors may take.
  /// - Returns: The graphs of the file.
  /// - Throws: `TensorIOError` with the code `.invalidModel` or `.unsupportedModel`.
  @discardableResult static func check(
    _ file: UnsafeRawBufferPointer, path: String, tensorByteLimit: Int
  ) throws(TensorIOError) -> ModelStructure {
    do throws(FlatBufferError) {
      // Every table takes some bytes and is visited once, so a well-formed file needs fewer visits
      // than it has bytes.
      var reader = FlatBufferReader(file, visits: file.count)
      let structure = try ModelStructure(file, &reader)
      let rules = ModelRules(structure: structure, file: file, tensorByteLimit: tensorByteLimit)
      try rules.checkGraphs(&reader)
      try rules.checkSignatures()
      let calls = try GraphCalls.calls(in: structure, &reader)
      try rules.checkSizes()
      try GraphCalls.refuseEndless(calls)
      try rules.checkBodies(&reader)
      return structure
    } catch {
      throw TensorIOError(
        error.isUnsupported ? .unsupportedModel : .invalidModel,
        error.isUnsupported
          ? "'\(path)' cannot be run: \(error.reason)."
          : "'\(path)' is not a valid TensorFlow Lite model: \(error.reason). Export or download "
            + "the model again.")
    }
  }

  // MARK: - Graphs

  private func checkGraphs(_ reader: inout FlatBufferReader) throws(FlatBufferError) {
    guard !structure.graphs.isEmpty else { throw FlatBufferError("it has no graph") }
    for index in structure.metadataBuffers where !structure.buffers.indices.contains(index) {
      throw FlatBufferError("its metadata is in buffer \(index), which does not exist")
    }
    for graph in structure.graphs {
      for tensor in graph.tensors { try check(tensor) }
      for (index, side) in graph.inputs.map({ ($0, "input") })
        + graph.outputs.map({ ($0, "output") })
      where !graph.tensors.indices.contains(Int(index)) {
        throw FlatBufferError("a graph's \(side) is tensor \(index), which does not exist")
      }
      try check(graph.operations, of: graph, &reader)
    }
  }

  /// Checks the operators in the order in which they run.
  ///
  /// An operator may read only tensors that are filled by then.
  private func check(
    _ operations: [ModelStructure.Operation], of graph: ModelStructure.Graph,
    _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) {
    var isFilled = graph.tensors.map { tensor in
      tensor.isVariable || isConstant(tensor) || tensor.elementCount == 0
    }
    for input in graph.inputs { isFilled[Int(input)] = true }
    for (position, operation) in operations.enumerated() {
      guard let code = operation.code else {
        throw FlatBufferError(
          "operator \(position) has the code \(operation.codeIndex), which does not exist")
      }
      for input in operation.inputs {
        if input == -1 && code.hasOptionalInputs { continue }
        let tensor = try tensor(input, of: graph, operator: position)
        guard isFilled[Int(input)] else {
          throw FlatBufferError(
            "operator \(position) reads the tensor '\(tensor.name)' before anything is written to "
              + "it")
        }
        if code.computesWithScales { try checkScales(of: tensor, operator: position) }
      }
      for index in operation.intermediates where index != -1 {
        _ = try tensor(index, of: graph, operator: position)
      }
      for output in operation.outputs {
        let tensor = try tensor(output, of: graph, operator: position)
        guard !isConstant(tensor) else {
          throw FlatBufferError("operator \(position) writes to the constant '\(tensor.name)'")
        }
        if code.computesWithScales { try checkScales(of: tensor, operator: position) }
        isFilled[Int(output)] = true
      }
      try checkOutputCount(of: operation, operator: position, &reader)
      try checkTypes(of: operation, code, in: graph, operator: position)
    }
    for output in graph.outputs where !isFilled[Int(output)] {
      throw FlatBufferError(
        "nothing writes the graph's output '\(graph.tensors[Int(output)].name)'")
    }
  }

  private func tensor(
    _ index: Int32, of graph: ModelStructure.Graph, operator position: Int
  ) throws(FlatBufferError) -> ModelStructure.Tensor {
    guard graph.tensors.indices.contains(Int(index)) else {
      throw FlatBufferError(
        index == -1
          ? "operator \(position) lacks a tensor that it needs"
          : "operator \(position) refers to tensor \(index), which does not exist")
    }
    return graph.tensors[Int(index)]
  }

  private func checkOutputCount(
    of operation: ModelStructure.Operation, operator position: Int, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) {
    guard let field = OperatorCode.outputCountField(ofOptions: operation.options.kind),
      let options = operation.options.table
    else { return }
    let count = Int(Int32(bitPattern: try reader.integer(field, of: options)))
    guard count == operation.outputs.count else {
      throw FlatBufferError(
        "operator \(position) splits a tensor into \(count) parts, but has "
          + "\(operation.outputs.count) outputs")
    }
  }

  // MARK: - Signatures

  private func checkSignatures() throws(FlatBufferError) {
    for signature in structure.signatures {
      guard structure.graphs.indices.contains(signature.graph) else {
        throw FlatBufferError(
          "the signature '\(signature.key)' runs graph \(signature.graph), which does not exist")
      }
      let graph = structure.graphs[signature.graph]
      for input in signature.inputs where !graph.inputs.contains(Int32(clamping: input)) {
        throw FlatBufferError(
          "the signature '\(signature.key)' has the input \(input), which its graph does not have")
      }
      for output in signature.outputs where !graph.outputs.contains(Int32(clamping: output)) {
        throw FlatBufferError(
          "the signature '\(signature.key)' has the output \(output), which its graph does not have"
        )
      }
    }
  }

  // MARK: - Sizes

  /// Checks the memory of the tensors that a run fills.
  ///
  /// Constants are no larger than the file.
  ///
  /// The inputs and outputs of a graph that callers run count twice, because the caller has a copy.
  private func checkSizes() throws(FlatBufferError) {
    var sum = 0
    for (position, graph) in structure.graphs.enumerated() {
      let isCalled = position == 0 || structure.signatures.contains { $0.graph == position }
      let passed = isCalled ? Set(graph.inputs + graph.outputs) : []
      for (index, tensor) in graph.tensors.enumerated() where !isConstant(tensor) {
        guard let bytes = tensor.byteCount, bytes <= tensorByteLimit else {
          throw FlatBufferError(
            unsupported: "the tensor '\(tensor.name)' has the shape \(tensor.shape), which takes "
              + "more than the limit of \(ByteCount(tensorByteLimit)) for a model's tensors")
        }
        sum += passed.contains(Int32(index)) ? 2 * bytes : bytes
        guard sum <= tensorByteLimit else {
          throw FlatBufferError(
            unsupported: "its tensors together take more than the limit of "
              + "\(ByteCount(tensorByteLimit))")
        }
      }
    }
  }
}
