// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Reads the metadata flatbuffer of a .tflite file and the files that it names.
///
/// The numbers of slots and enumeration cases are those of metadata_schema.fbs, version 1.5.0.
struct MetadataReader {
  /// A file in the zip archive that a tensor's metadata names.
  private struct AssociatedFile {
    var name: String
    var type: Int
    var locale: String?

    static let axisLabels = 2
    static let valueLabels = 3
  }

  /// The maximum number of lines to read, more than any model has labels.
  ///
  /// A compressed file of line ends alone could otherwise fill the memory.
  private static let mostLines = 1_000_000

  private var buffer: FlatBufferReader
  private let bytes: UnsafeRawBufferPointer
  private let file: UnsafeRawBufferPointer
  private var archive: Result<ZipArchive, ZipError>?
  private var filesRead: [String: [String]?] = [:]
  private var problems: [String] = []

  /// Reads as much as possible of a metadata flatbuffer.
  ///
  /// - Parameters:
  ///   - metadata: The bytes of the metadata flatbuffer.
  ///   - file: The whole file, for the zip archive at its end.
  /// - Returns: The metadata that could be read, with a list of problems.
  static func read(_ metadata: [UInt8], file: UnsafeRawBufferPointer) -> ModelMetadata {
    metadata.withUnsafeBytes { metadata in
      var reader = MetadataReader(metadata, file: file)
      var model = reader.readModel()
      model.problems = reader.problems
      return model
    }
  }

  private init(_ bytes: UnsafeRawBufferPointer, file: UnsafeRawBufferPointer) {
    buffer = FlatBufferReader(bytes)
    self.bytes = bytes
    self.file = file
  }

  private mutating func readModel() -> ModelMetadata {
    var model = ModelMetadata()
    do throws(FlatBufferError) {
      let root = try buffer.root(identifier: "M001")
      model.name = try buffer.string(0, of: root)
      model.description = try buffer.string(1, of: root)
      model.version = try buffer.string(2, of: root)
      model.author = try buffer.string(4, of: root)
      model.license = try buffer.string(5, of: root)
      if let graph = try buffer.tables(3, of: root).first {
        for tensor in try buffer.tables(2, of: graph) {
          model.inputs.append(try readTensor(tensor))
        }
        for tensor in try buffer.tables(3, of: graph) {
          model.outputs.append(try readTensor(tensor))
        }
        model.detector = try readDetector(graph)
      }
    } catch {
      problems.append("The model's metadata is damaged: \(error.reason).")
    }
    return model
  }

  /// Reads the metadata that MediaPipe adds to object detectors.
  private mutating func readDetector(
    _ graph: FlatBufferReader.Table
  ) throws(FlatBufferError) -> DetectorMetadata? {
    for entry in try buffer.tables(9, of: graph)
    where try buffer.string(0, of: entry) == "DETECTOR_METADATA" {
      guard let range = try buffer.vector(1, of: entry, byteCount: 1) else { return nil }
      do throws(FlatBufferError) {
        return try DetectorMetadata(UnsafeRawBufferPointer(rebasing: bytes[range]))
      } catch {
        note("The metadata of the object detector is damaged: \(error.reason).")
      }
    }
    return nil
  }

  // MARK: - Tensors

  private mutating func readTensor(
    _ table: FlatBufferReader.Table
  ) throws(FlatBufferError) -> TensorMetadata {
    var tensor = TensorMetadata()
    tensor.name = try buffer.string(0, of: table)
    tensor.description = try buffer.string(1, of: table)
    if let content = try buffer.table(3, of: table) {
      tensor.content = try readContent(content)
    }
    for unit in try buffer.tables(4, of: table) { try readProcessUnit(unit, into: &tensor) }
    if let statistics = try buffer.table(5, of: table) {
      tensor.maximum = try buffer.floats(0, of: statistics)
      tensor.minimum = try buffer.floats(1, of: statistics)
    }
    try readLabels(of: table, into: &tensor)
    return tensor
  }

