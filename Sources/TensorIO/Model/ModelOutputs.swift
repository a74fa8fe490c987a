// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The outputs of a run, each of which can be read as the type that you ask for.
///
/// ```swift
/// let price: Float = try outputs["price"]
/// let best = try outputs["classification", as: Classification.self].top(5, threshold: 0.1)
/// ```
///
/// The bytes are copied out of the model once, or the runtime hands over its memory. They are
/// converted when they are read.
public struct ModelOutputs: Sendable {
  let layout: OutputLayout
  let storage: TensorStorage
  /// The outputs whose memory the runtime has handed over.
  private(set) var taken: [Int: any TensorMemory] = [:]
  private(set) var strings: [Int: [Data]] = [:]
  /// What decoders know of the inputs; nil if no output is decoded.
  var inputFacts: InputFacts?

  /// The size of the upright image that the model has seen; nil if no output is decoded, or if the
  /// input was a tensor.
  package var imageSize: (width: Int, height: Int)? { inputFacts?.imageSize }

  /// The values of the input that an output reconstructs, before quantization; nil if none does.
  package var inputValues: [Float]? { inputFacts?.values }

  /// The image input; nil for a model without one.
  package var imageInput: TensorSpec? { layout.image }

  /// The outputs, in the order of model.json.
  public var specs: [TensorSpec] { layout.specs }
  /// The names of the outputs, in order.
  public var names: [String] { layout.specs.map(\.name) }
  /// The number of outputs; 0 for placeholder models.
  public var count: Int { layout.specs.count }

  /// Returns what a decoder has prepared for an output, and prepares it at the first call.
  package func prepared<Prepared: Sendable>(
    at index: Int, by prepare: () throws -> Prepared
  ) rethrows -> Prepared {
    if let prepared = layout.prepared.withLock({ $0[index] }) as? Prepared { return prepared }
    let prepared = try prepare()
    layout.prepared.withLock { $0[index] = prepared }
    return prepared
  }

  /// Reads an output.
  ///
  /// - Parameters:
  ///   - name: The output's name.
  ///   - type: The type to read: a number, an array, `Data`, ``Classification``, ``PixelBuffer``,
  ///     ``ClassMap``, ``Tensor`` or ``TensorValue``.
  /// - Throws: ``TensorIOError`` when there is no such output, or when it cannot be read as that
  ///   type.
  public subscript<Value: TensorDecodable>(
    _ name: String, as type: Value.Type = Value.self
  ) -> Value {
    get throws {
      guard let index = layout.specs.firstIndex(where: { $0.name == name }) else {
        throw TensorIOError.unknownOutput(name, among: layout.specs)
      }
      return try value(at: index)
    }
  }

  /// Reads an output by its index in model.json.
  ///
  /// - Throws: ``TensorIOError`` when there is no such output, or when it cannot be read as that
  ///   type.
  public func value<Value: TensorDecodable>(
    at index: Int, as type: Value.Type = Value.self
  ) throws -> Value {
    guard layout.specs.indices.contains(index) else {
      throw TensorIOError(
        .unknownOutput,
        "The model has \(counted(count, "output")), but none at index \(index).")
    }
    if layout.hasStrings, let strings = strings[index] {
      return try Value.decode(strings: strings, as: layout.specs[index])
    }
    if let memory = taken[index] {
      let count = layout.ranges[index].count
      return try memory.withBytes { bytes in
        try Value.decode(bytes.extracting(0..<count), as: layout.specs[index])
      }
    }
    return try storage.withBytes { bytes in
      try Value.decode(bytes.extracting(layout.ranges[index]), as: layout.specs[index])
    }
  }
}

extension TensorIOError {
  package static func unknownOutput(_ name: String, among specs: [TensorSpec]) -> TensorIOError {
    TensorIOError(
      .unknownOutput,
      "The model has no output '\(name)'; "
        + (specs.count == 1 ? "its only output is " : "its outputs are ")
        + quotedList(specs.map(\.name)) + ".")
  }
}

/// What decoders know of the inputs of a run.
///
/// It is a class, so that outputs that aren't decoded stay small.
final class InputFacts: Sendable {
  let imageSize: (width: Int, height: Int)?
  let values: [Float]?

  init(imageSize: (width: Int, height: Int)?, values: [Float]?) {
    self.imageSize = imageSize
    self.values = values
  }
}

/// The layout of the outputs in the bytes of a run.
final class OutputLayout: Sendable {
  let specs: [TensorSpec]
  let ranges: [Range<Int>]
  let byteCount: Int
  let hasStrings: Bool
  /// The first image input.
  let image: TensorSpec?
  /// The index of the input that an output reconstructs; nil if none does.
  let reconstructedInput: Int?
  /// Whether decoders need to know the size of the image, or the values of an input.
  let needsInputFacts: Bool
  /// What the decoders have prepared, by their outputs, so that files are read only once.
  let prepared = Mutex<[Int: any Sendable]>([:])

  init(_ specs: [TensorSpec], inputs: [TensorSpec] = []) {
    self.specs = specs
    image = inputs.first { $0.isImage }
    reconstructedInput =
      specs.lazy.compactMap(\.coding).first { $0.type == "reconstruction" }.flatMap { coding in
        let name = coding.text("input")
        return inputs.firstIndex { name == nil || $0.name == name }
      }
    needsInputFacts = specs.contains { $0.coding != nil }
    var ranges: [Range<Int>] = []
    var end = 0
    for spec in specs {
      // Each output starts at a multiple of 16 bytes, where every element type is aligned.
      let start = (end + 15) & ~15
      end = start + spec.byteCount
      ranges.append(start..<end)
    }
    self.ranges = ranges
    self.byteCount = end
    self.hasStrings = specs.contains { $0.dataType == .string }
  }
}
