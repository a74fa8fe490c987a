// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

final class EchoSession: Session {
  private let signature: SignatureDescription
  private let behaviour: EchoBackend.Behaviour
  private let record: EchoRecord
  private let isBusy = Atomic(false)

  private var inputs: [EchoTensor]
  private var outputs: [EchoTensor]

  init(
    _ signature: SignatureDescription, _ behaviour: EchoBackend.Behaviour, _ record: EchoRecord
  ) {
    self.signature = signature
    self.behaviour = behaviour
    self.record = record
    inputs = signature.inputs.map { EchoTensor($0, shape: $0.shape.map { abs($0) }) }
    outputs = signature.outputs.map { EchoTensor($0, shape: $0.shape.map { abs($0) }) }
  }

  func resizeInputs(to shapes: [[Int]]) throws {
    try alone("resizeInputs") {
      for (tensor, shape) in zip(signature.inputs, shapes) where !canResize(tensor, to: shape) {
        throw TensorIOError(
          .unsupportedModel,
          "'\(tensor.name)' of shape \(tensor.shape) can't be resized to \(shape).")
      }
      inputs = zip(signature.inputs, shapes).map { EchoTensor($0, shape: $1) }
      outputs = signature.outputs.enumerated().map { index, tensor in
        EchoTensor(tensor, shape: outputShape(of: tensor, at: index))
      }
      record.note { $0.resizes.append(shapes) }
    }
  }

  func outputShape(at index: Int) -> [Int] { outputs[index].shape }

  func withInput(at index: Int, _ body: (inout MutableRawSpan) throws -> Void) throws {
    try alone("withInput") { try inputs[index].withMutableBytes(body) }
  }

  func setInput(at index: Int, to strings: [Data]) throws {
    try alone("setInput") {
      guard strings.count == inputs[index].strings.count else {
        throw TensorIOError(
          .wrongElementCount,
          "'\(signature.inputs[index].name)' takes \(inputs[index].strings.count) strings, "
            + "got \(strings.count).")
      }
      inputs[index].strings = strings
    }
  }

  func run() throws {
    try alone("run") {
      let items = inputs.first?.shape.first ?? 1
      record.note {
        $0.runs.append(items)
        $0.running += 1
        $0.mostRunning = max($0.mostRunning, $0.running)
      }
      defer { record.note { $0.running -= 1 } }
      try behaviour.onRun?(items)
      for index in outputs.indices where !inputs.isEmpty {
        let change = behaviour.mixesItems ? items - 1 : 0
        outputs[index].echo(inputs[index % inputs.count], adding: UInt8(truncatingIfNeeded: change))
      }
    }
  }

  func withOutput(at index: Int, _ body: (RawSpan) throws -> Void) throws {
    try alone("withOutput") { try outputs[index].withBytes(body) }
  }

  func strings(ofOutput index: Int) throws -> [Data] {
    try alone("strings") { outputs[index].strings }
  }

  // MARK: - Checks

  /// Records a call that overlaps another one.
  private func alone<Result>(_ call: String, _ body: () throws -> Result) throws -> Result {
    if isBusy.exchange(true, ordering: .acquiringAndReleasing) {
      record.note { $0.violations.append("'\(call)' while another call was in the session") }
    }
    defer { isBusy.store(false, ordering: .releasing) }
    return try body()
  }

  private func canResize(_ tensor: TensorDescription, to shape: [Int]) -> Bool {
    shape.count == tensor.shape.count && shape.allSatisfy { $0 > 0 }
      && zip(tensor.shape, shape).enumerated().allSatisfy { axis, lengths in
        lengths.0 < 0 || lengths.0 == lengths.1 || (axis == 0 && behaviour.resizing == .firstAxis)
      }
  }

  /// Returns an output's shape from its description and the input's shape.
  ///
  /// The first axis follows the input's if that was changed. Open axes take their length from the
  /// input.
  private func outputShape(of tensor: TensorDescription, at index: Int) -> [Int] {
    guard !inputs.isEmpty else { return tensor.shape.map { abs($0) } }
    let source = index % inputs.count
    let input = inputs[source].shape
    return tensor.shape.enumerated().map { axis, length in
      if length < 0 { return axis < input.count ? input[axis] : 1 }
      let described = signature.inputs[source].shape
      return axis == 0 && input.first != described.first && length == 1
        ? input.first ?? length : length
    }
  }
}

/// The memory of a tensor, in words of 8 bytes to align every element type.
struct EchoTensor {
  let shape: [Int]
  var strings: [Data] = []

  private let byteCount: Int
  private var words: [UInt64] = []

  init(_ description: TensorDescription, shape: [Int]) {
    self.shape = shape
    let count = shape.reduce(1, *)
    byteCount = count * (description.dataType ?? .uint8).byteWidth
    if description.dataType == .string {
      strings = [Data](repeating: Data(), count: count)
    } else {
      words = [UInt64](repeating: 0, count: (byteCount + 7) / 8)
    }
  }

  mutating func withMutableBytes(_ body: (inout MutableRawSpan) throws -> Void) rethrows {
    let range = 0..<byteCount
    var span = words.mutableSpan
    var bytes = span.mutableBytes
    var part = bytes._mutatingExtracting(range)
    try body(&part)
  }

  func withBytes(_ body: (RawSpan) throws -> Void) rethrows {
    try body(words.span.bytes.extracting(0..<byteCount))
  }

  mutating func echo(_ input: EchoTensor, adding change: UInt8) {
    let all = input.strings + [Data](repeating: Data(), count: strings.count)
    strings = Array(all.prefix(strings.count))
    words = Array(repeating: 0, count: words.count)
    let rows = shape.first == input.shape.first ? max(shape.first ?? 1, 1) : 1
    let (to, from) = (byteCount / rows, input.byteCount / rows)
    input.withBytes { source in
      withMutableBytes { bytes in
        for row in 0..<rows {
          var part = bytes._mutatingExtracting((row * to)..<((row + 1) * to))
          let start = row * from
          part.copy(from: source.extracting(start..<(start + min(to, from))))
        }
      }
    }
    guard change != 0 else { return }
    withMutableBytes { bytes in
      for index in bytes.byteOffsets {
        let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        bytes.storeBytes(of: byte &+ change, toByteOffset: index, as: UInt8.self)
      }
    }
  }
}
