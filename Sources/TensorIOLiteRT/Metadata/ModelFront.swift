// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The tables that precede a model and give it metadata.
///
/// They are a new root table and new lists of buffers and of metadata. Everything else that they
/// refer to stays where it is in the model.
struct ModelFront {
  /// The model without the front that it has from an earlier time.
  private let model: UnsafeRawBufferPointer
  /// The size of the front that the model had.
  private let oldCount: Int
  private var reader: FlatBufferReader
  private let root: FlatBufferReader.Table
  /// The indexes of the buffers that metadata can't replace.
  private let usedBuffers: Set<Int>

  /// The name of the metadata's buffer in a model.
  private static let name = "TFLITE_METADATA"
  /// What follows the identifier of a model with a front, before the size of the front.
  private static let marker: StaticString = "TIOM"
  /// A multiple of the alignment of tensors, which those after the flatbuffer keep too.
  private static let alignment = 64
  /// The number of the root table's fields that are known: all of schema.fbs in LiteRT 2.3.
  private static let fieldCount = 10

  /// Reads a model.
  ///
  /// - Parameters:
  ///   - file: The bytes of the model, without a zip archive after it.
  ///   - structure: What was read from the same bytes.
  /// - Throws: ``FlatBufferError`` when the model is damaged or newer than this code.
  init(of file: UnsafeRawBufferPointer, _ structure: ModelStructure) throws(FlatBufferError) {
    oldCount = Self.frontCount(of: file)
    model = UnsafeRawBufferPointer(rebasing: file[oldCount...])
    reader = FlatBufferReader(model, visits: model.count)
    root = try reader.root(identifier: "TFL3")
    usedBuffers = Set(structure.graphs.flatMap { $0.tensors.map(\.buffer) } + [0])
    if let index = usedBuffers.first(where: { $0 > 0 && $0 >= structure.buffers.count }) {
      throw FlatBufferError("a tensor is in buffer \(index), which does not exist")
    }
    for slot in Self.fieldCount..<Int(Int16.max)
    where try reader.position(slot, of: root, byteCount: 1) != nil {
      throw FlatBufferError(unsupported: "it has a newer format than this version can change")
    }
  }

  /// Returns the size of the front that this type put before a model, or 0.
  private static func frontCount(of file: UnsafeRawBufferPointer) -> Int {
    guard file.count >= 16, file[4..<12].elementsEqual("TFL3\(marker)".utf8) else { return 0 }
    let count = Int(UInt32(littleEndian: file.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
    guard count > 0, count.isMultiple(of: alignment), count + 8 <= file.count,
      file[(count + 4)..<(count + 8)].elementsEqual("TFL3".utf8)
    else { return 0 }
    return count
  }

  /// Returns the bytes of the model with a metadata flatbuffer.
  mutating func bytes(adding metadata: [UInt8]) throws(FlatBufferError) -> [UInt8] {
    var buffers = try list(4)
    var entries = try list(6)
    var target: Int?
    var others: [Int] = []
    for (index, entry) in try reader.tables(6, of: root).enumerated().reversed() {
      let buffer = Int(try reader.integer(1, of: entry))
      if try reader.string(0, of: entry) == Self.name {
        target = buffer
        entries.remove(at: index)
      } else {
        others.append(buffer)
      }
    }
    // Tensors without elements refer to the first buffer, which is therefore empty.
    if buffers.isEmpty { buffers.append(.table([])) }
    let content: FlatBufferValue = .table([.content(metadata)])
    if let index = target, buffers.indices.contains(index), !usedBuffers.contains(index),
      !others.contains(index)
    {
      buffers[index] = content
    } else {
      target = buffers.count
      buffers.append(content)
    }
    entries.append(.table([.text(Self.name), .word(UInt32(clamping: target ?? 0))]))

    var fields: [FlatBufferValue?] = []
    for slot in 0..<Self.fieldCount {
      switch slot {
      case 0: fields.append(.word(try reader.integer(0, of: root)))
      case 4: fields.append(.list(buffers))
      case 6: fields.append(.list(entries))
      default:
        // All of them are strings or lists, whose ends are checked here.
        _ = try reader.vector(slot, of: root, byteCount: 1)
        let position = try reader.position(slot, of: root, byteCount: 4)
        fields.append(position.map { .following($0 + distance(at: $0)) })
      }
    }
    let front = try FlatBufferBuilder(
      .table(fields), identifier: "TFL3", marker: Self.marker, alignment: Self.alignment
    ).bytes
    return try bytes(after: front)
  }

  private func distance(at position: Int) -> Int {
    Int(UInt32(littleEndian: model.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
  }

  /// Returns the tables of one of the root's lists, as they are in the model.
  private mutating func list(_ slot: Int) throws(FlatBufferError) -> [FlatBufferValue] {
    guard let start = try reader.position(ofList: slot, of: root) else { return [] }
    return try reader.tables(slot, of: root).indices.map { index in
      let position = start + 4 + 4 * index
      return .following(position + distance(at: position))
    }
  }

  // MARK: - Offsets in the file

  /// Returns the model after a front, with offsets that count from the start of the file adapted.
  private mutating func bytes(after front: [UInt8]) throws(FlatBufferError) -> [UInt8] {
    let positions = try fileOffsets()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(front.count + model.count)
    bytes += front
    bytes.append(contentsOf: model)
    let shift = UInt64(front.count) &- UInt64(oldCount)
    for position in positions {
      let offset = model.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let moved = UInt64(littleEndian: offset) &+ shift
      for index in 0..<8 {
        bytes[front.count + position + index] = UInt8(truncatingIfNeeded: moved >> (8 * index))
      }
    }
    return bytes
  }

  /// Returns the positions of offsets from the start of the file, which large models have to
  /// buffers and options after the flatbuffer.
  private mutating func fileOffsets() throws(FlatBufferError) -> Set<Int> {
    var positions: Set<Int> = []
    for buffer in try reader.tables(4, of: root) {
      try addFileOffset(1, of: buffer, to: &positions)
    }
    for graph in try reader.tables(2, of: root) {
      for operation in try reader.tables(3, of: graph) {
        try addFileOffset(9, of: operation, to: &positions)
      }
    }
    return positions
  }

  /// Adds the position of an offset, which is followed by the slot of a size.
  private func addFileOffset(
    _ slot: Int, of table: FlatBufferReader.Table, to positions: inout Set<Int>
  ) throws(FlatBufferError) {
    // An offset of 1 means that the writer never filled it in.
    guard let position = try reader.position(slot, of: table, byteCount: 8),
      case let offset = try reader.long(slot, of: table), offset > 1
    else { return }
    let size = try reader.long(slot + 1, of: table)
    let end = UInt64(model.count + oldCount)
    guard offset <= end, size <= end - offset else {
      throw FlatBufferError("a buffer extends past the end of the file")
    }
    positions.insert(position)
  }
}
