// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import SwiftGeneration

/// The compiler and the formatter on the types of many bundles.
@Suite(.enabled(if: Samples.hasCompiler, "swiftc isn't on the PATH."))
struct CompilationTests {
  private func expectNoErrors(
    _ sources: [String: String], _ flags: [String] = Swift.strict
  ) async throws {
    let errors = try await Swift.check(sources, flags)
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test(arguments: GenerationOptions.Access.allCases)
  func `the types of all bundles compile strictly`(access: GenerationOptions.Access) async throws {
    let sources = try Samples.sources { $0.access = access }
    #expect(sources.count >= 25)
    try await expectNoErrors(sources)
  }

  @Test func `the types compile in the language mode 5, beside files with other imports`()
    async throws
  {
    var sources = try Samples.sources()
    sources["Other"] = "import Foundation\nimport TensorIO\nimport TensorIOLiteRT\n"
    try await expectNoErrors(sources, Swift.five)
    sources = try Samples.sources { $0.access = .public }
    sources["Other"] = "import Foundation\nimport TensorIO\nimport TensorIOLiteRT\n"
    try await expectNoErrors(sources, Swift.five)
  }

  @Test func `the types of resources compile beside SwiftPM's accessor`() async throws {
    var sources = try Samples.sources { options in
      options.location = .resource("Models/a \"b\" \\.tiobundle")
    }
    sources["Accessor"] = """
      import Foundation

      extension Foundation.Bundle {
        static let module = Foundation.Bundle.main
      }
      """
    try await expectNoErrors(sources)
  }

  @Test func `programs can use the types`() async throws {
    var sources = try Samples.sources()
    sources["Uses"] = try String(
      contentsOf: Python.root.appending(path: "Tests/Fixtures/Typed/Uses.txt"), encoding: .utf8)
    try await expectNoErrors(sources)
  }

  @Test(arguments: [
    ("cat\ndog\n", "cat\nhorse\n", "'.dog'|'dog'"), ("cat\ndog\n", "Dog\ncat\n", ""),
  ])
  func `a changed label breaks the program that names it`(
    before: String, after: String, missing: String
  ) async throws {
    func sources(_ labels: String) throws -> [String: String] {
      let layer = #"{"name": "pet", "type": "array", "shape": [2], "labels": "labels.txt"}"#
      let bundle = try SampleBundle(
        "pets", inputs: [#"{"name": "x", "type": "scalar", "shape": []}"#], outputs: [layer],
        assets: ["labels.txt": labels])
      return [
        "Pets": try bundle.source(),
        "Use":
          "import TensorIO\n\nfunc isDog(_ pets: Pets) throws -> Bool { try pets(x: 1).pet.best == .dog }\n",
      ]
    }
    #expect(try await Swift.check(sources(before)) == "")
    let errors = try await Swift.check(sources(after))
    if missing.isEmpty {
      #expect(errors == "", "The order of labels and their spelling don't matter to a program.")
    } else {
      #expect(errors.contains("has no member 'dog'"), "\(errors)")
    }
  }

  @Test func `a changed name, type or count breaks the program that passes the value`() async throws
  {
    let use = "func use(_ m: Sample) throws -> [Float] { try m(size: [1, 2]).price }\n"
    func errors(input: String, output: String) async throws -> String {
      let bundle = try SampleBundle("sample", inputs: [input], outputs: [output])
      return try await Swift.check(["Sample": bundle.source(), "Use": use])
    }
    let price = #"{"name": "price", "type": "array", "shape": [2]}"#
    func size(_ name: String, _ more: String) -> String {
      #"{"name": "\#(name)", "type": "array", \#(more)}"#
    }
    #expect(try await errors(input: size("size", #""shape": [2]"#), output: price) == "")
    #expect(try await errors(input: size("sizes", #""shape": [2]"#), output: price) != "")
    #expect(try await errors(input: size("size", #""shape": [1]"#), output: price) != "")
    #expect(
      try await errors(input: size("size", #""shape": [2], "dtype": "string""#), output: price)
        != "")
    let renamed = #"{"name": "cost", "type": "array", "shape": [2]}"#
    #expect(try await errors(input: size("size", #""shape": [2]"#), output: renamed) != "")
  }

  @Test func `an image input takes images and nothing else`() async throws {
    let image = #"{"name": "image", "type": "image", "shape": [8, 8, 3], "format": "RGB"}"#
    let bundle = try SampleBundle("sample", inputs: [image], outputs: [])
    let source = try bundle.source()
    let imports = "import TensorIO\nimport TensorIOImageCodecs\n"
    for value in [
      "ImageFile(\"a.png\")", "PixelBuffer(width: 1, height: 1, format: .rgb, bytes: [1, 2, 3])",
    ] {
      let use = imports + "func use(_ m: Sample) throws { _ = try m(image: \(value)) }\n"
      #expect(try await Swift.check(["Sample": source, "Use": use]) == "")
    }
    for value in ["1", "[1, 2]", "\"a.png\""] {
      let use = imports + "func use(_ m: Sample) throws { _ = try m(image: \(value)) }\n"
      #expect(try await Swift.check(["Sample": source, "Use": use]).contains("ImageEncodable"))
    }
  }

  @Test(arguments: [GenerationOptions.Access.internal, .public, .package])
  func `the types are formatted`(access: GenerationOptions.Access) async throws {
    var sources = try Samples.sources { $0.access = access }
    let more = try Samples.sources { options in
      options.access = access
      options.location = .resource("Models/some folder/with a long name/that goes on/x.tiobundle")
      options.needsLoader = true
    }
    for (name, source) in more { sources[name + "Resource"] = source }
    let findings = try await Swift.lint(sources)
    #expect(findings.isEmpty, "\(findings)")
    let formatted = try await Swift.formatted(sources)
    for (name, source) in sources {
      let isSame = formatted[name] == source
      #expect(isSame, "\(name) is laid out differently.")
    }
  }
}

/// The bundles whose types are compiled.
enum Samples {
  static let hasCompiler: Bool = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: $0 + "/swiftc")
    }
  }()

