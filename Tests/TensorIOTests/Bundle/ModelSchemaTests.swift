// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import TensorIO

/// Compares `Schemas/model.schema.json` with the reader's results, with an independent
/// implementation of JSON Schema.
@Suite struct ModelSchemaTests {
  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; the test needs jsonschema."))
  func `the schema and the reader accept the same documents`() async throws {
    let folder = try TemporaryFolder()
    var paths: [String] = []
    var cases: [(name: String, isAccepted: Bool)] = []
    for (index, item) in ManifestCase.all.enumerated() {
      paths.append(
        try folder.write(JSONEncoder().encode(item.document()), to: "case-\(index).json"))
      cases.append((item.name, item.isAccepted))
    }
    // The Python script removes trailing commas.
    let good = try FileManager.default.contentsOfDirectory(
      atPath: Fixtures.documents.appending(path: "good").path())
    for name in good.sorted() {
      paths.append(Fixtures.documents.appending(path: "good/\(name)").path())
      cases.append((name, true))
    }
    if FileManager.default.fileExists(atPath: Fixtures.seeds.path()) {
      for (index, document) in try SeedDocuments.manifests().enumerated() {
        paths.append(try folder.write(document.text, to: "seed-\(index).json"))
        cases.append(("\(document.file), example \(index)", true))
      }
    }
    let results = try await validate(paths)
    try #require(results.count == cases.count)
    for (result, item) in zip(results, cases) {
      #expect(
        result.errors.isEmpty == item.isAccepted,
        "\(item.name): \(result.errors.map(\.message).joined(separator: "; "))")
    }
  }

  @Test func `every property has a title and a description for editors`() throws {
    let schema = try JSONValue(parsing: Data(contentsOf: Fixtures.schema))
    var undescribed: [String] = []
    collect(schema, at: "#", into: &undescribed)
    #expect(undescribed.isEmpty)
  }

  @Test func `the schema names the same data types, modes and formats as the library`() throws {
    let schema = try JSONValue(parsing: Data(contentsOf: Fixtures.schema))
    let types = schema["$defs"]?["dtype"]?["enum"]
    #expect(types == .array(DataType.allCases.map { .string($0.rawValue) }))
    for side in ["imageInput", "imageOutput"] {
      let formats = schema["$defs"]?[side]?["properties"]?["format"]?["enum"]
      #expect(formats == .array(ImageShape.Format.allCases.map { .string($0.rawValue) }))
    }
    let map = schema["$defs"]?["classMapOutput"]?["properties"]?["format"]?["const"]
    #expect(map == .string(ClassMapShape.formatName))
  }

  @Test func `the schema names the same resize methods, crops and layouts as the library`() throws {
    let definitions = try JSONValue(parsing: Data(contentsOf: Fixtures.schema))["$defs"]
    let resize = definitions?["resize"]
    #expect(resize?["enum"] == .array(ResizeMethod.allCases.map { .string($0.rawValue) }))
    #expect(resize?["default"] == .string(ImagePreprocessing().resize.rawValue))
    let modes = definitions?["cropMode"]?["enum"]
    #expect(modes == .array(ImageCrop.Mode.allCases.map { .string($0.rawValue) }))
    #expect(definitions?["crop"]?["default"] == .string(ImageCrop().mode.rawValue))
    var rounding: JSONValue?
    if case .array(let forms)? = definitions?["crop"]?["oneOf"] ?? definitions?["crop"]?["anyOf"] {
      rounding = forms.compactMap { $0["properties"]?["rounding"] }.first
    }
    #expect(rounding?["enum"] == .array(ImageCrop.Rounding.allCases.map { .string($0.rawValue) }))
    #expect(rounding?["default"] == .string(ImageCrop().rounding.rawValue))
    let layouts = definitions?["layout"]
    #expect(layouts?["enum"] == .array(ImageShape.Layout.allCases.map { .string($0.rawValue) }))
    #expect(
      layouts?["default"] == .string(ImageShape(height: 1, width: 1).layout.rawValue))
  }

  /// Properties without a title and a description of their own or of the definition they refer to.
  private func collect(_ node: JSONValue, at path: String, into undescribed: inout [String]) {
    if case .array(let elements) = node {
      for (index, element) in elements.enumerated() {
        collect(element, at: "\(path)/\(index)", into: &undescribed)
      }
    }
    guard case .object(let members) = node else { return }
    // Conditions under "if" are for the validator; editors don't show them.
    for (key, member) in members where key != "if" {
      if key == "properties", case .object(let properties) = member {
        for (name, property) in properties
        where property["$ref"] == nil && !property.isDescribed {
          undescribed.append("\(path)/\(name)")
        }
      }
      if key == "$defs", case .object(let definitions) = member {
        for (name, definition) in definitions where !definition.isDescribed {
          undescribed.append("$defs/\(name)")
        }
      }
      collect(member, at: "\(path)/\(key)", into: &undescribed)
    }
  }

  private struct Verdict: Decodable {
    struct Fault: Decodable { let path: String, message: String }
    let document: String
    let errors: [Fault]
  }

  private func validate(_ paths: [String]) async throws -> [Verdict] {
    let output = try await Python.run(
      ["Tools/peers/validate_schema.py", "Schemas/model.schema.json"] + paths)
    return try JSONDecoder().decode([Verdict].self, from: Data(output.utf8))
  }
}

extension JSONValue {
  fileprivate var isDescribed: Bool { self["title"] != nil && self["description"] != nil }

  fileprivate subscript(key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }
}
