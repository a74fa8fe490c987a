// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import Testing

/// Compares with the results of Python's TensorFlow for the same SavedModels, written by
/// `Tools/make_saved_models.py`.
@Suite struct GoldenTests {
  @Test(arguments: Golden.cases)
  func `outputs equal Python's`(_ golden: Golden) throws {
    let model = try SavedModels.model(golden.model, for: golden.isTraining ? .train : .predict)
    let layers = LayerNames(
      inputs: golden.inputs.map(\.name), outputs: golden.outputs.map(\.name))
    let signature = model.describe(layers, in: model.signatures[0])
    #expect(signature.inputs.map(\.name) == layers.inputs)
    let session =
      try golden.targets.isEmpty
      ? model.makeSession(signature, options: SessionOptions())
      : model.makeTrainingSession(
        signature, operations: golden.targets, options: SessionOptions())
    try session.resizeInputs(to: golden.inputs.map(\.shape))
    for (index, input) in golden.inputs.enumerated() {
      if input.dtype == "string" {
        try session.setInput(at: index, to: input.strings)
      } else {
        try session.withInput(at: index) { memory in
          let bytes = try input.bytes
          try #require(memory.byteCount == bytes.count)
          memory.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
        }
      }
    }
    try session.run()
    for (index, output) in golden.outputs.enumerated() {
      #expect(session.outputShape(at: index) == output.shape)
      if output.dtype == "string" {
        #expect(try session.strings(ofOutput: index) == output.strings)
      } else {
        try session.withOutput(at: index) { bytes in
          let found = bytes.withUnsafeBytes { Data($0) }
          try #expect(output.agrees(with: found, within: golden.tolerance), "\(output.name)")
        }
      }
    }
  }

  @Test(arguments: Golden.series)
  func `twenty training steps give Python's losses`(_ series: Golden) throws {
    let model = try SavedModels.model(series.model, for: .train)
    let signature = model.describe(
      LayerNames(inputs: series.inputs.map(\.name), outputs: [series.output]),
      in: model.signatures[0])
    let session = try model.makeTrainingSession(
      signature, operations: series.targets, options: SessionOptions())
    try session.resizeInputs(to: series.inputs.map(\.shape))
    for (index, input) in series.inputs.enumerated() {
      try session.withInput(at: index) { memory in
        let bytes = try input.bytes
        memory.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
      }
    }
    for (step, expected) in series.losses.enumerated() {
      try session.run()
      var loss: Float = 0
      try session.withOutput(at: 0) { loss = $0.unsafeLoadUnaligned(as: Float.self) }
      #expect(abs(Double(loss) - expected) <= 1e-4 * max(1, abs(expected)), "step \(step)")
    }
  }
}

/// A model with inputs, and Python's results for them.
struct Golden: Sendable, CustomStringConvertible {
  let model: String
  let isTraining: Bool
  let targets: [String]
  let tolerance: Double
  let inputs: [GoldenTensor]
  let outputs: [GoldenTensor]
  /// The output that a series checks, and its values.
  let output: String
  let losses: [Double]

  var description: String { "\(model) \(inputs.map(\.shape)) \(targets)" }

  static let cases = load("expected.json", "cases")
  static let series = load("training.json", "series")

  private static func load(_ file: String, _ key: String) -> [Golden] {
    do {
      let data = try Data(contentsOf: URL(filePath: SavedModels.path(file)))
      return try JSONDecoder().decode(JSONValue.self, from: data)[key].elements.map(Golden.init)
    } catch {
      fatalError("The table of expected outputs cannot be read: \(error)")
    }
  }

  private init(_ value: JSONValue) {
    model = value["model"].text
    isTraining = value["tags"].elements.first?.text == "train"
    targets = value["targets"].elements.map(\.text)
    tolerance = value["tolerance"].real
    inputs = GoldenTensor.tensors(value["inputs"])
    outputs = GoldenTensor.tensors(value["outputs"])
    output = value["output"].text
    losses = value["losses"].elements.map(\.real)
  }
}

/// A tensor in a table of expected outputs.
struct GoldenTensor: Sendable {
  let name: String
  let dtype: String
  let shape: [Int]
  let values: [JSONValue]

  static func tensors(_ value: JSONValue) -> [GoldenTensor] {
    value.members.sorted { $0.key < $1.key }.map { name, tensor in
      GoldenTensor(
        name: name, dtype: tensor["dtype"].text,
        shape: tensor["shape"].elements.map { Int($0.real) },
        values: tensor["values"].elements)
    }
  }

  var strings: [Data] { values.map { Data(base64Encoded: $0.text) ?? Data() } }

  /// The elements in memory.
  var bytes: Data {
    get throws {
      func pack<Number: BitwiseCopyable>(_ number: (JSONValue) -> Number) -> Data {
        values.map(number).withUnsafeBytes { Data($0) }
      }
      return switch dtype {
      case "float32": pack { Float($0.real) }
      case "float64": pack { $0.real }
      case "float16": pack { Float16($0.real) }
      case "int8": pack { Int8($0.real) }
      case "int16": pack { Int16($0.real) }
      case "int32": pack { Int32($0.real) }
      case "int64": pack(\.whole)
      case "uint8": pack { UInt8($0.real) }
      case "uint16": pack { UInt16($0.real) }
      case "uint32": pack { UInt32($0.real) }
      case "bool": pack { $0 == .bool(true) }
      default: throw CocoaError(.coderInvalidValue)
      }
    }
  }

  /// Whether the bytes equal the tensor's, or the numbers are within the tolerance.
  func agrees(with found: Data, within tolerance: Double) throws -> Bool {
    let expected = try bytes
    if found == expected { return true }
    guard tolerance > 0, dtype == "float32", found.count == expected.count else { return false }
    return values.enumerated().allSatisfy { index, value in
      let number = found.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
      }
      return abs(Double(number) - value.real) <= tolerance * max(1, abs(value.real))
    }
  }
}

extension JSONValue {
  subscript(_ key: String) -> JSONValue { members[key] ?? .null }
  var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var text: String { if case .string(let text) = self { text } else { "" } }
  var real: Double {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: 0
    }
  }
  var whole: Int64 {
    switch self {
    case .number(let number): Int64(number)
    case .integer(let integer): integer
    default: 0
    }
  }
}
