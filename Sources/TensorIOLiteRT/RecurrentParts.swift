// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The parts of a `.tflite` file that only LSTM and RNN layers have.
///
/// They are tensors that keep their values between runs, and the intermediate tensors of quantized
/// layers.
///
/// LiteRT's description of a model (`LiteRtModel`) rejects both with the status "unsupported". Its
/// interpreter, however, reads the file's bytes again when the model is compiled, and can run them.
/// The parts are therefore hidden while LiteRT makes the description, and restored before anything
/// is compiled.
struct RecurrentParts {
  /// Whether some tensors keep their values between runs.
  private(set) var hasVariables = false
  /// The offsets of the bytes that are set to zero while the parts are hidden.
  private var positions: [Int] = []

  /// Slots of the schema's tables.
  private enum Slot {
    static let graphs = 2
    static let tensors = 0
    static let operations = 3
    static let isVariable = 5
    static let mutatingVariableInputs = 7
    static let intermediates = 8
  }

  /// Finds the parts.
  ///
  /// - Parameters:
  ///   - file: The whole file.
  ///   - path: The file's path, for messages.
  /// - Throws: `TensorIOError` with the code `.invalidModel` when the file's structure is damaged.
  init(of file: UnsafeRawBufferPointer, path: String) throws {
    do throws(FlatBufferError) {
      try find(in: file)
    } catch {
      throw TensorIOError(
        .invalidModel, "'\(path)' is not a valid TensorFlow Lite model: \(error.reason).")
    }
  }

  /// Whether the file has no such parts.
  var isEmpty: Bool { positions.isEmpty }

  /// Calls a closure while the parts are hidden.
  func hidden<Result>(
    in file: UnsafeMutableRawBufferPointer, during body: () throws -> Result
  ) rethrows -> Result {
    let hidden = positions.map { file[$0] }
    for position in positions { file[position] = 0 }
    defer { for (position, byte) in zip(positions, hidden) { file[position] = byte } }
    return try body()
  }

  private mutating func find(in file: UnsafeRawBufferPointer) throws(FlatBufferError) {
    // Every table takes some bytes, so a well-formed file has fewer tables than bytes.
    var reader = FlatBufferReader(file, visits: file.count)
    for graph in try reader.tables(Slot.graphs, of: try reader.root(identifier: "TFL3")) {
      for tensor in try reader.tables(Slot.tensors, of: graph) {
        guard let mark = try reader.position(Slot.isVariable, of: tensor, byteCount: 1),
          file[mark] != 0
        else { continue }
        hasVariables = true
        positions.append(mark)
      }
      for operation in try reader.tables(Slot.operations, of: graph) {
        for slot in [Slot.mutatingVariableInputs, Slot.intermediates] {
          // A list whose length is zero is empty.
          guard let length = try reader.position(ofList: slot, of: operation) else { continue }
          positions += length..<(length + 4)
        }
      }
    }
  }
}
