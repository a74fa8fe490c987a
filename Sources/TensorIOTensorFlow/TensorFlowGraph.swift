// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import CTensorFlow
internal import TensorIO

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
      throw TensorIOError(.internalFault, "TensorFlow could not make a graph.")
    }
    self.library = library
    self.handle = handle
  }

  deinit { functions.DeleteGraph(handle) }

  // MARK: - Look-ups

  func operation(named name: String) -> OpaquePointer? {
    name.isEmpty ? nil : functions.GraphOperationByName(handle, name)
  }

  /// The tensor of a name, `operation` or `operation:index`; nil when there is none.
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

  /// The shortest name of a tensor.
  func name(of tensor: Tensor) -> String {
    let operation = name(of: tensor.operation)
    return tensor.index == 0 ? operation : "\(operation):\(tensor.index)"
  }

  func name(of operation: OpaquePointer) -> String {
    functions.OperationName(operation).map { String(cString: $0) } ?? ""
  }

  /// What the graph says of a tensor.
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

  /// The lengths of the axes, -1 where they are open; nil when not even their number is known.
  private func shape(of tensor: Tensor) -> [Int]? {
    let status = functions.NewStatus()
    defer { functions.DeleteStatus(status) }
    let rank = functions.GraphGetTensorNumDims(handle, tensor.output, status)
    guard rank > 0 else { return rank == 0 ? [] : nil }
    var lengths = [Int64](repeating: -1, count: Int(rank))
    functions.GraphGetTensorShape(handle, tensor.output, &lengths, rank, status)
    return functions.GetCode(status) == 0 ? lengths.map { Int($0) } : nil
  }

  /// A variable, and the tensor that an operation assigns to it.
  struct Assignment {
    /// The variable's name.
    let variable: String
    /// The shape that the graph gives the variable; nil when it leaves it open.
    let shape: [Int]?
    let value: Tensor
  }

  /// The assignments among operations.
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

  /// The variables of the graph, each with a tensor that reads it: those of TensorFlow 2.
  func variableReads() -> [Assignment] {
    var position = 0
    var found: [Assignment] = []
    while let operation = functions.GraphNextOperation(handle, &position) {
      guard type(of: operation) == "ReadVariableOp" else { continue }
      let input = functions.OperationInput(TF_Input(oper: operation, index: 0))
      // One that waits for a placeholder, as for an asset's path, belongs to the initialization.
      guard let variable = input.oper, type(of: variable) == "VarHandleOp",
        placeholders(among: operations(runFor: [operation], feeding: [])).isEmpty
      else { continue }
      found.append(
        Assignment(
          variable: name(of: variable), shape: shapeAttribute(of: variable),
          value: Tensor(operation: operation, index: 0)))
    }
    return found
  }

  /// The attribute `shape`; nil when there is none, or it is not known.
  private func shapeAttribute(of operation: OpaquePointer) -> [Int]? {
    let status = functions.NewStatus()
    defer { functions.DeleteStatus(status) }
    let rank = functions.OperationGetAttrMetadata(operation, "shape", status).total_size
    guard functions.GetCode(status) == 0, rank >= 0 else { return nil }
    var lengths = [Int64](repeating: -1, count: Int(rank))
    functions.OperationGetAttrShape(operation, "shape", &lengths, Int32(rank), status)
    return functions.GetCode(status) == 0 ? lengths.map { Int($0) } : nil
  }

  // MARK: - Dependencies

  /// The operations that are run for some others, those included.
  ///
  /// - Parameters:
  ///   - wanted: The operations to run.
  ///   - fed: Tensors that are given: what they would be computed from does not run.
  /// - Returns: All of them, but those whose outputs are given.
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

  /// The placeholders among operations, by name: TensorFlow must be given their values.
  ///
  /// - Parameters:
  ///   - operations: Where to look.
  ///   - withDefaults: Whether those count, too, that TensorFlow has a value for.
  /// - Returns: The placeholders.
  func placeholders(
    among operations: Set<OpaquePointer>, withDefaults: Bool = false
  ) -> [OpaquePointer] {
    operations.filter { isPlaceholder($0) || (withDefaults && isPlaceholderWithDefault($0)) }
      .sorted { name(of: $0) < name(of: $1) }
  }

  /// All placeholders, in the graph's order.
  func allPlaceholders() -> [Tensor] {
    var position = 0
    var found: [Tensor] = []
    while let operation = functions.GraphNextOperation(handle, &position) {
      if isPlaceholder(operation) { found.append(Tensor(operation: operation, index: 0)) }
    }
    return found
  }

  /// The tensors that depend on one of some others and that no operation takes, in the graph's order.
  func results(of sources: Set<Tensor>) -> [Tensor] {
    var position = 0
    var all: [Tensor] = []
    var taken: Set<Tensor> = []
    var reached = sources
    // An operation stands behind those that it takes from, but for the loops of TensorFlow 1.
    while let operation = functions.GraphNextOperation(handle, &position) {
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

  /// Whether one of the operations may change a variable; what a function does is not looked at.
  func changesVariables(_ operations: Set<OpaquePointer>) -> Bool {
    let words = ["Assign", "Apply", "Scatter", "PartitionedCall"]
    return operations.contains { operation in
      let type = type(of: operation)
      return words.contains { type.contains($0) }
    }
  }

  /// Whether a tensor stands for a variable or a table, and has no elements to read.
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
