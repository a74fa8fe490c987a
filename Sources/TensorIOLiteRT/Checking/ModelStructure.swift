// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The graphs, tensors and operators of a .tflite file, read without the runtime.
///
/// The slots are those of TensorFlow's schema.fbs, version 3. Reading checks only that every offset
/// stays in the file; ``ModelRules`` checks the values.
struct ModelStructure {
  /// A tensor of a graph.
  struct Tensor {
    var name: String
    /// The lengths of the axes, as stored in the file.
    var shape: [Int32]
    /// The shape with -1 for axes of unknown length; empty when the file doesn't have it.
    ///
    /// Where the two differ, LiteRT uses this one.
    var shapeSignature: [Int32]
    var type: TensorElementType
    /// The index of the buffer that holds a constant's elements.
    var buffer: Int
    var isVariable: Bool
    /// Whether the elements are stored in the sparse format, in fewer bytes than the shape says.
    var isSparse: Bool
    var quantization: Quantization
  }

  /// The scales and zero points that are stored with a tensor.
  ///
  /// The lists are empty when there are none.
  struct Quantization {
    var scales: [Float] = []
    var zeroPoints: [Int64] = []
    var axis = 0
    /// Whether the quantization is of another kind, such as block-wise scales.
    var isCustom = false
    /// Whether there are scales for blocks of elements.
    var isBlockWise = false
  }

  /// One step of a graph.
  struct Operation {
    /// The index into the file's list of operator codes.
    var codeIndex: Int
    /// The operator's code, or nil when ``codeIndex`` is out of range.
    var code: OperatorCode?
    /// The indexes of the input tensors; -1 stands for an optional input that is left out.
    var inputs: [Int32]
    var outputs: [Int32]
    var intermediates: [Int32]
    /// The kind of the options, and the table that holds them.
    var options: (kind: UInt8, table: FlatBufferReader.Table?)
    /// The same for operators that were added after the first 256.
    var newerOptions: (kind: UInt8, table: FlatBufferReader.Table?)
  }

  /// A graph: the main one, or the body of a loop or a condition.
  struct Graph {
    var tensors: [Tensor]
    var inputs: [Int32]
    var outputs: [Int32]
    var operations: [Operation]
  }

  /// A named way to run a graph.
  struct Signature {
    var key: String
    var graph: Int
    var inputs: [Int]
    var outputs: [Int]
  }

  /// The byte range in the file of each buffer's elements; nil for an empty buffer.
  var buffers: [Range<Int>?]
  var graphs: [Graph]
  var signatures: [Signature]
  /// The indexes of the buffers that the metadata refers to.
  var metadataBuffers: [Int]
}

// MARK: - Reading

extension ModelStructure {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - file: The bytes of the whole file.
  ///   - reader: A reader of the same bytes.
  /// - Throws: ``FlatBufferError`` when an offset points outside the file.
  init(_ file: UnsafeRawBufferPointer, _ reader: inout FlatBufferReader) throws(FlatBufferError) {
    let root = try reader.root(identifier: "TFL3")
    let codes = try reader.list(1, of: root, OperatorCode.init)
    buffers = try reader.list(4, of: root) { (table, reader) throws(FlatBufferError) in
      try Self.buffer(table, in: file, &reader)
    }
    graphs = try reader.list(2, of: root) { (table, reader) throws(FlatBufferError) in
      try Graph(table, codes, &reader)
    }
    metadataBuffers = try reader.list(6, of: root, Self.index)
    signatures = try reader.list(7, of: root, Signature.init)
  }

  /// Returns the index that a table's second field holds.
  fileprivate static func index(
    _ table: FlatBufferReader.Table, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) -> Int { Int(try reader.integer(1, of: table)) }

  /// Returns the byte range of a buffer's elements.
  ///
  /// Large files store the elements after the flatbuffer.
  private static func buffer(
    _ table: FlatBufferReader.Table, in file: UnsafeRawBufferPointer,
    _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) -> Range<Int>? {
    let (offset, size) = (try reader.long(1, of: table), try reader.long(2, of: table))
    // An offset of 1 means that the writer never filled it in.
    if offset > 1 {
      guard offset <= UInt64(file.count), size <= UInt64(file.count) - offset else {
        throw FlatBufferError("a buffer extends past the end of the file")
      }
      return Int(offset)..<Int(offset + size)
    }
    guard let range = try reader.vector(0, of: table, byteCount: 1), !range.isEmpty else {
      return nil
    }
    return range
  }
}

