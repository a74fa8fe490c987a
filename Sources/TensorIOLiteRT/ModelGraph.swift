// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The operators of a .tflite file and the tensors between them, for people who look at a model.
///
/// Reading needs no runtime. It doesn't check whether the model can run either, so a file that LiteRT refuses
/// can still be looked at.
package struct ModelGraph: Sendable {
  package struct Tensor: Sendable {
    package var name: String
    /// The lengths of the axes, with -1 for unknown ones.
    package var shape: [Int]
    package var typeName: String
    /// The size of a constant's elements in the file, or nil if the tensor isn't a constant.
    package var constantByteCount: Int?
    package var isVariable: Bool
    package var quantization: Quantization?
    /// The index of the buffer in the file, which several constants can share.
    fileprivate var buffer: Int
  }

  /// The stored quantization, of which only the first scale and zero point are kept.
  package struct Quantization: Sendable, Hashable {
    package var scale: Float
    package var zeroPoint: Int64
    /// The number of scales, which is the length of ``axis`` if the tensor is quantized by channel.
    package var count: Int
    package var axis: Int?
  }

  package struct Operator: Sendable {
    package var name: String
    /// The indexes of the input tensors; -1 stands for an optional input that is left out.
    package var inputs: [Int]
    package var outputs: [Int]
  }

  /// The main graph, or the body of a loop or a condition.
  package struct Graph: Sendable {
    /// The keys of the signatures that run this graph.
    package var signatureKeys: [String]
    package var tensors: [Tensor]
    package var inputs: [Int]
    package var outputs: [Int]
    /// The operators in the order in which they run.
    package var operators: [Operator]
  }

  /// How often an operator occurs in all graphs.
  package struct Total: Sendable, Hashable {
    package var name: String
    package var count: Int
    /// The size of the constants that the operators read.
    ///
    /// A constant counts for its first reader.
    package var constantByteCount: Int
  }

  package var byteCount: Int
  package var graphs: [Graph]

  /// The limits keep the process small, and the document in a size that a page can show.
  private static let mostParts = 4_000_000
  private static let mostOperators = 50_000
  private static let mostTensors = 200_000

  /// Reads a file.
  ///
  /// - Throws: `TensorIOError` if it isn't a TensorFlow Lite model, is damaged, or has too many parts.
  package init(contentsOf path: String) throws {
    let memory = try AlignedMemory(contentsOf: path)
    defer { withExtendedLifetime(memory) {} }
    try self.init(UnsafeRawBufferPointer(memory.bytes), path: path)
  }

  init(_ file: UnsafeRawBufferPointer, path: String) throws(TensorIOError) {
    do throws(FlatBufferError) {
      var reader = FlatBufferReader(file, visits: min(file.count, Self.mostParts))
      let structure = try ModelStructure(file, &reader)
      guard structure.graphs.reduce(0, { $0 + $1.operations.count }) <= Self.mostOperators,
        structure.graphs.reduce(0, { $0 + $1.tensors.count }) <= Self.mostTensors
      else { throw FlatBufferError(unsupported: "it has too many operators or tensors to show") }
      byteCount = file.count
      graphs = structure.graphs.enumerated().map { index, graph in
        Graph(
          graph, keys: structure.signatures.filter { $0.graph == index }.map(\.key),
          buffers: structure.buffers)
      }
    } catch {
      throw TensorIOError(
        error.isUnsupported ? .unsupportedModel : .invalidModel,
        error.isUnsupported
          ? "The graph of '\(path)' can't be shown: \(error.reason)."
          : "'\(path)' is not a valid TensorFlow Lite model: \(error.reason). Export or download "
            + "the model again.")
    }
  }

  /// The operators of all graphs, with the most frequent one first.
  package var totals: [Total] {
    var totals: [String: Total] = [:]
    var counted: Set<Int> = []
    for graph in graphs {
      for step in graph.operators {
        var total = totals[step.name] ?? Total(name: step.name, count: 0, constantByteCount: 0)
        total.count += 1
        for input in step.inputs where input >= 0 {
          let tensor = graph.tensors[input]
          guard let size = tensor.constantByteCount, counted.insert(tensor.buffer).inserted
          else { continue }
          total.constantByteCount += size
        }
        totals[step.name] = total
      }
    }
    return totals.values.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The size of all constants.
  ///
  /// A buffer that several tensors share counts once.
  package var constantByteCount: Int {
    var counted: Set<Int> = []
    return graphs.flatMap(\.tensors).reduce(0) { sum, tensor in
      guard let size = tensor.constantByteCount, counted.insert(tensor.buffer).inserted
      else { return sum }
      return sum + size
    }
  }
}

extension ModelGraph.Graph {
  fileprivate init(_ graph: ModelStructure.Graph, keys: [String], buffers: [Range<Int>?]) {
    // An index that leads nowhere becomes -1, as if the tensor were left out.
    func known(_ indexes: [Int32]) -> [Int] {
      indexes.map { graph.tensors.indices.contains(Int($0)) ? Int($0) : -1 }
    }
    signatureKeys = keys
    tensors = graph.tensors.map { ModelGraph.Tensor($0, buffers: buffers) }
    inputs = known(graph.inputs)
    outputs = known(graph.outputs)
    operators = graph.operations.map {
      ModelGraph.Operator(
        name: $0.code?.name ?? "?", inputs: known($0.inputs), outputs: known($0.outputs))
    }
  }
}

extension ModelGraph.Tensor {
  fileprivate init(_ tensor: ModelStructure.Tensor, buffers: [Range<Int>?]) {
    name = tensor.name
    shape = (tensor.shapeSignature.isEmpty ? tensor.shape : tensor.shapeSignature).map(Int.init)
    typeName = "\(tensor.type)"
    buffer = tensor.buffer
    constantByteCount =
      buffers.indices.contains(tensor.buffer) ? buffers[tensor.buffer]?.count : nil
    isVariable = tensor.isVariable
    let (scales, zeroPoints) = (tensor.quantization.scales, tensor.quantization.zeroPoints)
    guard let scale = scales.first else { return }
    quantization = ModelGraph.Quantization(
      scale: scale, zeroPoint: zeroPoints.first ?? 0, count: scales.count,
      axis: scales.count > 1 ? tensor.quantization.axis : nil)
  }
}
