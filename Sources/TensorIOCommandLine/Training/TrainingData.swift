// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
package import TensorIO

/// The items to train on, from a file or a folder.
struct TrainingData: Sendable {
  var items: [Batch.Item] = []
  /// The line number of each item in a file; empty for a folder.
  var lines: [Int] = []
  /// The classes in the order of their indexes, for a folder of images.
  var classes: [ImageClass] = []
  /// A checksum of the lines, or of the names in a folder.
  var checksum: UInt32 = 0
  let path: String

  struct ImageClass: Hashable, Sendable {
    var name: String
    var count: Int
  }

  /// Reads a .jsonl file, or a folder of classes, sorted by name unless there is an order.
  init(_ path: String, for signature: ModelSignature, classes: ClassOrder? = nil) throws {
    self.path = path
    if FileSystem.isFolder(path) {
      try readFolder(signature, classes)
    } else if classes != nil {
      throw TensorIOError(
        .invalidOption, "--classes needs a folder of classes, but '\(path)' isn't a folder.")
    } else {
      try readLines(signature)
    }
    guard !items.isEmpty else {
      throw TensorIOError(.missingInput, "'\(path)' has no items to train on.")
    }
  }

  /// The options with items, of which a checkpoint keeps the checksum.
  static let options = ["--data", "--validation-data"]

  /// The name of an item in error messages.
  var nameOfItem: @Sendable (Int) -> String {
    let (lines, path) = (lines, path)
    return { lines.isEmpty ? "Item \($0) of '\(path)'" : "'\(path)', line \(lines[$0])" }
  }

  /// Encodes every number once, in the same way as the training steps.
  ///
  /// Otherwise a value that doesn't fit might only be found after hours of training. Images are
  /// left to the training steps, because they take long to decode. The signature is the model's
  /// own, which knows the types better than model.json.
  func checkValues(for signature: ModelSignature) throws {
    for spec in signature.inputs where !spec.isImage && spec.dataType != .string {
      var scratch = [UInt8](repeating: 0, count: spec.byteCount)
      var span = scratch.mutableSpan
      var memory = span.mutableBytes
      for index in items.indices { try encode(index, into: &memory, as: spec) }
    }
  }

  /// Checks that augmentations can change the images of all items.
  ///
  /// - Throws: `TensorIOError` with the name of an item that has a tensor instead of an image.
  func checkImages(for signature: ModelSignature, _ augmentations: [Augmentation]) throws {
    guard let plan = AugmentationPlan(augmentations, for: signature) else { return }
    for index in items.indices {
      do {
        try plan.check(items[index])
      } catch let error as TensorIOError {
        throw error.saying(before: "\(nameOfItem(index)): ")
      }
    }
  }

  private func encode(
    _ index: Int, into memory: inout MutableRawSpan, as spec: TensorSpec
  ) throws {
    do {
      try items[index][spec.name]?.encode(into: &memory, as: spec)
    } catch let error as TensorIOError {
      throw error.saying(before: "\(nameOfItem(index)): ")
    }
  }

  /// The classes of items.
  struct ItemClasses {
    /// A number for the class of each item: the same for equal values.
    var numbers: [Int] = []
    /// The values of each class.
    var values: [[Double]] = []
  }

  /// Returns the classes that an input has.
  func classes(of spec: TensorSpec) throws -> ItemClasses {
    guard !spec.isImage, spec.dataType != .string else {
      throw TensorIOError(
        .wrongKind,
        "'\(spec.name)' takes \(spec.isImage ? "an image" : "text"), which has no classes. Name an "
          + "input of numbers.")
    }
    var scratch = [UInt8](repeating: 0, count: spec.byteCount)
    var numbers: [[UInt8]: Int] = [:]
    var classes = ItemClasses()
    for index in items.indices {
      var span = scratch.mutableSpan
      var memory = span.mutableBytes
      try encode(index, into: &memory, as: spec)
      let number = numbers[scratch] ?? numbers.count
      if numbers.updateValue(number, forKey: scratch) == nil {
        let plain = TensorSpec(
          name: spec.name, shape: spec.itemShape, dataType: spec.dataType,
          kind: .vector(nil, labels: nil))
        let values = try [Double].decode(scratch.span.bytes, as: plain)
        guard values.count == 1 || Self.isOneHot(values) else {
          throw TensorIOError(
            .wrongKind,
            "\(nameOfItem(index)): '\(spec.name)' has \(values.count) numbers, which aren't a class. "
              + "Name an input of one number, or of numbers that are all 0 but a 1 for the class.")
        }
        classes.values.append(values)
      }
      classes.numbers.append(number)
    }
    return classes
  }

  private static func isOneHot(_ values: [Double]) -> Bool {
    values.count { $0 == 1 } == 1 && values.count { $0 == 0 } == values.count - 1
  }

  // MARK: - Lines

  private mutating func readLines(_ signature: ModelSignature) throws {
    let bytes = try FileSystem.read(path)
    checksum = CRC32C.checksum(bytes)
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
          "'\(path)', line \(index + 1) isn't JSON: column \(error.column): \(error.reason).",
          cause: error)
      } catch let error as TensorIOError {
        throw error.saying(before: "'\(path)', line \(index + 1): ")
      }
    }
  }

  private static func item(
    _ json: JSONValue, _ inputs: [TensorSpec], _ reader: InputReader
  ) throws -> Batch.Item {
    let list = inputs.map { "'\($0.name)'" }.joined(separator: ", ")
    guard case .object(let members) = json else {
      throw TensorIOError(
        .wrongKind, "An item must be an object with values for \(list), got \(json.typeName).")
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

  /// Checks that a value has the right count, because its training step may be hours away.
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

/// The items of a file or folder that `train` takes, for other commands.
package enum TrainingFile {
  /// Reads the items, and checks their values.
  package static func items(of path: String, for model: TrainableModel) throws -> [Batch.Item] {
    let data = try TrainingData(path, for: ModelSignature(of: model.bundle))
    try data.checkValues(for: model.loadSignature())
    return data.items
  }
}
