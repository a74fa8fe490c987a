// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ModelRules {
  /// Checks that an operator's outputs have the type of the elements that the operator writes.
  ///
  /// The tensors that the operator refers to must exist.
  func checkTypes(
    of operation: ModelStructure.Operation, _ code: OperatorCode,
    in graph: ModelStructure.Graph, operator position: Int
  ) throws(FlatBufferError) {
    guard let index = code.typeInput, operation.inputs.indices.contains(index) else { return }
    let type = graph.tensors[Int(operation.inputs[index])].type
    for output in operation.outputs {
      let output = graph.tensors[Int(output)]
      let isRequantized =
        code.computesWithScales && type.isQuantizable && output.type.isQuantizable
      guard output.type == type || isRequantized else {
        throw FlatBufferError(
          "operator \(position) writes \(type) elements to the tensor '\(output.name)', which has "
            + "the type \(output.type)")
      }
    }
  }

  /// Checks that the graphs of conditions and loops have the inputs and outputs that their
  /// operators pass.
  ///
  /// The runtime copies the bytes of the elements between an operator and its graphs. The graphs
  /// must exist.
  func checkBodies(_ reader: inout FlatBufferReader) throws(FlatBufferError) {
    for graph in structure.graphs {
      for (position, operation) in graph.operations.enumerated() {
        for body in try GraphCalls.bodies(of: operation, &reader) {
          let inner = structure.graphs[body.graph]
          try checkPairs(
            operation.inputs.dropFirst(body.hasCondition ? 1 : 0), of: graph,
            inner.inputs, of: inner, operator: position)
          if body.returnsOutputs {
            try checkPairs(
              operation.outputs[...], of: graph, inner.outputs, of: inner, operator: position)
          }
        }
      }
    }
  }

  private func checkPairs(
    _ outer: ArraySlice<Int32>, of graph: ModelStructure.Graph,
    _ inner: [Int32], of body: ModelStructure.Graph, operator position: Int
  ) throws(FlatBufferError) {
    guard outer.count == inner.count else {
      throw FlatBufferError(
        "operator \(position) passes \(outer.count) tensors to or from a graph that has "
          + "\(inner.count)")
    }
    for (outer, inner) in zip(outer, inner) {
      let (outer, inner) = (graph.tensors[Int(outer)], body.tensors[Int(inner)])
      guard outer.type == inner.type else {
        throw FlatBufferError(
          "operator \(position) connects its tensor '\(outer.name)' (\(outer.type)) to the tensor "
            + "'\(inner.name)' (\(inner.type)) of a graph that it calls, but their types must be "
            + "the same")
      }
    }
  }
}
