// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport

@testable import SwiftGeneration

/// A bundle in a temporary folder, without a model that runs.
struct SampleBundle {
  let path: String
  private let folder: Folder

  private final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "tensorio-\(UUID())").path
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Writes a bundle.
  ///
  /// - Parameters:
  ///   - name: The name of its folder without the extension.
  ///   - document: The content of model.json.
  ///   - assets: The content of files in its assets folder.
  /// - Throws: Errors of the file system.
  init(_ name: String, document: Data, assets: [String: String] = [:]) throws {
    folder = Folder()
    path = folder.path + "/\(name).tiobundle"
    try FileManager.default.createDirectory(
      atPath: path + "/assets", withIntermediateDirectories: true)
    try document.write(to: URL(filePath: path + "/model.json"))
    try Data().write(to: URL(filePath: path + "/model.tflite"))
    for (file, text) in Self.assets.merging(assets, uniquingKeysWith: { $1 }) {
      try Data(text.utf8).write(to: URL(filePath: path + "/assets/" + file))
    }
    for model in ["train", "saved_model"] {
      try FileManager.default.createDirectory(
        atPath: path + "/" + model, withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: path + "/\(model)/saved_model.pb"))
    }
  }

  /// Writes a bundle of layers, each of which is an object of JSON.
  init(
    _ name: String, inputs: [String] = [], outputs: [String] = [], placeholders: [String] = [],
    model: String = #"{"file": "model.tflite", "quantized": false}"#, details: String = "",
    more: String = "", assets: [String: String] = [:]
  ) throws {
    let text = """
      {"name": "Sample", "details": \(Self.json(details)), "id": "s", "version": "1",
       "author": "", "license": "", "model": \(model), "inputs": [\(inputs.joined(separator: ", "))],
       "outputs": [\(outputs.joined(separator: ", "))],
       "placeholders": [\(placeholders.joined(separator: ", "))]\(more)}
      """
    try self.init(name, document: Data(text.utf8), assets: assets)
  }

  /// Writes a bundle with a document of `Tests/Fixtures/Documents/good`, and the files that it names.
  init(good document: String) throws {
    let file = Python.root.appending(path: "Tests/Fixtures/Documents/good/\(document).json")
    let count = ["classifier": 1000, "every-field": 10][document]
    let labels = count.map { (0..<$0).map { "label \($0)\n" }.joined() }
    try self.init(
      document, document: Data(contentsOf: file), assets: labels.map { ["labels.txt": $0] } ?? [:])
    try Data().write(to: URL(filePath: path + "/birds_224.tflite"))
  }

  func open() throws -> ModelBundle { try ModelBundle(path) }

  /// Returns the source of the bundle's type.
  func source(_ change: (inout GenerationOptions) -> Void = { _ in }) throws -> String {
    var options = try GenerationOptions(bundle: path)
    change(&options)
    return try TypeGenerator(open(), options: options).source
  }

  /// Returns text as a literal of JSON.
  static func json(_ text: String) -> String {
    let data = (try? JSONEncoder().encode([text])) ?? Data("[\"\"]".utf8)
    return String(decoding: data.dropFirst().dropLast(), as: UTF8.self)
  }

  private static let assets = [
    "labels.txt": "cat\ndog\n", "alphabet.txt": "-\na\nb\n", "vocabulary.txt": "[PAD]\n[SEP]\na\n",
    "tokenizer.json": "{}", "vocab.txt": "[PAD]\n", "cities.txt": "Bern\nZurich\n",
    "anchors.txt": "", "gallery.npy": "",
  ]
}

/// The compiler and the formatter, on sources that use the modules that were built with the tests.
enum Swift {
  /// The folder of the built modules.
  private static let products: URL = {
    #if os(macOS)
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let folder = bundle?.bundleURL.deletingLastPathComponent()
    #else
    let folder: URL? = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
    return folder ?? Python.root.appending(path: ".build/debug")
  }()

  /// The flags for the modules, and for the C modules that they import.
  private static let modules: [String] = {
    var flags = ["-I", products.appending(path: "Modules").path]
    let sources = Python.root.appending(path: "Sources")
    for (folder, suffix) in [(products, ".build"), (sources, "")] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for name in names.sorted() where name.hasSuffix(suffix) {
        let map = folder.appending(path: name + "/module.modulemap").path
        // The plugin's program has its own copies of the C modules.
        guard !name.hasSuffix("-tool.build"), FileManager.default.fileExists(atPath: map) else {
          continue
        }
        flags += ["-Xcc", "-fmodule-map-file=" + map]
      }
    }
    return flags
  }()

  /// The flags of a package that is as strict as this one.
  static let strict = [
    "-swift-version", "6", "-warnings-as-errors", "-enable-upcoming-feature", "ExistentialAny",
    "-enable-upcoming-feature", "MemberImportVisibility", "-enable-upcoming-feature",
    "InternalImportsByDefault",
  ]

  /// The flags of a package of Swift 5 that checks concurrency.
  static let five = [
    "-swift-version", "5", "-strict-concurrency=complete", "-warnings-as-errors",
  ]

  /// Checks sources as one module, and returns the compiler's errors; empty if there are none.
  static func check(_ sources: [String: String], _ flags: [String] = strict) async throws -> String
  {
    try await withFiles(sources) { files in
      let arguments =
        ["swiftc", "-typecheck", "-module-name", "Client", "-package-name", "client"] + flags
        + modules + files
      let result = try await ChildProcess("/usr/bin/env", arguments).finish(input: Data())
      return result.status == 0 ? "" : result.error + "\n(\(result.status))"
    }
  }

  /// Returns what `swift format lint --strict` says of sources; empty if nothing is wrong.
  static func lint(_ sources: [String: String]) async throws -> String {
    try await withFiles(sources) { files in
      let configuration = Python.root.appending(path: ".swift-format").path
      let arguments =
        ["swift", "format", "lint", "--strict", "--configuration", configuration] + files
      return try await ChildProcess("/usr/bin/env", arguments).finish(input: Data()).error
    }
  }

  /// Returns the sources as `swift format` lays them out.
  static func formatted(_ sources: [String: String]) async throws -> [String: String] {
    try await withFiles(sources) { files in
      let configuration = Python.root.appending(path: ".swift-format").path
      let arguments = ["swift", "format", "-i", "--configuration", configuration] + files
      _ = try await ChildProcess("/usr/bin/env", arguments).finish(input: Data())
      let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
      return Dictionary(uniqueKeysWithValues: zip(sources.keys.sorted(), texts))
    }
  }

  private static func withFiles<Result>(
    _ sources: [String: String], _ body: ([String]) async throws -> Result
  ) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tensorio-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try sources.keys.sorted().map { name in
      let file = folder.appending(path: name + ".swift")
      try Data((sources[name] ?? "").utf8).write(to: file)
      return file.path
    }
    return try await body(files)
  }
}
