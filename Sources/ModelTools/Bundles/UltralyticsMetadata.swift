// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TensorIOLiteRT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an export of Ultralytics, or of its YOLOv5, says about itself.
///
/// The exporter appends a zip archive to the model. Its file is JSON. Earlier versions wrote the
/// text of a Python dictionary.
struct UltralyticsMetadata {
  /// `detect`, `segment`, `pose`, `obb`, `classify` or another; YOLOv5 doesn't state it.
  private(set) var task: String?
  /// The names of the classes.
  private(set) var names: [String] = []
  /// The size of the input image.
  private(set) var size: ImageSize?
  /// The number of keypoints of a pose, and the number of values of each.
  private(set) var points: (count: Int, values: Int)?
  private(set) var pointNames: [String]?
  /// Whether the model itself chooses among its boxes.
  private(set) var isEndToEnd = false
  /// The texts for people.
  private(set) var about = ModelMetadata.empty

  /// The names of the file in the archive, in the order in which they are looked for.
  static let fileNames = ["metadata.json", "temp_meta.txt", "meta.txt"]
  /// The most bytes of the file, and the most names in it.
  private static let (mostBytes, mostNames) = (1 << 20, 100_000)

  /// Reads the file; nil if it's something else.
  init?(_ bytes: [UInt8], named name: String) {
    guard bytes.count <= Self.mostBytes else { return nil }
    let value =
      name.hasSuffix(".json")
      ? try? JSONValue(parsing: Data(bytes)) : PythonLiteral.read(bytes)
    guard case .object(let members)? = value, let names = members["names"],
      members["task"] != nil || members["stride"] != nil
    else { return nil }
    func text(_ key: String) -> String? {
      if case .string(let text)? = members[key] { text } else { nil }
    }
    task = text("task")
    about.description = text("description")
    about.author = text("author")
    about.license = text("license")
    about.version = text("version")
    self.names = Self.names(names)
    if let sides = Self.counts(members["imgsz"]), let height = sides.first, let width = sides.last {
      size = (width, height)
    }
    if let shape = Self.counts(members["kpt_shape"]), shape.count == 2 {
      points = (shape[0], shape[1])
      if case .object(let classes)? = members["kpt_names"],
        case .array(let elements)? = classes["0"] ?? classes.values.first,
        elements.count == shape[0]
      {
        pointNames = Self.names(.array(elements))
      }
    }
    isEndToEnd = members["end2end"] == .bool(true)
    if case .object(let arguments)? = members["args"], arguments["nms"] == .bool(true) {
      isEndToEnd = true
    }
  }

  /// Returns whole numbers from 1 to 65,536; nil for anything else.
  private static func counts(_ value: JSONValue?) -> [Int]? {
    let elements: [JSONValue]
    switch value {
    case .array(let list): elements = list
    case .number(let number): elements = [.number(number)]
    default: return nil
    }
    let counts = elements.compactMap { element -> Int? in
      guard case .number(let number) = element, let count = Int(exactly: number),
        (1...65_536).contains(count)
      else { return nil }
      return count
    }
    return counts.count == elements.count ? counts : nil
  }

  /// Returns a name for each class, from a list or from a dictionary by index.
  private static func names(_ value: JSONValue) -> [String] {
    var names: [String] = []
    switch value {
    case .array(let elements) where elements.count <= mostNames:
      for (index, element) in elements.enumerated() { names.append(name(element, index)) }
    case .object(let members):
      let indices = members.keys.compactMap { Int($0) }
      guard indices.count == members.count, let last = indices.max(), last < mostNames,
        indices.allSatisfy({ $0 >= 0 })
      else { break }
      for index in 0...last { names.append(name(members["\(index)"], index)) }
    default: break
    }
    return names
  }

  /// Returns a class's name, or its index if it has none.
  private static func name(_ value: JSONValue?, _ index: Int) -> String {
    var name = ""
    if case .string(let text)? = value { name = text.inOneLine }
    if case .number(let number)? = value { name = number.shortText }
    return name.isEmpty ? "\(index)" : name
  }
}
