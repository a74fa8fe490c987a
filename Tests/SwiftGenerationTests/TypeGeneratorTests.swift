// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import SwiftGeneration

@Suite struct TypeGeneratorTests {
  /// Compares a source with a file, or writes the file if `TENSORIO_WRITE_GENERATED` is set.
  private func expect(_ source: String, isFile name: String) throws {
    let file = Python.root.appending(path: "Tests/SwiftGenerationTests/Generated/\(name).swift")
    if ProcessInfo.processInfo.environment["TENSORIO_WRITE_GENERATED"] == "1" {
      try Data(source.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == source)
  }

  @Test func `the type of the digits is the one in the fixtures`() throws {
    let path = Python.root.appending(path: "Demo/digits.tiobundle").path
    var options = try GenerationOptions(bundle: path)
    options.location = .path(default: "Demo/digits.tiobundle")
    try expect(TypeGenerator(ModelBundle(path), options: options).source, isFile: "Digits")
  }

  @Test func `the public type of a trained model is the one in the fixtures`()
    throws
  {
    let path = Python.root.appending(path: "Demo/digits-train.tiobundle").path
    var options = try GenerationOptions(bundle: path)
    options.location = .path(default: "Demo/digits-train.tiobundle")
    options.access = .public
    try expect(TypeGenerator(ModelBundle(path), options: options).source, isFile: "DigitsTrain")
  }

  @Test(arguments: [("decoders", "Decoders"), ("features", "Features"), ("audio", "Audio")])
  func `the type of a document is the one in the fixtures`(document: String, file: String) throws {
    let source = try SampleBundle(good: document).source { $0.needsLoader = true }
    try expect(source, isFile: file)
  }

  @Test func `the same bundle gives the same bytes`() throws {
    let made = try Samples.documents + Samples.names
    for path in Samples.shipped + made.map(\.path) {
      let options = try GenerationOptions(bundle: path)
      let first = try TypeGenerator(ModelBundle(path), options: options).source
      #expect(try TypeGenerator(ModelBundle(path), options: options).source == first)
      #expect(first.hasPrefix(GenerationOptions.firstWords))
      #expect(first.utf8.last == UInt8(ascii: "\n") && !first.hasSuffix("\n\n"))
    }
    withExtendedLifetime(made) {}
  }

  @Test func `a source has no characters that change how it is read`() throws {
    for bundle in try Samples.names + Samples.labels + Samples.random {
      let source = try bundle.source()
      let hidden = source.unicodeScalars.filter { scalar in
        scalar != "\n"
          && [.control, .format, .lineSeparator, .privateUse].contains(
            scalar.properties.generalCategory)
      }
      #expect(hidden.isEmpty)
    }
  }

  @Test func `64 different labels become cases, and more or equal ones stay text`() throws {
    let types = try Samples.labels.map { bundle in
      try TypeGenerator(bundle.open(), options: GenerationOptions(typeName: "Sample")).outputs[0]
        .type
    }
    #expect(
      types == [
        "TensorIO.Scores<CLabel>", "TensorIO.Scores<String>", "TensorIO.Scores<String>",
        "TensorIO.Scores<String>", "TensorIO.Scores<CLabel>",
      ])
  }

  @Test func `only modules that are needed are imported`() throws {
    func imports(_ bundle: SampleBundle, needsLoader: Bool = false) throws -> [String] {
      try bundle.source { $0.needsLoader = needsLoader }.split(separator: "\n")
        .filter { $0.hasPrefix("import ") }.map { String($0.dropFirst(7)) }
    }
    let number = #"{"name": "x", "type": "scalar", "shape": []}"#
    let bundle = try SampleBundle("sample", inputs: [number], outputs: [number])
    #expect(try imports(bundle) == ["TensorIO", "TensorIOLiteRT"])
    #expect(try imports(bundle, needsLoader: true) == ["TensorIO"])
    #expect(
      try imports(SampleBundle(good: "audio")) == [
        "TensorIO", "TensorIOEncoding", "TensorIOLiteRT",
      ])
    #expect(
      try imports(SampleBundle(good: "decoders"))
        == ["TensorIO", "TensorIODecoding", "TensorIOLiteRT"])
    #expect(try imports(SampleBundle(good: "training")) == ["TensorIO", "TensorIOTensorFlow"])
  }

  @Test func `a placeholder gets no type`() throws {
    let bundle = try SampleBundle("empty", more: ", \"placeholder\": true").open()
    let error = #expect(throws: TensorIOError.self) {
      try TypeGenerator(bundle, options: GenerationOptions(typeName: "Empty"))
    }
    #expect(error?.code == .unsupportedModel)
    #expect(
      error?.message.contains("is a placeholder without a model, whose runs return nothing") == true
    )
  }

  @Test(arguments: [
    ("", "can't be the name"), ("7a", "can't be the name"), ("a b", "can't be the name"),
    ("Größe", "can't be the name"), ("class", "can't be the name"), ("String", "would hide"),
    ("TensorIO", "would hide"), ("Any", "can't be the name"),
  ])
  func `a name that can't be a type's is an error`(name: String, reason: String) throws {
    let bundle = try SampleBundle("sample").open()
    let error = #expect(throws: TensorIOError.self) {
      try TypeGenerator(bundle, options: GenerationOptions(typeName: name))
    }
    #expect(error?.code == .invalidOption)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `a bundle without letters in its name needs a name for its type`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try GenerationOptions(bundle: "models/….tiobundle")
    }
    #expect(error?.message.contains("Rename the bundle, or pass --type.") == true)
  }

  @Test func `outputs that belong to a decoder aren't properties`() throws {
    let generator = try TypeGenerator(
      SampleBundle(good: "decoders").open(), options: GenerationOptions(typeName: "Decoders"))
    let names = generator.outputs.map(\.name)
    #expect(!names.contains("scores") && !names.contains("classes") && !names.contains("count"))
    #expect(names.count == 16)
  }
}
