// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Items to train on, from a file or a folder.
struct TrainingData: Sendable {
  /// The items, in order.
  var items: [Batch.Item] = []
  /// The line of each item, for a file.
  var lines: [Int] = []
  /// The classes in the order of their indexes, for a folder of pictures.
  var classes: [PictureClass] = []
  /// The file or folder.
  let path: String

  /// A class, and how many pictures it has.
  struct PictureClass: Hashable, Sendable {
    var name: String
    var count: Int
  }

  /// Reads a .jsonl file, or the names in a folder of classes.
  ///
  /// - Parameters:
  ///   - path: The file or folder.
  ///   - signature: The inputs.
  ///   - classes: The classes in the order of their indexes, for a folder; nil sorts their names.
  /// - Throws: `TensorIOError` for what does not fit the inputs, naming file and line.
  init(_ path: String, for signature: ModelSignature, classes: ClassOrder? = nil) throws {
    self.path = path
    if FileSystem.isFolder(path) {
      try readFolder(signature, classes)
    } else if classes != nil {
      throw TensorIOError(
        .invalidOption, "--classes goes with a folder of classes; '\(path)' is none.")
    } else {
      try readLines(signature)
    }
    guard !items.isEmpty else {
      throw TensorIOError(.missingInput, "'\(path)' has no items to train on.")
    }
  }

  /// What errors call an item.
  var nameOfItem: @Sendable (Int) -> String {
    let (lines, path) = (lines, path)
    return { lines.isEmpty ? "Item \($0) of '\(path)'" : "'\(path)', line \(lines[$0])" }
  }

  /// Writes every number once as the steps will: hours may go by before a step comes to one that
  /// does not fit.
  ///
  /// Pictures are left to the steps, as they take long to decode.
  ///
  /// - Parameter signature: The model's own, which knows its types better than model.json does.
  /// - Throws: `TensorIOError` for the first value that does not fit, naming its line.
  func checkValues(for signature: ModelSignature) throws {
    for spec in signature.inputs where !spec.isImage && spec.dataType != .string {
      var scratch = [UInt8](repeating: 0, count: spec.byteCount)
      var span = scratch.mutableSpan
      var memory = span.mutableBytes
      for (index, item) in items.enumerated() {
        do {
          try item[spec.name]?.encode(into: &memory, as: spec)
        } catch var error as TensorIOError {
          error.message = "\(nameOfItem(index)): \(error.message)"
          throw error
        }
      }
    }
  }

  // MARK: - Lines

  private mutating func readLines(_ signature: ModelSignature) throws {
    let bytes = try FileSystem.read(path)
    let reader = InputReader(folder: FileSystem.folder(of: path))
    let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in parts.enumerated() {
      guard line.contains(where: { $0 > UInt8(ascii: " ") }) else { continue }
      do {
        items.append(try Self.item(JSONValue(parsing: line), signature.inputs, reader))
        lines.append(index + 1)
      } catch let error as JSONSyntaxError {
        throw TensorIOError(
          .wrongKind,
          "'\(path)', line \(index + 1) is not JSON: column \(error.column): \(error.reason).",
          cause: error)
      } catch var error as TensorIOError {
        error.message = "'\(path)', line \(index + 1): \(error.message)"
        throw error
      }
    }
  }

  private static func item(
    _ json: JSONValue, _ inputs: [TensorSpec], _ reader: InputReader
  ) throws -> Batch.Item {
    let list = inputs.map { "'\($0.name)'" }.joined(separator: ", ")
    guard case .object(let members) = json else {
      throw TensorIOError(
        .wrongKind, "An item is an object with a value for \(list), got \(json.typeName).")
    }
    for name in members.keys.sorted() where !inputs.contains(where: { $0.name == name }) {
      throw TensorIOError(
        .unknownInput, "The model has no input '\(name)'; its inputs are \(list).")
    }
    var item: Batch.Item = [:]
    for spec in inputs {
      guard let member = members[spec.name] else {
        throw TensorIOError(.missingInput, "There is no value for the input '\(spec.name)'.")
      }
      item[spec.name] = try checked(
        reader.value(of: member, for: spec, named: spec.name), for: spec)
      if spec.isImage, case .string(let text) = member, !text.hasPrefix("@"),
        !FileSystem.isFile(reader.path(text))
      {
        throw TensorIOError(.fileNotFound, "There is no file '\(reader.path(text))'.")
      }
    }
    return item
  }

  /// A value of the right count: hours may go by before its step comes.
  private static func checked(
    _ value: any TensorEncodable, for spec: TensorSpec
  ) throws -> any TensorEncodable {
    if spec.dataType != .string, spec.kind != .bytes, let count = value.tensorElementCount,
      count != spec.elementCount
    {
      throw TensorIOError.wrongElementCount(spec, found: count)
    }
    return value
  }
}
