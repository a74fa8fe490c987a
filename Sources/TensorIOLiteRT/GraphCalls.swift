// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

internal import TensorIO

/// How graphs of a model call each other: loops and conditions have their bodies in graphs of their
/// own.
///
/// LiteRT follows the calls without counting. A circle of them, or a chain of thousands, would use up
/// the stack and end the process.
enum GraphCalls {
  /// How deep calls may nest; LiteRT takes some kilobytes of the stack for each.
  static let maximumDepth = 256

  /// Where the options of an operator name the graphs that it calls, by the kind of the options.
  private static let fields: [UInt8: Range<Int>] = [
    92: 0..<2,  // IfOptions: then, else
    93: 0..<2,  // WhileOptions: condition, body
    103: 0..<1,  // CallOnceOptions: initialization
  ]
  /// The same of the newer options.
  private static let newerFields: [UInt8: Range<Int>] = [
    21: 1..<2  // StableHLOCompositeOptions: decomposition
  ]
  /// StablehloCaseOptions: LiteRT prepares every graph but the first, whichever are named.
  private static let caseOptions: UInt8 = 23

  /// Refuses a model whose calls have no end, or nest too deep.
  ///
  /// - Parameters:
  ///   - bytes: The `.tflite` file, which LiteRT has accepted.
  ///   - path: Where it is.
  /// - Throws: `TensorIOError` with the code `.invalidModel` or `.unsupportedModel`.
  static func refuseEndless(_ bytes: [UInt8], path: String) throws {
    do {
      try refuseEndless(calls(bytes), path: path)
    } catch let error as FlatBufferError {
      throw TensorIOError(
        .invalidModel,
        "'\(path)' is not a valid TensorFlow Lite model: \(error.reason).")
    }
  }

  /// Refuses calls that have no end, or nest too deep.
  ///
  /// - Parameters:
  ///   - calls: What each graph calls.
  ///   - path: Whose graphs they are.
  /// - Throws: `TensorIOError` with the code `.invalidModel` or `.unsupportedModel`.
  static func refuseEndless(_ calls: [[Int]], path: String) throws {
    // 0: not seen, -1: being followed, else the depth below it, counted from 1.
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
              throw TensorIOError(
                .invalidModel,
                "'\(path)' is not a valid TensorFlow Lite model: its graph \(next) calls itself, "
                  + "directly or through others, and would never end.")
            }
            if depths[next] == 0 { pending.append(next) }
          }
        } else {
          depths[graph] = 1 + (calls[graph].map { depths[$0] }.max() ?? 0)
          guard depths[graph] <= maximumDepth else {
            throw TensorIOError(
              .unsupportedModel,
              "'\(path)' nests more than \(maximumDepth) loops and conditions in each other, which "
                + "would use up the stack. Convert the model with fewer.")
          }
          pending.removeLast()
        }
      }
    }
  }

  /// What each graph calls.
  private static func calls(_ bytes: [UInt8]) throws(FlatBufferError) -> [[Int]] {
    // Every table takes some bytes, and is visited once: only a file that is up to something has more.
    var reader = FlatBufferReader(bytes, visits: bytes.count)
    let graphs = try reader.tables(2, of: try reader.root(identifier: "TFL3"))
    var calls: [[Int]] = []
    for graph in graphs {
      var called: Set<Int> = []
      for operation in try reader.tables(3, of: graph) {
        let kind = try reader.byte(3, of: operation)
        let newerKind = try reader.byte(11, of: operation)
        if let fields = fields[kind], let options = try reader.table(4, of: operation) {
          called.formUnion(try indices(fields, of: options, &reader))
        }
        if let fields = newerFields[newerKind], let options = try reader.table(12, of: operation) {
          called.formUnion(try indices(fields, of: options, &reader))
        }
        if newerKind == caseOptions { called.formUnion(graphs.indices.dropFirst()) }
      }
      calls.append(called.filter(graphs.indices.contains).sorted())
    }
    return calls
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
