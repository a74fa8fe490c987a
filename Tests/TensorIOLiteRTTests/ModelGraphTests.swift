// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import TensorIOLiteRT

@Suite struct ModelGraphTests {
  private static let fixtures = Python.root.path + "/Tests/Fixtures"

  @Test func `operators, tensors and totals are read`() throws {
    let graph = try ModelGraph(contentsOf: Self.fixtures + "/Models/int8_quantized.tflite")
    let main = try #require(graph.graphs.first)
    #expect(main.signatureKeys == ["serving_default"])
    #expect(main.operators.map(\.name) == ["FULLY_CONNECTED", "SOFTMAX"])
    let input = main.tensors[main.inputs[0]]
    #expect(input.typeName == "int8")
    #expect(input.quantization?.zeroPoint == -1 && input.quantization?.count == 1)
    #expect(input.constantByteCount == nil)
    let weights = main.tensors[main.operators[0].inputs[1]]
    #expect(weights.shape == [3, 4] && weights.constantByteCount == 12)
    #expect(main.operators[1].outputs == main.outputs)
    #expect(graph.totals.map(\.name) == ["FULLY_CONNECTED", "SOFTMAX"])
    #expect(graph.totals[0].constantByteCount == graph.constantByteCount)
  }

  @Test func `scales by channel are counted`() throws {
    let graph = try ModelGraph(contentsOf: Self.fixtures + "/Models/per_channel.tflite")
    let tensor = try #require(graph.graphs.first.map { $0.tensors[$0.inputs[0]] })
    #expect(tensor.quantization?.count == 3)
    #expect(tensor.quantization?.axis == 2)
  }

  @Test func `every fixture is read, or is an error about the file`() throws {
    for folder in ["Models", "Hostile", "Recognized"] {
      for name in try FileSystem.contents(of: "\(Self.fixtures)/\(folder)")
      where name.hasSuffix(".tflite") {
        do {
          let graph = try ModelGraph(contentsOf: "\(Self.fixtures)/\(folder)/\(name)")
          #expect(graph.hasValidIndexes, "\(name)")
        } catch let error as TensorIOError {
          #expect([.invalidModel, .unsupportedModel].contains(error.code), "\(name): \(error)")
        }
      }
    }
  }

  @Test func `damaged files are read within bounds`() throws {
    var random = SystemRandomNumberGenerator()
    for name in ["int8_quantized", "per_channel", "two_signatures", "image_with_metadata"] {
      let path = "\(Self.fixtures)/Models/\(name).tflite"
      let whole = Array(try FileSystem.read(path))
      for round in 0..<1500 {
        var bytes = whole
        for _ in 0...(round % 4) {
          let place = Int.random(in: bytes.indices, using: &random)
          bytes[place] =
            [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
            .randomElement(using: &random) ?? 0
        }
        if round % 5 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
        bytes.withUnsafeBytes { bytes in
          // A damaged file may still be readable, but then its indexes must lead somewhere.
          if let graph = try? ModelGraph(bytes, path: "x.tflite") {
            #expect(graph.hasValidIndexes, "\(name)")
          }
        }
      }
    }
  }

  @Test func `a file that isn't a model is an error`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try ModelGraph(contentsOf: Self.fixtures + "/Images/baseline.jpg")
    }
    #expect(error?.code == .invalidModel)
  }
}

extension ModelGraph {
  fileprivate var hasValidIndexes: Bool {
    graphs.allSatisfy { graph in
      let indexes =
        graph.inputs + graph.outputs + graph.operators.flatMap { $0.inputs + $0.outputs }
      return indexes.allSatisfy { $0 == -1 || graph.tensors.indices.contains($0) }
    } && totals.count <= graphs.reduce(0) { $0 + $1.operators.count }
  }
}
