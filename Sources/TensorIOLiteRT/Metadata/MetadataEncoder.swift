// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Makes the metadata flatbuffer of a model, and the files that it names.
///
/// The numbers of slots and enumeration cases are those of metadata_schema.fbs, version 1.5.0.
struct MetadataEncoder {
  /// The files that the metadata names, in the order in which it names them.
  private(set) var files: [ZipArchive.File] = []

  /// The names of the outputs of `TFLite_Detection_PostProcess` that TensorFlow Lite's Task Library
  /// and MediaPipe look for.
  private static let detections: Set = ["location", "category", "score", "number of detections"]

  private typealias Value = FlatBufferValue

  /// Returns the bytes of the metadata flatbuffer.
  ///
  /// It leaves out ``TensorMetadata/isCalibrated``, whose parameters aren't known, and
  /// ``ModelMetadata/problems``.
  mutating func encode(_ model: ModelMetadata) throws(FlatBufferError) -> [UInt8] {
    let isDetector =
      model.outputs.count == 4 && Set(model.outputs.compactMap(\.name)) == Self.detections
    var inputs: [Value] = []
    var outputs: [Value] = []
    for tensor in model.inputs { inputs.append(try encode(tensor)) }
    for tensor in model.outputs { outputs.append(try encode(tensor, isDetection: isDetector)) }
    var subgraph: [Value?] = [
      nil, nil, .list(inputs), .list(outputs), nil, nil, nil, nil, nil, nil,
    ]
    // The oldest version of the schema that has everything that is used.
    var version = "1.0.0"
    if isDetector {
      let names = model.outputs.compactMap(\.name).filter { $0 != "number of detections" }
      subgraph[8] = .list([.table([.text("detection_result"), .list(names.map(Value.text))])])
      version = "1.2.0"
    }
    if (model.inputs + model.outputs).contains(where: { $0.content == .audio }) {
      version = "1.3.0"
    }
    if let detector = model.detector {
      subgraph[9] = .list([.table([.text("DETECTOR_METADATA"), .content(detector.content)])])
      version = "1.5.0"
    }
    let root: Value = .table([
      Self.text(model.name), Self.text(model.description), Self.text(model.version),
      .list([.table(subgraph)]), Self.text(model.author), Self.text(model.license), nil,
      .text(version),
    ])
    return try FlatBufferBuilder(root, identifier: "M001").bytes
  }

  private static func text(_ text: String?) -> Value? { text.map(Value.text) }

  private static func floats(_ values: [Float]) -> Value? {
    values.isEmpty ? nil : .floats(values)
  }

  /// Returns an element of a union: its kind and its table.
  private static func union(_ kind: UInt8, _ fields: [Value?]) -> [Value?] {
    [.byte(kind), .table(fields)]
  }

  // MARK: - Tensors

  private mutating func encode(
    _ tensor: TensorMetadata, isDetection: Bool = false
  ) throws(FlatBufferError) -> Value {
    var units: [Value] = []
    if let normalization = tensor.normalization {
      let numbers: [Value?] = [.floats(normalization.mean), .floats(normalization.std)]
      units.append(.table(Self.union(1, numbers)))
    }
    if let threshold = tensor.scoreThreshold {
      units.append(.table(Self.union(3, [.word(threshold.bitPattern)])))
    }
    var files: [Value] = []
    if let labels = tensor.labels { files.append(try file(labels, type: 2)) }
    if let labels = tensor.valueLabels { files.append(try file(labels, type: 3)) }
    let stats =
      tensor.maximum.isEmpty && tensor.minimum.isEmpty
      ? nil : Value.table([Self.floats(tensor.maximum), Self.floats(tensor.minimum)])
    var content: [Value?] = tensor.content.map { Self.fields(of: $0) } ?? []
    if isDetection, tensor.name != "number of detections" {
      // The values of a group of tensors belong together along the second axis.
      if content.isEmpty { content = Self.union(1, []) }
      content.append(.table([.word(2), .word(2)]))
    }
    return .table([
      Self.text(tensor.name), Self.text(tensor.description), nil,
      content.isEmpty ? nil : .table(content), units.isEmpty ? nil : .list(units), stats,
      files.isEmpty ? nil : .list(files),
    ])
  }

  private static func fields(of content: TensorMetadata.Content) -> [Value?] {
    switch content {
    case .features: return union(1, [])
    case .image(let space, let width, let height):
      let kind: UInt8 =
        switch space {
        case .unknown: 0
        case .rgb: 1
        case .grayscale: 2
        }
      let lengths = [width, height].map { $0.map { Value.word(UInt32(clamping: $0)) } }
      return union(2, [.byte(kind), width == nil && height == nil ? nil : .table(lengths)])
    case .boundingBoxes:
      // The order left, top, right, bottom of the four values; boundaries; fractions of the image.
      return union(3, [.words([1, 0, 3, 2]), .byte(1), .byte(0)])
    case .audio: return union(4, [])
    case .other(let kind): return union(UInt8(clamping: kind), [])
    }
  }

  /// Adds a file of labels unless an identical one exists, and returns its description.
  private mutating func file(
    _ labels: [String], type: UInt8
  ) throws(FlatBufferError) -> Value {
    if let label = labels.first(where: { $0.utf8.contains(UInt8(ascii: "\n")) }) {
      throw FlatBufferError(
        "the label '\(label)' has a line break, which a file of labels can't contain")
    }
    let content = Array(labels.map { $0 + "\n" }.joined().utf8)
    let name: String
    if let same = files.first(where: { $0.content == content }) {
      name = same.name
    } else {
      name = files.isEmpty ? "labels.txt" : "labels-\(files.count + 1).txt"
      files.append(ZipArchive.File(name: name, content: content))
    }
    return .table([.text(name), .text("One label per line."), .byte(type)])
  }
}
