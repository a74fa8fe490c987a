// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

final class LineSession: Session {
  /// A training step on values of x, their targets, and the learning rate.
  typealias Step = ([Float], [Float], Float) throws -> Void

  private let signature: SignatureDescription
  private let model: LineModel
  private let step: Step?
  /// The shape and the elements of each input and output.
  private var tensors: [String: (shape: [Int], elements: [Float])] = [:]

  init(_ signature: SignatureDescription, of model: LineModel, step: Step?) {
    self.signature = signature
    self.model = model
    self.step = step
    makeTensors(signature.inputs.map { $0.shape.map { abs($0) } })
  }

  func resizeInputs(to shapes: [[Int]]) throws { makeTensors(shapes) }

  func outputShape(at index: Int) -> [Int] {
    tensors[signature.outputs[index].name]?.shape ?? []
  }

  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws {
    let name = signature.inputs[index].name
    var elements = numbers(name)
    do {
      var span = elements.mutableSpan
      var bytes = span.mutableBytes
      try body(&bytes)
    }
    tensors[name]?.elements = elements
  }

  func setInput(at index: Int, to strings: [Data]) throws {
    throw TensorIOError(.wrongKind, "'\(signature.inputs[index].name)' takes numbers, got text.")
  }

  func useDefault(forInputAt index: Int) throws {
    tensors[signature.inputs[index].name]?.elements = [0.1]
  }

  func run() throws {
    let x = numbers("x")
    let targets = numbers("target")
    if let step { try step(x, targets, numbers("learning_rate").first ?? 0.1) }
    let line = model.present
    let y = x.map { line.weight * $0 + line.bias }
    let errors = zip(y, targets).map { ($0 - $1) * ($0 - $1) }
    tensors["y"]?.elements = y
    tensors["errors"]?.elements = errors
    tensors["loss"]?.elements = [errors.reduce(0, +) / Float(max(errors.count, 1))]
  }

  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws {
    let elements = numbers(signature.outputs[index].name)
    try body(elements.span.bytes)
  }

  func strings(ofOutput index: Int) throws -> [Data] { [] }

  private func makeTensors(_ shapes: [[Int]]) {
    let items = zip(signature.inputs, shapes).first { $0.0.name == "x" }?.1.first ?? 1
    for (tensor, shape) in zip(signature.inputs, shapes) { makeTensor(tensor.name, shape) }
    for tensor in signature.outputs {
      makeTensor(tensor.name, tensor.shape.map { $0 < 0 ? items : $0 })
    }
  }

  private func makeTensor(_ name: String, _ shape: [Int]) {
    tensors[name] = (shape, [Float](repeating: 0, count: shape.reduce(1, *)))
  }

  private func numbers(_ name: String) -> [Float] { tensors[name]?.elements ?? [] }
}
