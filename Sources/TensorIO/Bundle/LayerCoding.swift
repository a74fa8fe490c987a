// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How values that aren't plain numbers become a layer's tensor, or come from it.
///
/// It is the `decode` field of an output, or the fields of an input of the type `audio`. TensorIODecoding
/// and TensorIOEncoding work accordingly. It is a class, so that copies of a ``TensorSpec`` share it.
public final class LayerCoding: Sendable {
  /// The name of the decoder or the type of the input, such as `yolo` or `audio`.
  public let type: String
  /// All other keys; they are valid for the type.
  public let options: [String: JSONValue]
  /// The names of the classes, symbols or gallery's vectors; nil without any.
  public let labels: Labels?
  /// The folder of the files that the options name.
  package let folder: String
  /// What layers with the same options share; nil if the layer shares nothing.
  private let sharing: SharedPreparation?
  private let preparation: Preparation

  package convenience init(
    type: String, options: [String: JSONValue], labels: Labels? = nil, folder: String = ""
  ) {
    self.init(type, options, labels, folder, nil, Preparation())
  }

  /// Makes the coding of a layer in model.json, which shares what is prepared with other layers.
  convenience init(type: String, options: [String: JSONValue], sharing: SharedPreparation) {
    self.init(type, options, nil, "", sharing, Preparation())
  }

  private init(
    _ type: String, _ options: [String: JSONValue], _ labels: Labels?, _ folder: String,
    _ sharing: SharedPreparation?, _ preparation: Preparation
  ) {
    self.type = type
    self.options = options
    self.labels = labels
    self.folder = folder
    self.sharing = sharing
    self.preparation = preparation
  }

  /// Returns the same coding for a model, with the labels and the folder of its bundle.
  func with(labels: Labels?, folder: String) -> LayerCoding {
    LayerCoding(type, options, labels, folder, sharing, sharing?.current() ?? Preparation())
  }

  /// The names of the other outputs that the decoder reads, by their roles.
  public var outputs: [String: String] {
    var outputs: [String: String] = [:]
    for key in DecoderKeys.roles { outputs[key] = text(key) }
    return outputs
  }

  /// Returns what was prepared from the options, such as tables, which is made only once.
  package func prepared<Value: Sendable, Failure>(
    _ make: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try preparation.value(make)
  }
}

extension LayerCoding: Hashable {
  public static func == (left: LayerCoding, right: LayerCoding) -> Bool {
    left === right
      || (left.type == right.type && left.options == right.options && left.labels == right.labels
        && left.folder == right.folder)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(options)
  }
}

// The forms of the options have been checked with the bundle.
extension LayerCoding {
  package subscript(key: String) -> JSONValue? { options[key] }

  package func text(_ key: String) -> String? {
    if case .string(let text)? = options[key] { text } else { nil }
  }

  package func flag(_ key: String) -> Bool? {
    if case .bool(let flag)? = options[key] { flag } else { nil }
  }

  package func number(_ key: String) -> Double? { options[key]?.asNumber }

  package func float(_ key: String) -> Float? { number(key).map { Float($0) } }

  package func count(_ key: String) -> Int? { number(key).flatMap { Int(exactly: $0) } }

  package func numbers(_ key: String) -> [Double]? {
    guard case .array(let elements)? = options[key] else { return nil }
    return elements.compactMap(\.asNumber)
  }

  package func texts(_ key: String) -> [String]? {
    guard case .array(let elements)? = options[key] else { return nil }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// The names that a key lists, or as many numbers as it says.
  package func names(_ key: String) -> [String]? {
    texts(key) ?? count(key).map { (0..<$0).map(String.init) }
  }

  /// The bytes of a file in the bundle's assets folder.
  package func file(_ key: String) throws -> (path: String, bytes: [UInt8])? {
    guard let name = text(key) else { return nil }
    let path = folder + name
    return (path, [UInt8](try FileSystem.read(path)))
  }

  /// Returns the name of a class, which is its index as text if there are no labels.
  package func label(_ index: Int) -> String {
    guard let names = labels?.names, names.indices.contains(index) else { return "\(index)" }
    return names[index]
  }
}

extension JSONValue {
  package var asNumber: Double? {
    switch self {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }
}
