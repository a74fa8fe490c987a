// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
package import TensorIOLiteRT

extension ModelGraph {
  /// Returns the graph as JSON, with the keys that `tensorio help inspect` lists.
  package func json(with report: OperatorReport? = nil) -> JSONValue {
    var members: [String: JSONValue] = [
      "bytes": .number(Double(byteCount)),
      "constant_bytes": .number(Double(constantByteCount)),
      "graphs": .array(graphs.map(Self.json)),
      "totals": .array(
        totals.map { total in
          .object([
            "operator": .string(total.name), "count": .number(Double(total.count)),
            "constant_bytes": .number(Double(total.constantByteCount)),
          ])
        }),
    ]
    if let report { members["times"] = report.json }
    return .object(members)
  }

  private static func json(_ graph: Graph) -> JSONValue {
    .object([
      "signatures": .strings(graph.signatureKeys),
      "inputs": .integers(graph.inputs),
      "outputs": .integers(graph.outputs),
      "operators": .array(
        graph.operators.map { step in
          .object([
            "name": .string(step.name), "inputs": .integers(step.inputs),
            "outputs": .integers(step.outputs),
          ])
        }),
      "tensors": .array(graph.tensors.map(json)),
    ])
  }

  private static func json(_ tensor: Tensor) -> JSONValue {
    .object([
      "name": .string(tensor.name), "shape": .integers(tensor.shape),
      "type": .string(tensor.typeName),
      "constant_bytes": .numberOrNull(tensor.constantByteCount.map(Double.init)),
      "variable": .bool(tensor.isVariable),
      "quantization": tensor.quantization.map { quantization in
        .object([
          "scale": quantization.scale.isFinite ? .float(quantization.scale) : .null,
          "zero_point": .number(Double(quantization.zeroPoint)),
          "count": .number(Double(quantization.count)),
          "axis": .numberOrNull(quantization.axis.map(Double.init)),
        ])
      } ?? .null,
    ])
  }

  /// Returns the operators of all graphs as tables, and their totals.
  ///
  /// If they were measured, the tables have the times with the built-in kernels.
  package func text(with report: OperatorReport? = nil) -> String {
    var sections: [[String]] = []
    for (index, graph) in graphs.enumerated() {
      var table = TextTable(
        headings: [
          "#", "Operator", "Reads", "Writes", "Quantization", "Constants", "Time", "Share",
        ])
      let steps = report?.steps(ofGraph: index) ?? [:]
      for (position, step) in graph.operators.enumerated() {
        let inputs = step.inputs.filter { $0 >= 0 }.map { graph.tensors[$0] }
        let outputs = step.outputs.filter { $0 >= 0 }.map { graph.tensors[$0] }
        let constants = inputs.compactMap(\.constantByteCount).reduce(0, +)
        table.append(
          String(position), step.name,
          Self.list(inputs.filter { $0.constantByteCount == nil }), Self.list(outputs),
          outputs.first?.quantization.map(Self.text) ?? "",
          constants > 0 ? "\(ByteCount(constants))" : "", steps[position]?.cells.time ?? "",
          steps[position]?.cells.share ?? "")
      }
      let keys = graph.signatureKeys.joined(separator: ", ")
      let title = index == 0 ? "Main graph" : "Graph \(index)"
      sections.append(
        [(keys.isEmpty ? title : "\(title) (\(keys))").printable] + table.lines())
    }
    var table = TextTable(headings: ["Operator", "Count", "Constants"])
    for total in totals {
      table.append(
        total.name, String(total.count),
        total.constantByteCount > 0 ? "\(ByteCount(total.constantByteCount))" : "")
    }
    sections.append(["Totals"] + table.lines())
    return sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private static func list(_ tensors: [Tensor]) -> String {
    tensors.map { "\($0.typeName) \($0.shape)" }.joined(separator: ", ")
  }

  private static func text(_ quantization: Quantization) -> String {
    guard quantization.count == 1 else { return "per channel (\(quantization.count))" }
    return "scale \(quantization.scale.shortText), zero point \(quantization.zeroPoint)"
  }
}
