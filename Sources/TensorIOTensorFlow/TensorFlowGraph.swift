// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CTensorFlow
import TensorIO

/// The operations of a model, and how they depend on each other.
///
/// `@unchecked Sendable` because a graph only changes while it is loaded, and its own lock guards
/// look-ups.
final class TensorFlowGraph: @unchecked Sendable {
  let handle: OpaquePointer
  private let library: TensorFlowLibrary
  private var functions: TensorFlowFunctions { library.functions }

  /// One output of an operation.
  struct Tensor: Hashable {
    let operation: OpaquePointer
    let index: Int

    var output: TF_Output { TF_Output(oper: operation, index: Int32(index)) }
  }

  init(_ library: TensorFlowLibrary) throws {
    guard let handle = library.functions.NewGraph() else {
      throw TensorIOError(.internalFault, "TensorFlow could not create a graph.")
    }
    self.library = library
    self.handle = handle
  }

  deinit { functions.DeleteGraph(handle) }

  // MARK: - Look-ups

  func operation(named name: String) -> OpaquePointer? {
    name.isEmpty ? nil : functions.GraphOperationByName(handle, name)
  }

  /// Returns the tensor named `operation` or `operation:index`, or nil when there is none.
  func tensor(named name: String) -> Tensor? {
    var (operationName, index) = (name[...], 0)
    if let colon = name.lastIndex(of: ":"), let number = Int(name[name.index(after: colon)...]) {
      (operationName, index) = (name[..<colon], number)
    }
    guard let operation = operation(named: String(operationName)), index >= 0,
      index < Int(functions.OperationNumOutputs(operation))
    else { return nil }
    return Tensor(operation: operation, index: index)
  }

  /// Returns the shortest name of a tensor.
  func name(of tensor: Tensor) -> String {
    let operation = name(of: tensor.operation)
    return tensor.index == 0 ? operation : "\(operation):\(tensor.index)"
  }

  func name(of operation: OpaquePointer) -> String {
    functions.OperationName(operation).map { String(cString: $0) } ?? ""
  }

  /// Returns the graph's description of a tensor.
  func description(of tensor: Tensor, name: String) -> TensorDescription {
    let number = functions.OperationOutputType(tensor.output)
    var description = TensorDescription(
      name: name, dataType: TensorFlowType.dataType(number), typeName: TensorFlowType.name(number),
      shape: [-1])
    description.shapeIsHint = true
    description.hasDefault = isPlaceholderWithDefault(tensor.operation)
    if let shape = shape(of: tensor) {
      description.shape = shape
    } else {
      description.rankIsUnknown = true
    }
    return description
  }

  /// Returns the lengths of the axes, with -1 for an open length, or nil when the rank is unknown.
  private func shape(of tensor: Tensor) -> [Int]? {
    shape {
      functions.GraphGetTensorNumDims(handle, tensor.output, $0)
    } read: {
      functions.GraphGetTensorShape(handle, tensor.output, &$0, Int32($0.count), $1)
    }
  }

  /// Returns the attribute `shape`, or nil when it is missing or unknown.
  private func shapeAttribute(of operation: OpaquePointer) -> [Int]? {
    shape {
      Int32(clamping: functions.OperationGetAttrMetadata(operation, "shape", $0).total_size)
    } read: {
      functions.OperationGetAttrShape(operation, "shape", &$0, Int32($0.count), $1)
    }
  }

  private func shape(
    rank: (_ status: OpaquePointer?) -> Int32,
    read: (_ lengths: inout [Int64], _ status: OpaquePointer?) -> Void
  ) -> [Int]? {
    let status = functions.NewStatus()
    defer { functions.DeleteStatus(status) }
    let rank = rank(status)
    guard functions.GetCode(status) == 0, rank >= 0 else { return nil }
    if rank == 0 { return [] }
    var lengths = [Int64](repeating: -1, count: Int(rank))
    read(&lengths, status)
    return functions.GetCode(status) == 0 ? lengths.map { Int($0) } : nil
  }

  /// A variable, and the tensor that an operation assigns to it.
  struct Assignment {
    /// The variable's name.
    let variable: String
    /// The variable's shape in the graph, or nil when it is open.
    let shape: [Int]?
    let value: Tensor
  }

  /// Returns the assignments among some operations.
  func assignments(among operations: Set<OpaquePointer>) -> [Assignment] {
    operations.compactMap { operation in
      guard ["Assign", "AssignVariableOp"].contains(type(of: operation)),
        functions.OperationNumInputs(operation) == 2,
        let variable = functions.OperationInput(TF_Input(oper: operation, index: 0)).oper
      else { return nil }
      let value = functions.OperationInput(TF_Input(oper: operation, index: 1))
      guard let source = value.oper else { return nil }
      return Assignment(
        variable: name(of: variable), shape: shapeAttribute(of: variable),
        value: Tensor(operation: source, index: Int(value.index)))
    }
  }

