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

  /// Where an operator names the graphs that it calls: the kind of its options, and their fields.
  private static let fields: [UInt8: Range<Int>] = [
    92: 0..<2,  // IfOptions: then, else
    93: 0..<2,  // WhileOptions: condition, body
    103: 0..<1,  // CallOnceOptions: initialization
  ]

  /// Refuses a model whose calls have no end, or nest too deep.
  ///
  /// - Parameters:
  ///   - bytes: The `.tflite` file, which LiteRT has accepted.
  ///   - path: Where it is.
  /// - Throws: `TensorIOError` with the code `.invalidModel` or `.unsupportedModel`.
  static func refuseEndless(_ bytes: [UInt8], path: String) throws {
    if let calls = try? calls(bytes) { try refuseEndless(calls, path: path) }
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
    // A visit is a table; a file has at most one for every few of its bytes.
    var reader = FlatBufferReader(bytes, visits: bytes.count)
    let graphs = try reader.tables(2, of: try reader.root(identifier: "TFL3"))
    var calls: [[Int]] = []
    for graph in graphs {
      var called: [Int] = []
      for operation in try reader.tables(3, of: graph) {
        guard let fields = fields[try reader.byte(3, of: operation)] else { continue }
        guard let options = try reader.table(4, of: operation) else { continue }
        for field in fields {
          let index = Int(Int32(bitPattern: try reader.integer(field, of: options)))
          if graphs.indices.contains(index) { called.append(index) }
        }
      }
      calls.append(called)
    }
    return calls
  }
}