extension ModelStructure.Graph {
  fileprivate init(
    _ table: FlatBufferReader.Table, _ codes: [OperatorCode], _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) {
    tensors = try reader.list(0, of: table, ModelStructure.Tensor.init)
    inputs = try reader.integers(1, of: table)
    outputs = try reader.integers(2, of: table)
    operations = try reader.list(3, of: table) { (table, reader) throws(FlatBufferError) in
      try ModelStructure.Operation(table, codes, &reader)
    }
  }
}

extension ModelStructure.Tensor {
  fileprivate init(
    _ table: FlatBufferReader.Table, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) {
    shape = try reader.integers(0, of: table)
    type = TensorElementType(rawValue: try reader.byte(1, of: table))
    buffer = Int(try reader.integer(2, of: table))
    name = try reader.string(3, of: table) ?? ""
    isVariable = try reader.byte(5, of: table) != 0
    isSparse = try reader.table(6, of: table) != nil
    shapeSignature = try reader.integers(7, of: table)
    quantization = ModelStructure.Quantization()
    guard let table = try reader.table(4, of: table) else { return }
    quantization.scales = try reader.floats(2, of: table)
    quantization.zeroPoints = try reader.longs(3, of: table)
    let kind = try reader.byte(4, of: table)
    quantization.isCustom = kind != 0
    quantization.isBlockWise = kind == 2
    quantization.axis = Int(Int32(bitPattern: try reader.integer(6, of: table)))
  }
}

extension ModelStructure.Operation {
  fileprivate init(
    _ table: FlatBufferReader.Table, _ codes: [OperatorCode], _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) {
    codeIndex = Int(try reader.integer(0, of: table))
    code = codes.indices.contains(codeIndex) ? codes[codeIndex] : nil
    inputs = try reader.integers(1, of: table)
    outputs = try reader.integers(2, of: table)
    options = (try reader.byte(3, of: table), try reader.table(4, of: table))
    intermediates = try reader.integers(8, of: table)
    newerOptions = (try reader.byte(11, of: table), try reader.table(12, of: table))
  }
}

extension ModelStructure.Signature {
  fileprivate init(
    _ table: FlatBufferReader.Table, _ reader: inout FlatBufferReader
  ) throws(FlatBufferError) {
    inputs = try reader.list(0, of: table, ModelStructure.index)
    outputs = try reader.list(1, of: table, ModelStructure.index)
    key = try reader.string(2, of: table) ?? ""
    graph = Int(try reader.integer(4, of: table))
  }
}

/// The type of a tensor's elements, with the numbers that .tflite files use.
///
/// LiteRT's C interface uses other numbers: see ``LiteRT/dataType(_:)``.
struct TensorElementType: RawRepresentable, Hashable, CustomStringConvertible {
  let rawValue: UInt8

  static let uint8 = TensorElementType(rawValue: 3)
  static let string = TensorElementType(rawValue: 5)
  static let int16 = TensorElementType(rawValue: 7)
  static let int8 = TensorElementType(rawValue: 9)

  /// The type's name in TensorFlow, or the number of a type that this library doesn't know.
  var description: String {
    Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "\(rawValue)"
  }

  private static let names = [
    "float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16", "complex64", "int8",
    "float64", "complex128", "uint64", "resource", "variant", "uint32", "uint16", "int4",
    "bfloat16", "int2", "uint4", "float8_e4m3fn", "float8_e5m2",
  ]

  /// The number of bits of an element, or nil for strings, resources and unknown types.
  var bitWidth: Int? {
    switch rawValue {
    case 3, 6, 9: 8  // uint8, bool, int8
    case 1, 7, 16, 18: 16  // float16, int16, uint16, bfloat16
    case 0, 2, 15: 32  // float32, int32, uint32
    case 4, 8, 10, 12: 64  // int64, complex64, float64, uint64
    case 11: 128  // complex128
    case 17: 4  // int4
    default: nil
    }
  }

  /// The zero points that a quantized tensor of this type can have, or nil when there is no bound.
  var zeroPoints: ClosedRange<Int64>? {
    switch self {
    case .uint8: 0...255
    case .int8: -128...127
    case .int16: -32768...32767
    default: nil
    }
  }

  /// Whether kernels compute with the scale of a tensor of this type.
  var isQuantizable: Bool { zeroPoints != nil }
}