  private mutating func readContent(
    _ table: FlatBufferReader.Table
  ) throws(FlatBufferError) -> TensorMetadata.Content? {
    switch try buffer.byte(0, of: table) {
    case 0: return nil
    case 1: return .features
    case 2:
      guard let image = try buffer.table(1, of: table) else {
        return .image(.unknown, width: nil, height: nil)
      }
      let space: TensorMetadata.ColorSpace =
        switch try buffer.byte(0, of: image) {
        case 1: .rgb
        case 2: .grayscale
        default: .unknown
        }
      guard let size = try buffer.table(1, of: image) else {
        return .image(space, width: nil, height: nil)
      }
      let width = Int(try buffer.integer(0, of: size))
      let height = Int(try buffer.integer(1, of: size))
      return .image(space, width: width > 0 ? width : nil, height: height > 0 ? height : nil)
    case 3: return .boundingBoxes
    case 4: return .audio
    case let kind: return .other(Int(kind))
    }
  }

  private mutating func readProcessUnit(
    _ unit: FlatBufferReader.Table, into tensor: inout TensorMetadata
  ) throws(FlatBufferError) {
    guard let options = try buffer.table(1, of: unit) else { return }
    switch try buffer.byte(0, of: unit) {
    case 1:
      tensor.normalization = TensorMetadata.Normalization(
        mean: try buffer.floats(0, of: options), std: try buffer.floats(1, of: options))
    case 2: tensor.isCalibrated = true
    case 3: tensor.scoreThreshold = try buffer.float(0, of: options)
    default: break
    }
  }

  // MARK: - Labels

  private mutating func readLabels(
    of table: FlatBufferReader.Table, into tensor: inout TensorMetadata
  ) throws(FlatBufferError) {
    var files: [AssociatedFile] = []
    for file in try buffer.tables(6, of: table) {
      guard let name = try buffer.string(0, of: file) else { continue }
      let type = Int(try buffer.byte(2, of: file))
      files.append(AssociatedFile(name: name, type: type, locale: try buffer.string(3, of: file)))
    }
    // Older writers left the type out.
    let untyped = files.first { file in
      file.type == 0 && file.name.hasSuffix(".txt") && file.name.lowercased().contains("label")
    }
    let labels = Self.preferred(files, type: AssociatedFile.axisLabels) ?? untyped
    tensor.labels = labels.flatMap { readLines($0.name) }
    let valueLabels = Self.preferred(files, type: AssociatedFile.valueLabels)
    tensor.valueLabels = valueLabels.flatMap { readLines($0.name) }
  }

  /// Returns the first file without a language, or the first file when all have one.
  private static func preferred(_ files: [AssociatedFile], type: Int) -> AssociatedFile? {
    let candidates = files.filter { $0.type == type }
    return candidates.first { $0.locale?.isEmpty ?? true } ?? candidates.first
  }

  private mutating func readLines(_ name: String) -> [String]? {
    if let known = filesRead[name] { return known }
    var lines: [String]?
    do throws(ZipError) {
      lines = try readText(name).map { Labels(text: $0).names }
      if lines == nil {
        note("The metadata names the file '\(name)', but the model doesn't contain it.")
      }
    } catch {
      note("The metadata's file '\(name)' cannot be read: \(error.reason).")
    }
    filesRead[name] = .some(lines)
    return lines
  }

  private mutating func readText(_ name: String) throws(ZipError) -> String? {
    var archive = try openArchive()
    let content = try archive.contents(of: name)
    self.archive = .success(archive)
    guard let content else { return nil }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw ZipError("its text isn't valid UTF-8")
    }
    guard content.count(where: { $0 == UInt8(ascii: "\n") }) < Self.mostLines else {
      throw ZipError("it has more than \(Self.mostLines) lines")
    }
    return text
  }

  /// Records a problem with a file, up to a limit, because a hostile model could name thousands of
  /// files.
  private mutating func note(_ problem: String) {
    if problems.count < 20 { problems.append(problem) }
  }

  private mutating func openArchive() throws(ZipError) -> ZipArchive {
    let opened = archive ?? Result { [file] () throws(ZipError) in try ZipArchive(file) }
    archive = opened
    return try opened.get()
  }
}
