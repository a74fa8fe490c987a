// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The inputs of a run: one value, a list of values by index, or values by name.
///
/// ```swift
/// try model.run(image)                          // one value
/// try model.run(["x": [0.5, 2], "n": 42])       // by name
/// try model.run(ModelInputs(list: [image, 3]))  // by index
/// ```
///
/// For a model with one input, an array is the value of that input. For a model with several
/// inputs, it is a list with one value for each.
public struct ModelInputs: Sendable {
  enum Form {
    case value(any TensorEncodable)
    case list([any TensorEncodable])
    case named([String: any TensorEncodable])
  }

  let form: Form
  /// Values that are fed in addition to the inputs, by name, such as a learning rate.
  public var placeholders: [String: any TensorEncodable] = [:]

  /// One value for the only input, or an array with one value for each input.
  public init(_ value: any TensorEncodable) { form = .value(value) }

  /// One value for each input, in order.
  public init(list values: [any TensorEncodable]) { form = .list(values) }

  /// Values by the inputs' names.
  public init(_ values: [String: any TensorEncodable]) { form = .named(values) }

  /// Calls a closure with the index and value of each input; nil for an optional input that was
  /// left out by name.
  ///
  /// If `isOptional` is empty, all are required.
  package func forEach(
    _ specs: [TensorSpec], isOptional: [Bool] = [],
    _ body: (Int, (any TensorEncodable)?) throws -> Void
  ) throws {
    switch form {
    case .value(let value):
      if specs.count == 1 { return try body(0, value) }
      // A text is for all inputs that take parts of its tokens, such as their indices and their mask.
      if !specs.isEmpty, value.tensorItems == nil, specs.allSatisfy(\.isText) {
        for index in specs.indices { try body(index, value) }
        return
      }
      try forEach(specs, of: value.tensorItems ?? [value], body)
    case .list(let values): try forEach(specs, of: values, body)
    case .named(let values):
      try checkNames(values, specs, isOptional)
      for index in specs.indices { try body(index, values[specs[index].name]) }
    }
  }

  /// Returns the inputs with other values.
  func mapValues(
    _ change: (any TensorEncodable) -> any TensorEncodable
  ) -> ModelInputs {
    var inputs =
      switch form {
      case .value(let value): ModelInputs(change(value))
      case .list(let values): ModelInputs(list: values.map(change))
      case .named(let values): ModelInputs(values.mapValues(change))
      }
    inputs.placeholders = placeholders
    return inputs
  }

  /// Calls a closure with the index and value of each placeholder; nil for one without a value.
  package func forEachPlaceholder(
    _ specs: [TensorSpec], _ body: (Int, (any TensorEncodable)?) throws -> Void
  ) throws {
    for name in placeholders.keys where !specs.contains(where: { $0.name == name }) {
      throw TensorIOError(
        .unknownInput,
        "The model has no placeholder '\(name)'; "
          + (specs.isEmpty
            ? "it has no placeholders." : "its placeholders are \(quotedList(specs.map(\.name)))."))
    }
    for index in specs.indices { try body(index, placeholders[specs[index].name]) }
  }

  private func forEach(
    _ specs: [TensorSpec], of values: [any TensorEncodable],
    _ body: (Int, (any TensorEncodable)?) throws -> Void
  ) throws {
    guard values.count == specs.count else {
      throw TensorIOError(
        .wrongInputCount,
        "The model takes \(counted(specs.count, "input")) (\(quotedList(specs.map(\.name)))), got "
          + "\(counted(values.count, "value")).")
    }
    for index in values.indices { try body(index, values[index]) }
  }

  private func checkNames(
    _ values: [String: any TensorEncodable], _ specs: [TensorSpec],
    _ isOptional: [Bool]
  ) throws {
    for name in values.keys where !specs.contains(where: { $0.name == name }) {
      let inputs =
        specs.count == 1
        ? "its only input is '\(specs[0].name)'" : "its inputs are \(quotedList(specs.map(\.name)))"
      throw TensorIOError(.unknownInput, "The model has no input '\(name)'; \(inputs).")
    }
    for (index, spec) in specs.enumerated()
    where values[spec.name] == nil && (isOptional.isEmpty || !isOptional[index]) {
      throw TensorIOError(.missingInput, "There is no value for the input '\(spec.name)'.")
    }
  }
}

extension ModelInputs: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, any TensorEncodable)...) {
    self.init(Dictionary(elements) { _, last in last })
  }
}

extension ModelInputs {
  /// Makes inputs to try out a model: zeros, empty strings and gray images.
  ///
  /// Images have the input's size, but at most `longestSide` pixels on a side. A larger input
  /// enlarges them.
  package static func zeros(
    for signature: ModelSignature, longestSide: Int = .max
  ) -> ModelInputs {
    ModelInputs(
      list: signature.inputs.map { spec -> any TensorEncodable in
        if case .imageInput(let shape, _) = spec.kind {
          let (width, height) = (min(shape.width, longestSide), min(shape.height, longestSide))
          return PixelBuffer(
            width: width, height: height, format: .rgb,
            bytes: [UInt8](repeating: 128, count: width * height * 3))
        }
        if spec.dataType == .string { return [String](repeating: "", count: spec.elementCount) }
        return Zeros()
      })
  }
}

/// As many zeros as a tensor holds, without an array of them, which might not fit into memory.
private struct Zeros: TensorEncodable {
  static let tensorKindName = "zeros"

  var tensorElementCount: Int? { nil }

  func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    guard spec.quantization == nil else { return try encodeQuantized(into: &memory, as: spec) }
    // In every number type, zero consists of zero bytes.
    memory.withUnsafeMutableBytes { bytes in
      _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  /// Encodes zeros piece by piece, so that only a small array of them is needed.
  ///
  /// Zero is not the byte 0 in a quantized tensor.
  private func encodeQuantized(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    let (width, most) = (spec.dataType.byteWidth, 16_384)
    let count = memory.byteCount / width
    for start in stride(from: 0, to: count, by: most) {
      let end = min(start + most, count)
      var piece = memory._mutatingExtracting((start * width)..<(end * width))
      let zeros = [Float](repeating: 0, count: end - start)
      try Float.encode(elements: zeros, into: &piece, as: spec.part(from: start))
    }
  }
}
