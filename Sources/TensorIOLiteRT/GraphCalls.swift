// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The calls between a model's graphs: the bodies of loops and conditions are separate graphs.
///
/// LiteRT follows the calls without a limit. A cycle, or a chain of thousands of calls, would
/// exhaust the stack and end the process.
enum GraphCalls {
  /// The maximum depth of nested calls.
  ///
  /// LiteRT uses some kilobytes of the stack for each.
  static let maximumDepth = 256

  /// The fields of an operator's options that hold the graphs it calls, by the kind of the options.
  private static func fields(of options: UInt8) -> Range<Int>? {
    switch options {
    case ifOptions: 0..<2  // then, else
    case whileOptions: 0..<2  // condition, body
    case 103: 0..<1  // CallOnceOptions: initialization
    default: nil
    }
  }
  private static let ifOptions: UInt8 = 92
  private static let whileOptions: UInt8 = 93
  /// The same for the newer options.
  private static func newerFields(of options: UInt8) -> Range<Int>? {
    options == 21 ? 1..<2 : nil  // StableHLOCompositeOptions: decomposition
  }
  /// The kind of StablehloCaseOptions.
  ///
  /// For these, LiteRT prepares every graph but the first, whichever graphs the options name.
  private static let caseOptions: UInt8 = 23

  /// Rejects calls that never end, or that nest too deep.
  ///
  /// - Parameter calls: The indexes of the graphs that each graph calls.
  /// - Throws: ``FlatBufferError``.
  static func refuseEndless(_ calls: [[Int]]) throws(FlatBufferError) {
    // 0: not visited; -1: being followed; otherwise the depth of the calls below it, counted from
    // 1.
    var depths = Array(repeating: 0, count: calls.count)
    for root in calls.indices where depths[root] == 0 {
      var pending = [root]
      while let graph = pending.last {
        if depths[graph] > 0 {
          pending.removeLast()
        } else if depths[graph] == 0 {
          depths[graph] = -1
          for next in calls[graph] {
            guard depths[next] >= 0 else {
              throw FlatBufferError(
                "graph \(next) calls itself, directly or through other graphs, so a run would "
                  + "never end")
            }
            if depths[next] == 0 { pending.append(next) }
          }
        } else {
          depths[graph] = 1 + (calls[graph].map { depths[$0] }.max() ?? 0)
          guard depths[graph] <= maximumDepth else {
            throw FlatBufferError(
              unsupported: "it nests more than \(maximumDepth) loops and conditions inside one "
                + "another, which would exhaust the stack; convert the model with less nesting")
          }
          pending.removeLast()
        }
      }
    }
  }

  /// Returns the indexes of the graphs that each graph calls.
  static func calls(
    in structure: ModelStructure, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) -> [[Int]] {
    let graphs = structure.graphs
    var calls: [[Int]] = []
    for graph in graphs {
      var called: Set<Int> = []
      for operation in graph.operations {
        let (options, newer) = (operation.options, operation.newerOptions)
        if let fields = fields(of: options.kind), let table = options.table {
          called.formUnion(try indices(fields, of: table, &reader))
        }
        if let fields = newerFields(of: newer.kind), let table = newer.table {
          called.formUnion(try indices(fields, of: table, &reader))
        }
        if newer.kind == caseOptions { called.formUnion(graphs.indices.dropFirst()) }
      }
      guard let unknown = called.first(where: { !graphs.indices.contains($0) }) else {
        calls.append(called.sorted())
        continue
      }
      throw FlatBufferError("an operator calls graph \(unknown), which does not exist")
    }
    return calls
  }

  /// A graph that a condition or a loop calls.
  struct Body {
    let graph: Int
    /// Whether the operator's first input is the condition, which isn't passed to the graph.
    let hasCondition: Bool
    /// Whether the graph returns the operator's outputs.
    let returnsOutputs: Bool
  }

  /// Returns the graphs that an operator calls, when it is a condition or a loop.
  static func bodies(
    of operation: ModelStructure.Operation, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) -> [Body] {
    guard let table = operation.options.table, let fields = fields(of: operation.options.kind)
    else { return [] }
    let graphs = try indices(fields, of: table, &reader)
    switch operation.options.kind {
    case ifOptions:
      return graphs.map { Body(graph: $0, hasCondition: true, returnsOutputs: true) }
    case whileOptions:
      return zip(graphs, [false, true]).map {
        Body(graph: $0, hasCondition: false, returnsOutputs: $1)
      }
    default: return []
    }
  }

  private static func indices(
    _ fields: Range<Int>, of options: FlatBufferReader.Table, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) -> [Int] {
    var indices: [Int] = []
    for field in fields {
      indices.append(Int(Int32(bitPattern: try reader.integer(field, of: options))))
    }
    return indices
  }
}
