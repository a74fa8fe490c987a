// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import TensorIO
import TensorIOLiteRT

/// A model in memory, which runs one set of inputs at a time.
struct LoadedInterpreter {
  private let session: any Session
  private let signature: SignatureDescription
  private var shapes: [[Int]]

  /// Loads the model of a `.tflite` file, or of a bundle with one.
  ///
  /// - Throws: `TensorIOError` if the library is missing or the model can't be used.
  init(_ path: String, _ backend: LiteRTBackend) throws {
    var file = path
    if FileSystem.isFolder(path) {
      guard let model = try ModelBundle(path).modelPath else {
        throw TensorIOError(.invalidBundle, "The bundle '\(path)' has no model file.")
      }
      file = model
    }
    let model = try backend.loadModel(at: file, for: .predict)
    signature = model.signatures[0]
    session = try model.makeSession(signature: 0, options: SessionOptions())
    shapes = signature.inputs.map(\.shape)
  }

  /// Runs the model, and returns the outputs that have a format.
  ///
  /// - Throws: An `NSError` with the code ``MLErrorCode/invalidArgument`` if the formats or values
  ///   don't match the model, or a `TensorIOError` of the runtime.
  mutating func run(
    _ values: [ModelInputs.Value], _ formats: ModelInputOutputOptions.Formats
  ) throws -> [Int: ModelOutputs.Output] {
    let tensors = try check(values, formats)
    try resize(to: signature.inputs.indices.compactMap { formats.inputs[$0]?.dimensions })
    for (index, format) in formats.outputs {
      try Self.check(
        "Output", index, format, against: signature.outputs[index],
        shape: session.outputShape(at: index))
    }
    for (index, tensor) in tensors.enumerated() {
      try session.withInput(at: index) { try tensor.write(into: &$0) }
    }
    try session.run()
    var outputs: [Int: ModelOutputs.Output] = [:]
    for (index, format) in formats.outputs {
      // Some models' output shapes are known only after the run.
      try Self.check(
        "Output", index, format, against: signature.outputs[index],
        shape: session.outputShape(at: index))
      try session.withOutput(at: index) { bytes in
        outputs[index] = ModelOutputs.Output(
          format: format, bytes: bytes.withUnsafeBytes { Data($0) })
      }
    }
    return outputs
  }

  private func check(
    _ values: [ModelInputs.Value], _ formats: ModelInputOutputOptions.Formats
  ) throws -> [TensorBytes] {
    let (inputs, outputs) = (signature.inputs, signature.outputs)
    guard values.count == inputs.count else {
      throw makeError(
        .invalidArgument,
        "The model takes \(counted(inputs.count, "input")), but it got \(values.count).")
    }
    for (what, count, indices) in [
      ("input", inputs.count, formats.inputs.keys), ("output", outputs.count, formats.outputs.keys),
    ] {
      if let index = indices.first(where: { $0 >= count }) {
        throw makeError(
          .invalidArgument,
          "A format was set for \(what) \(index), but the model only has \(count), counted from 0.")
      }
    }
    return try values.enumerated().map { index, value in
      guard let format = formats.inputs[index] else {
        throw makeError(.invalidArgument, "No format was set for input \(index).")
      }
      // The first axis is the batch axis, so the model may accept another length for it.
      let batch = inputs[index].shape.isEmpty ? [] : [format.dimensions[0]]
      try Self.check(
        "Input", index, format, against: inputs[index],
        shape: batch + inputs[index].shape.dropFirst())
      return try TensorBytes(value, at: index, as: format)
    }
  }

  private static func check(
    _ what: String, _ index: Int, _ format: ModelInputOutputOptions.Format,
    against tensor: TensorDescription, shape: [Int]
  ) throws {
    // A tensor without axes has one element.
    let shape = shape.isEmpty ? [1] : shape
    let fits =
      format.dimensions.count == shape.count
      && zip(format.dimensions, shape).allSatisfy { $0 == $1 || $1 < 0 }
    guard tensor.dataType == format.type, fits else {
      throw makeError(
        .invalidArgument,
        "\(what) \(index) was declared as \(format.text), but the model has \(tensor.typeName) "
          + "\(shape)."
      )
    }
  }

  private mutating func resize(to wanted: [[Int]]) throws {
    guard wanted != shapes else { return }
    do {
      try session.resizeInputs(to: wanted)
      shapes = wanted
    } catch let error as TensorIOError {
      throw makeError(.invalidArgument, error.message)
    }
  }
}

/// An input that is checked and ready to be written into a tensor's memory.
struct TensorBytes {
  private let value: ModelInputs.Value
  private let format: ModelInputOutputOptions.Format

  /// Checks an input against its declared format.
  ///
  /// - Throws: An `NSError` with the code ``MLErrorCode/invalidArgument`` if its size or shape
  ///   differs.
  init(
    _ value: ModelInputs.Value, at index: Int, as format: ModelInputOutputOptions.Format
  ) throws {
    switch value {
    case .bytes(let data):
      guard data.count == format.byteCount else {
        throw makeError(
          .invalidArgument,
          "Input \(index) has \(data.count) bytes, but \(format.text) has \(format.byteCount).")
      }
    case .numbers(let numbers, let shape):
      // As in ML Kit, the values may also be one flat array.
      guard shape == format.dimensions || (shape.count == 1 && numbers.count == format.count) else {
        throw makeError(
          .invalidArgument,
          "Input \(index) has arrays of the shape \(shape), but its format has the dimensions "
            + "\(format.dimensions).")
      }
    }
    self.value = value
    self.format = format
  }

  /// Writes the tensor.
  ///
  /// - Throws: An `NSError` with the code ``MLErrorCode/invalidArgument`` if the element type can't
  ///   represent a number.
  func write(into memory: inout MutableRawSpan) throws {
    try memory.withUnsafeMutableBytes { memory in
      switch value {
      case .bytes(let data): data.copyBytes(to: memory)
      case .numbers(let numbers, _):
        switch format.type {
        case .float32: try fill(memory, numbers) { .some(Self.float($0)) }
        case .int32: try fill(memory, numbers) { Self.integer($0).flatMap(Int32.init(exactly:)) }
        case .int64: try fill(memory, numbers) { Self.integer($0) }
        default: try fill(memory, numbers) { Self.integer($0).flatMap(UInt8.init(exactly:)) }
        }
      }
    }
  }

  private func fill<Element>(
    _ memory: UnsafeMutableRawBufferPointer, _ numbers: [ModelInputs.Number],
    _ convert: (ModelInputs.Number) -> Element?
  ) throws {
    let elements = memory.bindMemory(to: Element.self)
    for (index, number) in numbers.enumerated() {
      guard let element = convert(number) else {
        let text =
          switch number {
          case .integer(let integer): "\(integer)"
          case .real(let real): "\(real)"
          }
        throw makeError(
          .invalidArgument, "The number \(text) does not fit into \(format.type.rawValue).")
      }
      elements[index] = element
    }
  }

  private static func float(_ number: ModelInputs.Number) -> Float {
    switch number {
    case .integer(let integer): Float(integer)
    case .real(let real): Float(real)
    }
  }

  private static func integer(_ number: ModelInputs.Number) -> Int64? {
    switch number {
    case .integer(let integer): integer
    case .real(let real): Int64(exactly: real)
    }
  }
}
#endif