  /// Returns the source of each bundle's type, by the name of a file.
  static func sources(
    _ change: (inout GenerationOptions) -> Void = { _ in }
  ) throws -> [String: String] {
    var sources: [String: String] = [:]
    let made = try documents + layers + labels + names + random
    for (index, path) in (shipped + made.map(\.path)).enumerated() {
      var options = try GenerationOptions(bundle: path)
      options.location = .path(default: "models/\(index).tiobundle")
      change(&options)
      // The type of each bundle of the same name has another name.
      if sources[options.typeName] != nil { options.typeName += "Number\(index)" }
      sources[options.typeName] = try TypeGenerator(ModelBundle(path), options: options).source
    }
    // The folders of the bundles are removed with them.
    return withExtendedLifetime(made) { sources }
  }

  /// The bundles of the package, and those of the shared data if they are there.
  static var shipped: [String] {
    let environment = ProcessInfo.processInfo.environment["TENSORIO_SHARED_DATA"]
    let shared =
      environment.map { URL(filePath: $0) } ?? Python.root.appending(path: "../shared/data")
    let folders = [
      Python.root.appending(path: "Demo"),
      Python.root.appending(path: "Sources/NetRunnerWeb/Assets/Models"),
      shared.appending(path: "bundles/tflite"), shared.appending(path: "bundles/tensorflow"),
    ]
    return folders.flatMap { folder in
      let library = try? ModelLibrary(scanning: folder.path)
      return (library?.bundles ?? []).filter { !$0.manifest.isPlaceholder }.map(\.path)
    }
  }

  /// The documents of all fields of model.json.
  static var documents: [SampleBundle] {
    get throws {
      try [
        "audio", "classifier", "decoders", "every-field", "features", "quantized", "text",
        "training", "vectors",
      ].map { try SampleBundle(good: $0) }
    }
  }

