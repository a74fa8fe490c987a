// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What the values of a layer are for a program, without how they become a tensor.
///
/// Generated types are made of it, and so is the ``ModelInterface`` that they are checked against.
package enum LayerContent {
  /// An image of any size, or an image that the model returns.
  case image
  /// A class for each pixel, with the labels if there are any.
  case classMap(Labels?)
  /// Numbers of one type; nil if the type is an integer that only the model's file states.
  case numbers(DataType?, count: Int)
  /// A value for each label.
  case scores([String])
  /// Texts.
  case texts(count: Int)
  /// The bytes of a tensor.
  case bytes
  /// An input of the type `audio`, `text` or `features`, or an output with `decode`.
  case coded(LayerCoding, count: Int)

  /// Classifies a layer of a bundle.
  package init(of layer: ModelManifest.Layer, in bundle: ModelBundle) {
    if let coding = bundle.coding(of: layer) {
      self = .coded(coding, count: layer.elementCount)
      return
    }
    switch layer.kind {
    case .imageInput, .imageOutput: self = .image
    case .classMap: self = .classMap(bundle.labels(of: layer))
    case .string:
      self = layer.dataType == .string ? .texts(count: layer.elementCount) : .bytes
    case .array(let quantization, _), .scalar(let quantization):
      if layer.dataType == .string {
        self = .texts(count: layer.elementCount)
      } else if let labels = bundle.labels(of: layer) {
        self = .scores(Array(labels.names.prefix(layer.elementCount)))
      } else if quantization != nil {
        self = .numbers(.float32, count: layer.elementCount)
      } else {
        let assumed: DataType? = bundle.manifest.model.isQuantized ? nil : .float32
        self = .numbers(layer.dataType ?? assumed, count: layer.elementCount)
      }
    }
  }
}

extension LayerContent: CustomStringConvertible {
  /// The line of an interface, in which any change that affects a program shows.
  package var description: String {
    switch self {
    case .image: "an image"
    case .classMap(let labels): "a class map" + Self.fingerprint(of: labels?.names)
    case .numbers(let type, let count):
      "\(counted(count, "value")) of the type \(type?.rawValue ?? "of the model's integers")"
    case .scores(let names): counted(names.count, "value") + Self.fingerprint(of: names)
    case .texts(let count): counted(count, "text")
    case .bytes: "bytes"
    case .coded(let coding, let count): Self.describe(coding, count)
    }
  }

  private static func describe(_ coding: LayerCoding, _ count: Int) -> String {
    switch coding.type {
    case "audio": "a recording"
    case "text": "a text"
    case "features":
      "a row with the columns "
        + quotedList(coding.columns.map { "\($0.name): \($0.kind)\($0.isOptional ? "?" : "")" })
    case "regression":
      counted(count, "measurement") + (coding.texts("names").map { " " + quotedList($0) } ?? "")
        + (coding.texts("units").map { " in " + quotedList($0) } ?? "")
    default:
      "decoded as \(coding.type)" + (coding.text("unit").map { " in '\($0)'" } ?? "")
        + fingerprint(of: coding.labels?.names)
    }
  }

  /// Returns the number of labels and a hash of them.
  private static func fingerprint(of names: [String]?) -> String {
    guard let names else { return "" }
    // FNV-1a. It finds accidental changes, and needs no library.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for name in names {
      for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      hash = (hash ^ 0x0A) &* 0x100_0000_01B3
    }
    return ", \(counted(names.count, "label")) \(String(hash, radix: 16))"
  }
}

/// A column of an input of the type `features`, as a program fills it.
package struct FeatureColumnContent {
  /// What a column takes.
  package enum Kind {
    /// A number.
    case number
    /// One of a few words.
    case words([String])
    /// Any word, or one of a file of them.
    case text
  }

  package let name: String
  package let kind: Kind
  /// Whether a row may leave it out.
  package let isOptional: Bool
}

extension FeatureColumnContent.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .number: "number"
    case .words(let words): "one of " + words.joined(separator: ", ")
    case .text: "text"
    }
  }
}

extension LayerCoding {
  /// The columns of an input of the type `features`, in their order.
  package var columns: [FeatureColumnContent] {
    guard case .array(let columns)? = options["columns"] else { return [] }
    return columns.compactMap { column in
      guard case .object(let members) = column, case .string(let name)? = members["name"] else {
        return nil
      }
      let kind: FeatureColumnContent.Kind
      if case .array(let words)? = members["values"], members["unknown"] == nil,
        members["ignore_unknown"] != .bool(true)
      {
        kind = .words(words.compactMap { if case .string(let word) = $0 { word } else { nil } })
      } else {
        kind = members["values"] == nil && members["vocabulary"] == nil ? .number : .text
      }
      return FeatureColumnContent(
        name: name, kind: kind, isOptional: members["missing"] != nil)
    }
  }
}