  /// Returns the variables among some operations, each with a tensor that reads it.
  ///
  /// These are variables of TensorFlow 2. A graph can have others that nothing ever sets, such as those of
  /// Keras's optimizers.
  func variableReads(among operations: Set<OpaquePointer>) -> [Assignment] {
    allOperations.compactMap { operation in
      guard type(of: operation) == "ReadVariableOp" else { return nil }
      let input = functions.OperationInput(TF_Input(oper: operation, index: 0))
      // A variable that depends on a placeholder, such as the path of an asset, belongs to the
      // initialization.
      guard let variable = input.oper, type(of: variable) == "VarHandleOp",
        operations.contains(variable),
        placeholders(among: self.operations(runFor: [operation], feeding: [])).isEmpty
      else { return nil }
      return Assignment(
        variable: name(of: variable), shape: shapeAttribute(of: variable),
        value: Tensor(operation: operation, index: 0))
    }
  }

  /// All operations, in the graph's order.
  private var allOperations: some Sequence<OpaquePointer> {
    sequence(state: 0) { self.functions.GraphNextOperation(self.handle, &$0) }
  }

  // MARK: - Dependencies

  /// Returns the operations that run in order to compute others, including those.
  ///
  /// - Parameters:
  ///   - wanted: The operations to run.
  ///   - fed: The tensors whose values are given. Nothing that only these depend on runs.
  /// - Returns: All of the operations, except those whose outputs are all given.
  func operations(
    runFor wanted: some Sequence<OpaquePointer>, feeding fed: Set<Tensor>
  ) -> Set<OpaquePointer> {
    let fedOperations = Set(fed.map(\.operation))
    var found: Set<OpaquePointer> = []
    var rest = wanted.filter { !isFed($0, fed) }
    while let operation = rest.popLast() {
      guard found.insert(operation).inserted else { continue }
      rest += inputs(of: operation).filter { !fed.contains($0) }.map(\.operation)
      rest += controlInputs(of: operation).filter { !fedOperations.contains($0) }
    }
    return found
  }

  /// Returns the placeholders among some operations, sorted by name.
  ///
  /// TensorFlow needs their values.
  ///
  /// - Parameters:
  ///   - operations: The operations to search.
  ///   - withDefaults: Whether to include placeholders that have a default value.
  /// - Returns: The placeholders.
  func placeholders(
    among operations: Set<OpaquePointer>, withDefaults: Bool = false
  ) -> [OpaquePointer] {
    operations.filter { isPlaceholder($0) || (withDefaults && isPlaceholderWithDefault($0)) }
      .sorted { name(of: $0) < name(of: $1) }
  }

  /// Returns all placeholders, in the graph's order.
  func allPlaceholders() -> [Tensor] {
    allOperations.filter(isPlaceholder).map { Tensor(operation: $0, index: 0) }
  }

  /// Returns the tensors that depend on given ones and that no operation takes, in the graph's
  /// order.
  func results(of sources: Set<Tensor>) -> [Tensor] {
    var all: [Tensor] = []
    var taken: Set<Tensor> = []
    var reached = sources
    // Each operation follows those that it takes inputs from, except in the loops of TensorFlow 1.
    for operation in allOperations {
      let inputs = inputs(of: operation)
      taken.formUnion(inputs)
      let outputs = (0..<Int(functions.OperationNumOutputs(operation))).map {
        Tensor(operation: operation, index: $0)
      }
      all += outputs
      if inputs.contains(where: reached.contains) { reached.formUnion(outputs) }
    }
    return all.filter { reached.contains($0) && !taken.contains($0) && !sources.contains($0) }
  }

  /// Returns whether one of the operations may change a variable.
  ///
  /// This doesn't look into functions; a call to one counts as a change.
  func changesVariables(_ operations: Set<OpaquePointer>) -> Bool {
    let words = ["Assign", "Apply", "Scatter", "PartitionedCall"]
    return operations.contains { operation in
      let type = type(of: operation)
      return words.contains { type.contains($0) }
    }
  }

  /// Returns whether a tensor is a handle to a variable or a table, and has no elements to read.
  func isHandle(_ tensor: Tensor) -> Bool {
    ["resource", "variant"].contains(
      TensorFlowType.name(functions.OperationOutputType(tensor.output)))
  }

  private func isFed(_ operation: OpaquePointer, _ fed: Set<Tensor>) -> Bool {
    let count = Int(functions.OperationNumOutputs(operation))
    return count > 0
      && (0..<count).allSatisfy { fed.contains(Tensor(operation: operation, index: $0)) }
  }

  private func inputs(of operation: OpaquePointer) -> [Tensor] {
    (0..<functions.OperationNumInputs(operation)).compactMap { index in
      let input = functions.OperationInput(TF_Input(oper: operation, index: index))
      return input.oper.map { Tensor(operation: $0, index: Int(input.index)) }
    }
  }

  private func controlInputs(of operation: OpaquePointer) -> [OpaquePointer] {
    let count = functions.OperationNumControlInputs(operation)
    guard count > 0 else { return [] }
    var inputs = [OpaquePointer?](repeating: nil, count: Int(count))
    let found = functions.OperationGetControlInputs(operation, &inputs, count)
    return inputs.prefix(Int(max(found, 0))).compactMap(\.self)
  }

  private func isPlaceholder(_ operation: OpaquePointer) -> Bool {
    ["Placeholder", "PlaceholderV2"].contains(type(of: operation))
  }

  private func isPlaceholderWithDefault(_ operation: OpaquePointer) -> Bool {
    type(of: operation) == "PlaceholderWithDefault"
  }

  private func type(of operation: OpaquePointer) -> String {
    functions.OperationOpType(operation).map { String(cString: $0) } ?? ""
  }
}
