// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The parts of `saved_model.pb` that are read: `SavedModel` of
/// tensorflow/core/protobuf/saved_model.proto.
struct SavedModelMessage {
  private let fields: [MessageFields.Field]
  /// The message's graphs, in order.
  let metaGraphs: [MetaGraphMessage]

  private static let metaGraphField = 2

  /// Reads a message.
  ///
  /// - Throws: ``MessageFields/Damaged``.
  init(_ bytes: ArraySlice<UInt8>) throws {
    fields = try MessageFields.read(bytes)
    metaGraphs = try fields.filter { $0.number == Self.metaGraphField }.compactMap(\.value)
      .map { try MetaGraphMessage($0) }
  }

  /// Returns the message with only the graphs that have the given tags, which get another tag
  /// instead.
  func keeping(tags: Set<String>, retagged tag: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
      guard field.number == Self.metaGraphField, let value = field.value else {
        bytes += field.written
        continue
      }
      guard try Set(MetaGraphMessage(value).tags) == tags else { continue }
      bytes.append(field: UInt8(Self.metaGraphField), try MetaGraphMessage.retagged(value, tag))
    }
    return bytes
  }
}

/// A graph and how to use it: `MetaGraphDef` of tensorflow/core/protobuf/meta_graph.proto.
///
/// Most of its bytes are the operations. They are skipped, because TensorFlow reads them itself.
struct MetaGraphMessage {
  private(set) var tags: [String] = []
  private(set) var tensorFlowVersion = ""
  private(set) var saver = SaverMessage()
  /// The signatures, by key.
  private(set) var signatures: [String: SignatureMessage] = [:]
  /// The message of the objects, which only TensorFlow 2 writes.
  private var objectGraph: ArraySlice<UInt8>?

  private static let infoField = 1
  private static let tagsField = 4

  init() {}

  init(_ bytes: ArraySlice<UInt8>) throws {
    for field in try MessageFields.read(bytes) {
      guard let value = field.value else { continue }
      switch field.number {
      case Self.infoField: try readInfo(value)
      case 3: try saver.read(value)
      case 5:
        let (key, value) = try Self.entry(value)
        signatures[key] = try SignatureMessage(value)
      case 7: objectGraph = value
      default: break
      }
    }
  }

  /// Returns the names of the variables by their paths in checkpoints; none for TensorFlow 1.
  ///
  /// - Throws: ``MessageFields/Damaged``.
  func variables() throws -> [String: String] {
    try objectGraph.map { try ObjectGraphMessage($0).variables } ?? [:]
  }

  private mutating func readInfo(_ bytes: ArraySlice<UInt8>) throws {
    for field in try MessageFields.read(bytes) {
      guard let text = try [Self.tagsField, 5].contains(field.number) ? field.text() : nil else {
        continue
      }
      if field.number == Self.tagsField { tags.append(text) } else { tensorFlowVersion = text }
    }
  }

  /// Returns the key and the value of a map entry.
  fileprivate static func entry(_ bytes: ArraySlice<UInt8>) throws -> (String, ArraySlice<UInt8>) {
    var (key, value) = ("", ArraySlice<UInt8>())
    for field in try MessageFields.read(bytes) {
      if field.number == 1 { key = try field.text() ?? key }
      if field.number == 2 { value = field.value ?? value }
    }
    return (key, value)
  }

  /// Returns the message with another tag in place of its own tags.
  fileprivate static func retagged(_ bytes: ArraySlice<UInt8>, _ tag: String) throws -> [UInt8] {
    var (info, rest): ([UInt8], [UInt8]) = ([], [])
    for field in try MessageFields.read(bytes) {
      guard field.number == infoField, let value = field.value else {
        rest += field.written
        continue
      }
      for field in try MessageFields.read(value) where field.number != tagsField {
        info += field.written
      }
    }
    info.append(field: UInt8(tagsField), tag.utf8)
    var message: [UInt8] = []
    message.append(field: UInt8(infoField), info)
    return message + rest
  }
}

/// The operations that write and read weights: `SaverDef` of tensorflow/core/protobuf/saver.proto.
struct SaverMessage {
  private(set) var filenameTensorName = ""
  private(set) var saveTensorName = ""
  private(set) var restoreOpName = ""

  fileprivate mutating func read(_ bytes: ArraySlice<UInt8>) throws {
    for field in try MessageFields.read(bytes) {
      switch field.number {
      case 1: filenameTensorName = try field.text() ?? filenameTensorName
      case 2: saveTensorName = try field.text() ?? saveTensorName
      case 3: restoreOpName = try field.text() ?? restoreOpName
      default: break
      }
    }
  }
}

/// A signature: `SignatureDef` of tensorflow/core/protobuf/meta_graph.proto.
struct SignatureMessage {
  /// The names of the tensors in the graph, by their names in the signature.
  private(set) var inputs: [String: String] = [:]
  private(set) var outputs: [String: String] = [:]

  fileprivate init(_ bytes: ArraySlice<UInt8>) throws {
    for field in try MessageFields.read(bytes) {
      guard [1, 2].contains(field.number), let value = field.value else { continue }
      let (key, info) = try MetaGraphMessage.entry(value)
      let name = try MessageFields.read(info).last { $0.number == 1 }?.text() ?? ""
      if field.number == 1 { inputs[key] = name } else { outputs[key] = name }
    }
  }
}
