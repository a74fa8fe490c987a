// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Named tensors in the safetensors format.
///
/// A file consists of the header's length in 8 bytes, the header as JSON, and the bytes of the
/// tensors. All numbers are little-endian, as on every processor that the library runs on.
package struct Safetensors: Sendable {
  package struct Tensor: Sendable, Hashable {
    package var name: String
    package var dataType: DataType
    package var shape: [Int]
    package var bytes: Data

    package init(name: String, dataType: DataType, shape: [Int], bytes: Data) {
      self.name = name
      self.dataType = dataType
      self.shape = shape
      self.bytes = bytes
    }
  }

  package var tensors: [Tensor]
  /// Texts about the file, by key.
  package var metadata: [String: String] = [:]

  /// The longest header that other readers accept, in bytes.
  package static let longestHeader = 100_000_000
  private static let lengthBytes = 8
  /// A key of the header that doesn't name a tensor.
  private static let metadataKey = "__metadata__"

  private static let typeNames: [DataType: String] = [
    .bool: "BOOL", .uint8: "U8", .int8: "I8", .uint16: "U16", .int16: "I16", .uint32: "U32",
    .int32: "I32", .int64: "I64", .float16: "F16", .float32: "F32", .float64: "F64",
  ]

  /// The header's entry for a tensor, with the keys of the format.
  private struct Entry: Codable {
    var dtype: String
    var shape: [Int]
    var offsets: [Int]

    private enum CodingKeys: String, CodingKey {
      case dtype, shape
      case offsets = "data_offsets"
    }

    /// Whether this tensor's bytes precede another's.
    ///
    /// A tensor without any bytes precedes the one that begins at the same offset.
    func isBefore(_ other: Entry) -> Bool { offsets.lexicographicallyPrecedes(other.offsets) }
  }

  private struct Header: Codable {
    var entries: [String: Entry] = [:]
    var metadata: [String: String] = [:]

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: JSONValue.MemberKey.self)
      for key in members.allKeys {
        if key.stringValue == Safetensors.metadataKey {
          metadata = try members.decode([String: String].self, forKey: key)
        } else {
          entries[key.stringValue] = try members.decode(Entry.self, forKey: key)
        }
      }
    }

    init(_ entries: [String: Entry], _ metadata: [String: String]) {
      self.entries = entries
      self.metadata = metadata
    }

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: JSONValue.MemberKey.self)
      if !metadata.isEmpty {
        try members.encode(
          metadata, forKey: JSONValue.MemberKey(stringValue: Safetensors.metadataKey))
      }
      for (name, entry) in entries {
        try members.encode(entry, forKey: JSONValue.MemberKey(stringValue: name))
      }
    }
  }

  package init(tensors: [Tensor], metadata: [String: String] = [:]) {
    self.tensors = tensors
    self.metadata = metadata
  }

  // MARK: - Reading

  /// Reads the content of a file, which may be damaged.
  ///
  /// - Parameters:
  ///   - data: The content.
  ///   - path: The file's path, for messages.
  ///   - longestHeader: The longest header to accept, in bytes.
  /// - Throws: ``TensorIOError`` that describes what is wrong.
  package init(
    parsing data: Data, path: String, longestHeader: Int = Self.longestHeader
  ) throws {
    func fault(_ reason: String) -> TensorIOError {
      TensorIOError(.invalidModel, "'\(path)' is not a valid safetensors file: \(reason).")
    }
    let data = Data(data)
    guard data.count >= Self.lengthBytes else { throw fault("it has only \(data.count) bytes") }
    let length = (0..<Self.lengthBytes).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(data[$1]) }
    guard length <= data.count - Self.lengthBytes else {
      throw fault("its header should have \(length) bytes, but the file has \(data.count)")
    }
    guard length <= longestHeader else {
      throw fault("its header has \(length) bytes, but at most \(longestHeader) are allowed")
    }
    let start = Self.lengthBytes + Int(length)
    let header: Header
    do {
      header = try JSONDecoder().decode(Header.self, from: data[Self.lengthBytes..<start])
    } catch {
      throw fault("its header cannot be read (\(error))")
    }
    var end = 0
    metadata = header.metadata
    tensors = []
    for (name, entry) in header.entries.sorted(by: { $0.value.isBefore($1.value) }) {
      guard let dataType = Self.typeNames.first(where: { $0.value == entry.dtype })?.key else {
        throw fault("'\(name)' has the type '\(entry.dtype)', which isn't supported")
      }
      guard let count = entry.shape.elementCount else {
        throw fault("'\(name)' has the impossible shape \(entry.shape)")
      }
      let byteCount = count * dataType.byteWidth
      guard entry.offsets.count == 2, entry.offsets[0] == end,
        entry.offsets[1] == end + byteCount, entry.offsets[1] <= data.count - start
      else {
        throw fault(
          "'\(name)' is at \(entry.offsets), but should be at [\(end), \(end + byteCount)], "
            + "within \(data.count - start) bytes of data")
      }
      let bytes = data[(start + end)..<(start + end + byteCount)]
      guard dataType != .bool || bytes.allSatisfy({ $0 <= 1 }) else {
        throw fault("'\(name)' is of type BOOL, but has bytes other than 0 and 1")
      }
      tensors.append(
        Tensor(name: name, dataType: dataType, shape: entry.shape, bytes: bytes))
      end += byteCount
    }
    guard end == data.count - start else {
      throw fault("its tensors have \(end) bytes, but the file has \(data.count - start) for them")
    }
  }

  // MARK: - Writing

  /// Writes a file atomically, and replaces an existing one.
  ///
  /// - Throws: ``TensorIOError`` when the file cannot be written. An existing file is then
  ///   unchanged.
  package func write(to path: String) throws {
    let content = try serialized()
    try FileSystem.writeAtomically(path) { fresh in
      try content.write(to: URL(filePath: fresh))
      try FileSystem.flush(fresh)
    } move: {
      try FileSystem.rename($0, to: path)
    }
  }

  /// Returns the content of a file.
  ///
  /// The tensors with the widest elements come first, after a header that ends at a multiple of 8
  /// bytes. Each tensor is therefore aligned for its elements when the file is mapped into memory.
  package func serialized() throws -> Data {
    let ordered = tensors.sorted {
      ($1.dataType.byteWidth, $0.name) < ($0.dataType.byteWidth, $1.name)
    }
    var entries: [String: Entry] = [:]
    var end = 0
    for tensor in ordered {
      guard let type = Self.typeNames[tensor.dataType],
        tensor.shape.elementCount.map({ $0 * tensor.dataType.byteWidth }) == tensor.bytes.count,
        tensor.name != Self.metadataKey, entries[tensor.name] == nil
      else {
        throw TensorIOError(
          .unsupportedModel,
          "The weights '\(tensor.name)' (\(tensor.dataType) \(tensor.shape)) cannot be saved.")
      }
      let range = end..<(end + tensor.bytes.count)
      entries[tensor.name] = Entry(
        dtype: type, shape: tensor.shape, offsets: [range.lowerBound, range.upperBound])
      end = range.upperBound
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var header = try encoder.encode(Header(entries, metadata))
    header.append(contentsOf: repeatElement(UInt8(ascii: " "), count: -header.count & 7))
    var content = withUnsafeBytes(of: UInt64(header.count).littleEndian) { Data($0) }
    content.append(header)
    for tensor in ordered { content.append(tensor.bytes) }
    return content
  }
}
