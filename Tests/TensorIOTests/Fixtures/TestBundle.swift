// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import TensorIO

/// A bundle in a temporary folder, made from a valid document and changes to it.
struct TestBundle {
  let folder: TemporaryFolder
  let path: String

  /// Makes a bundle.
  ///
  /// - Parameters:
  ///   - base: A document of `Tests/Fixtures/Documents/good`.
  ///   - name: The bundle's name.
  ///   - folder: Where the bundle is made; nil makes a temporary folder.
  ///   - changes: Values to set, by JSON pointer.
  ///   - removals: JSON pointers to remove before.
  ///   - files: The other files' contents by name.
  /// - Throws: Errors of the file system.
  init(
    _ base: String = "vectors", named name: String = "test.tiobundle",
    in folder: TemporaryFolder? = nil, set changes: [String: JSONValue] = [:],
    remove removals: [String] = [], files: [String: String] = ["model.tflite": ""]
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    var document = try JSONValue(parsing: Data(Fixtures.text("good/\(base).json").utf8))
    for pointer in removals { try document.set(pointer, to: nil) }
    for (pointer, value) in changes { try document.set(pointer, to: value) }
    let bytes = try JSONEncoder().encode(document)
    self.folder = folder
    path = folder.path + "/" + name
    try folder.write(bytes, to: name + "/model.json")
    for (file, text) in files { try folder.write(text, to: name + "/" + file) }
  }

  /// Makes a bundle of arrays.
  init(
    inputs: [JSONValue], outputs: [JSONValue], isQuantized: Bool = false,
    files: [String: String] = ["model.tflite": ""]
  ) throws {
    try self.init(
      set: [
        "/inputs": .array(inputs), "/outputs": .array(outputs),
        "/model/quantized": .bool(isQuantized),
      ], files: files)
  }

  /// The issues that validation finds.
  var issues: [String] { ModelBundle.issues(at: path).map(\.summary) }

  func open() throws -> ModelBundle { try ModelBundle(path) }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByFloatLiteral
{
  init(nilLiteral: ()) { self = .null }
  init(stringLiteral value: String) { self = .string(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int) { self = .number(Double(value)) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }

  /// A layer of type array.
  static func layer(_ name: String, _ shape: [Int], _ more: [String: JSONValue] = [:]) -> JSONValue
  {
    let layer: [String: JSONValue] = [
      "name": .string(name), "type": "array", "shape": .array(shape.map { .number(Double($0)) }),
    ]
    return .object(layer.merging(more) { _, new in new })
  }
}