  /// A bundle for each type of layer and data type.
  static var layers: [SampleBundle] {
    get throws {
      let types = DataType.allCases.map(\.rawValue)
      func layers(_ type: String, _ shape: String, _ prefix: String) -> [String] {
        types.map {
          #"{"name": "\#(prefix)_\#($0)", "type": "\#(type)", "shape": \#(shape), "dtype": "\#($0)"}"#
        }
      }
      let every =
        layers("array", "[-1, 2, 3]", "array") + layers("array", "[1]", "one")
        + layers("scalar", "[]", "scalar") + layers("string", "[1]", "string")
      let map =
        #"{"name": "map", "type": "image", "shape": [4, 4, 2], "format": "CLASSES", "labels": "labels.txt"}"#
      let plain =
        #"{"name": "plain map", "type": "image", "shape": [4, 4, 1], "format": "CLASSES"}"#
      let image = #"{"name": "drawn", "type": "image", "shape": [4, 4, 1], "format": "GRAY"}"#
      let tensorflow = #"{"file": "train", "quantized": false, "backend": "tensorflow"}"#
      let regression = #"""
        {"name": "body", "type": "array", "shape": [3], "decode": {"type": "regression",
         "names": ["height", "weight", "self"], "units": ["cm", "kg", ""]}}
        """#
      let plainNumbers =
        #"{"name": "numbers", "type": "array", "shape": [2], "decode": {"type": "regression"}}"#
      let raw = #"{"name": "raw", "type": "array", "shape": [3]}"#
      let oneText =
        #"{"name": "review", "type": "text", "shape": [1, 32], "tokenizer": "vocab.txt"}"#
      let optionalRow = #"""
        {"name": "flat", "type": "features", "shape": [-1, 3], "columns": [
          {"name": "area"}, {"name": "class", "values": ["a", "b"], "missing": "a"}]}
        """#
      return [
        try SampleBundle("everything", inputs: every, outputs: every + [map, plain, image]),
        try SampleBundle(
          "saved", inputs: every, outputs: every,
          placeholders: [
            #"{"name": "rate", "type": "scalar", "shape": []}"#
          ], model: tensorflow),
        try SampleBundle("body", inputs: [oneText], outputs: [regression, plainNumbers]),
        try SampleBundle(
          "raw", inputs: [raw], outputs: [raw],
          model: #"{"file": "model.tflite", "quantized": true}"#),
        try SampleBundle("nothing"),
        try SampleBundle(
          "rows", inputs: [optionalRow, raw], outputs: [], model: tensorflow),
        try SampleBundle(
          "own", inputs: [raw], outputs: [raw],
          model: #"{"file": "model.tflite", "quantized": false, "class": "Mine"}"#),
      ]
    }
  }

  /// Bundles whose labels are many, equal, or hardly different.
  static var labels: [SampleBundle] {
    get throws {
      let cases = [
        ("most", (1...64).map { "label \($0)" }), ("more", (1...65).map { "label \($0)" }),
        ("twice", ["crane", "heron", "crane"]), ("same", ["\u{F6}", "o\u{308}"]),
        (
          "odd",
          [
            "none", "some", "self", "Self", "init", "Type", "allCases", "rawValue", "hash",
            "values",
            "\"", "\\", "\\(1)", "\"\"\"", "a\u{0}b", "\u{202E}abc", "", " ", "#", "//", "*/", "'",
            "e\u{301}",
            "\u{301}", String(repeating: "very long ", count: 30), "/// - Parameter x: y", "👩‍👩‍👧",
          ]
        ),
      ]
      return try cases.map { name, labels in
        let layer =
          #"{"name": "c", "type": "array", "shape": [\#(labels.count)], "labels": "labels.txt"}"#
        return try SampleBundle(
          name, inputs: [#"{"name": "x", "type": "scalar", "shape": []}"#], outputs: [layer],
          assets: ["labels.txt": labels.joined(separator: "\n") + "\n"])
      }
    }
  }

  /// Bundles whose names mean something in Swift or in the generated code.
  static var names: [SampleBundle] {
    get throws {
      let names = [
        "class", "self", "init", "", "7", "a-b", "a_b", "aB", "values", "modelInputs", "batchItem",
        "inputs", "outputs", "model", "run", "interface", "loader", "batch", "items", "image.1: x",
        "await", "try", "inout", "var", "Größe", "Outputs", "Inputs", "TensorIO", "String",
        String(repeating: "Stateful/Partitioned ", count: 12), "a\nb", "\"quoted\"",
        "- Parameter x",
      ]
      func layers(_ type: String) -> [String] {
        names.map { #"{"name": \#(SampleBundle.json($0)), "type": "\#(type)", "shape": [1]}"# }
      }
      let details =
        "- Parameter x: no. - Returns: *this*\n\n# Heading 1. Two `code` // and /* more */ \u{202E}abc\r\n"
        + "1. first. " + String(repeating: "https://example.org/", count: 20) + " end"
      let folders = [
        "names", "string", "7", "data", "task", "model", "error", "result", "日本", "bundle",
      ]
      return try folders.enumerated().map { index, folder in
        try SampleBundle(
          folder, inputs: layers("array"), outputs: layers(index == 0 ? "array" : "scalar"),
          details: details)
      }
    }
  }

  /// A few bundles of random names and labels.
  static var random: [SampleBundle] {
    get throws {
      var random = SplitMix64(seed: 11)
      return try (0..<4).map { index in
        func names(_ count: Int) -> [String] {
          var names: [String] = []
          while names.count < count {
            let name = RandomNames.name(&random)
            if !names.contains(name) { names.append(name) }
          }
          return names
        }
        let labels = names(60).map { $0.filter { !$0.isNewline } }
        let output =
          #"{"name": "labelled", "type": "array", "shape": [60], "labels": "labels.txt"}"#
        func layers(_ names: [String]) -> [String] {
          names.map { #"{"name": \#(SampleBundle.json($0)), "type": "array", "shape": [1]}"# }
        }
        return try SampleBundle(
          "random\(index)", inputs: layers(names(20)),
          outputs: layers(names(20).filter { $0 != "labelled" }) + [output],
          details: names(200).joined(separator: " "),
          assets: ["labels.txt": labels.joined(separator: "\n") + "\n"])
      }
    }
  }
}
