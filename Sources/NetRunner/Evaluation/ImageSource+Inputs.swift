// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO
import TensorIODecoding
import TensorIOEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ImageSource {
  /// Returns the values of tensors, rows and files of numbers for a model, one for each window.
  package func inputs(for specs: [TensorSpec]) throws -> [ModelInputs] {
    let only = specs.count == 1 ? specs[0] : nil
    switch self {
    case .row(let row, _): return [try row.inputs(for: specs)]
    case .tensor(let tensor, let name):
      return [ModelInputs(try NumPyFile.value(of: tensor, for: only, named: name))]
    case .numbers(let file):
      guard let only else {
        throw TensorIOError(
          .wrongInputCount,
          "The model takes \(specs.count) inputs, but '\(file.path)' has values for one.")
      }
      return try file.windows(for: only)
    case .file(let path): return [ModelInputs(try NumPyFile(path).value(for: only))]
    case .bytes(let bytes, let name):
      let path = name.hasPrefix("'") ? String(name.dropFirst().dropLast()) : name
      return [ModelInputs(try NumPyFile(bytes, named: path).value(for: only))]
    case .url, .pixels, .refused:
      throw TensorIOError(.wrongKind, "'\(id)' isn't numbers.")
    }
  }
}

extension TableRow {
  /// Returns the values for a model.
  ///
  /// The columns have the names of the inputs. If the only input is an array, all columns together
  /// can also be its elements, in order.
  fileprivate func inputs(for specs: [TensorSpec]) throws -> ModelInputs {
    if specs.allSatisfy(\.isText), !specs.isEmpty {
      let texts = cells.compactMap { if case .string(let text) = $0 { text } else { nil } }
      guard texts.count == cells.count, (1...2).contains(texts.count) else {
        throw TensorIOError(
          .wrongKind,
          "The model takes a text or a pair of texts, but the row has the columns "
            + "\(columns.map { "'\($0)'" }.joined(separator: ", ")).")
      }
      return ModelInputs(TextInput(texts[0], texts.count == 2 ? texts[1] : nil))
    }
    let members = self.members
    if specs.count == 1, members[specs[0].name] == nil {
      if specs[0].isFeatures { return ModelInputs(FeatureRow(members)) }
      return ModelInputs(try value(cells, for: specs[0]))
    }
    var values: [String: any TensorEncodable] = [:]
    for spec in specs {
      if spec.isFeatures, members[spec.name] == nil {
        values[spec.name] = FeatureRow(members)
      } else if let cell = members[spec.name] {
        values[spec.name] = try value([cell], for: spec)
      } else {
        throw TensorIOError(
          .wrongKind,
          "The model takes '\(spec.name)', but the row has only "
            + "\(columns.map { "'\($0)'" }.joined(separator: ", ")).")
      }
    }
    return ModelInputs(values)
  }

  private func value(_ cells: [JSONValue], for spec: TensorSpec) throws -> any TensorEncodable {
    if cells.count == 1 {
      if spec.isFeatures, case .object(let row) = cells[0] { return FeatureRow(row) }
      if case .string(let text) = cells[0], spec.dataType == .string { return text }
    }
    var numbers: [TensorValue.Number] = []
    for (index, cell) in cells.enumerated() {
      guard cell.isEven else {
        throw TensorIOError(
          .wrongKind,
          "'\(spec.name)' takes numbers, but the row has arrays of different lengths in each other."
        )
      }
      try append(cell, at: index, to: &numbers, spec)
    }
    return TensorValue.numbers(numbers)
  }

  private func append(
    _ cell: JSONValue, at index: Int, to numbers: inout [TensorValue.Number], _ spec: TensorSpec
  ) throws {
    switch cell {
    case .array(let elements):
      for element in elements { try append(element, at: index, to: &numbers, spec) }
    case .bool(let flag): numbers.append(.double(flag ? 1 : 0))
    case .integer(let integer): numbers.append(.integer(integer))
    case .number(let number): numbers.append(.double(number))
    default:
      let text = if case .string(let text) = cell { text } else { nil as String? }
      guard let text, let number = TableReader.number(text) else {
        let column = cells.count == columns.count ? " in the column '\(columns[index])'" : ""
        let found = text.map { "'\($0.prefix(60))'" } ?? cell.typeName
        throw TensorIOError(
          .wrongKind, "'\(spec.name)' takes numbers, but the row has \(found)\(column).")
      }
      // A double holds all integers of other texts.
      let integer = Int64(text).flatMap { Double(exactly: $0) == nil ? $0 : nil }
      numbers.append(integer.map { .integer($0) } ?? .double(number))
    }
  }
}

extension JSONValue {
  /// Whether nested arrays have equal lengths, as the axes of a tensor do.
  fileprivate var isEven: Bool { shape != nil }

  /// The lengths of nested arrays; nil if they differ.
  private var shape: [Int]? {
    guard case .array(let elements) = self else { return [] }
    // Most arrays have numbers, for each of which a list would be slow.
    if elements.allSatisfy({ if case .array = $0 { false } else { true } }) {
      return [elements.count]
    }
    guard let first = elements[0].shape, elements.allSatisfy({ $0.shape == first }) else {
      return nil
    }
    return [elements.count] + first
  }
}

extension NumberFile {
  /// The most bytes of all windows, which overlap, so that a wrong stride doesn't take all memory.
  private static let mostBytes = 1 << 30

  /// Returns the values of each window.
  fileprivate func windows(for spec: TensorSpec) throws -> [ModelInputs] {
    let bytes = [UInt8](try FileSystem.read(path))
    let width = width ?? bytes.count
    guard width > 0, bytes.count >= width else {
      throw TensorIOError(
        .wrongElementCount,
        "'\(path)' has \(bytes.count) bytes, but a window has \(width).")
    }
    let step = stride ?? width
    let count = (bytes.count - width) / step + 1
    guard count <= Self.mostBytes / width else {
      throw TensorIOError(
        .wrongElementCount,
        "'\(path)' has \(count) windows of \(width) bytes, but at most 1 GiB in all was expected. Use a "
          + "longer stride.")
    }
    return try Swift.stride(from: 0, through: bytes.count - width, by: step).map {
      ModelInputs(try value(of: Array(bytes[$0..<($0 + width)]), for: spec))
    }
  }

  private func value(of bytes: [UInt8], for spec: TensorSpec) throws -> any TensorEncodable {
    let count = spec.elementCount
    if case .imageInput(let shape, _) = spec.kind, bytes.count == count {
      return PixelBuffer(
        width: shape.width, height: shape.height, format: shape.format == .gray ? .gray : .rgb,
        bytes: bytes)
    }
    let shape = spec.itemShape
    if bytes.count == count, [.int8, .uint8].contains(spec.dataType) {
      return try Tensor(copying: bytes.span.bytes, dataType: spec.dataType, shape: shape)
    }
    guard bytes.count == 4 * count, !spec.isImage else {
      throw TensorIOError(
        .wrongElementCount,
        "'\(path)' has \(bytes.count) bytes, but '\(spec.name)' takes \(count) bytes "
          + (spec.isImage ? "of pixels." : "or 32-bit floating-point numbers."))
    }
    return try Tensor(copying: bytes.span.bytes, dataType: .float32, shape: shape)
      .numbers(as: Float.self)
  }
}
