// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import TensorIOEncoding

/// Inputs of one model that share a tokenizer.
struct TextEncoderTests {
  private static let fixtures = FileManager.default.currentDirectoryPath + "/Tests/Fixtures/"

  /// Makes a bundle whose inputs have a tokenizer and these further fields.
  private func bundle(_ inputs: [String]) throws -> (bundle: ModelBundle, folder: URL) {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "texts-\(UUID().uuidString)/texts.tiobundle")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "assets"), withIntermediateDirectories: true)
    for name in ["tokenizer.json", "other.json"] {
      try FileManager.default.copyItem(
        atPath: Self.fixtures + "Tokenizers/bert_uncased.json",
        toPath: folder.path + "/assets/" + name)
    }
    let layers = inputs.enumerated().map { index, fields in
      let tokenizer = fields.contains("tokenizer") ? "" : #""tokenizer": "tokenizer.json", "#
      return #"{"name": "\#(index)", "type": "text", "dtype": "int32", \#(tokenizer)\#(fields)}"#
    }
    let document = """
      {"name": "Texts", "details": "", "id": "texts", "version": "1", "author": "", "license": "",
       "placeholder": true, "model": {"file": "", "quantized": false},
       "inputs": [\(layers.joined(separator: ", "))],
       "outputs": [{"name": "y", "type": "array", "shape": [1]}]}
      """
    try Data(document.utf8).write(to: folder.appending(path: "model.json"))
    return (try ModelBundle(folder.path), folder.deletingLastPathComponent())
  }

  private func inputs(_ bundle: ModelBundle) throws -> [TensorSpec] {
    try ModelLoader(backends: []).makeModel(from: bundle).loadSignature().inputs
  }

  private func encoder(_ spec: TensorSpec) throws -> TextEncoder {
    let coding = try #require(spec.coding)
    return try coding.prepared { try TextEncoder(coding) }
  }

  private static func numbers(_ input: TextInput, _ spec: TensorSpec) throws -> [Int32] {
    var numbers = [Int32](repeating: -1, count: spec.elementCount)
    var span = numbers.mutableSpan
    var memory = span.mutableBytes
    try input.encode(into: &memory, as: spec)
    return numbers
  }

  private static let threeInputs = [
    #""shape": [1, 16], "part": "ids""#, #""shape": [1, 16], "part": "mask""#,
    #""shape": [1, 16], "part": "types""#,
  ]

  @Test func `inputs with the same tokenizer share it`() throws {
    let (bundle, folder) = try bundle(Self.threeInputs)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try inputs(bundle)
    let shared = try encoder(first[0])
    #expect(try first.allSatisfy { try encoder($0) === shared })
    // Another model of the bundle, such as that of another thread, shares it as well.
    #expect(try inputs(bundle).allSatisfy { try encoder($0) === shared })
  }

  @Test func `inputs with another tokenizer have their own`() throws {
    let (bundle, folder) = try bundle([
      #""shape": [1, 16]"#, #""shape": [1, 16], "tokenizer": "other.json""#,
      #""shape": [1, 16], "lowercase": false"#, #""shape": [1, 8], "pad": 5"#,
    ])
    defer { try? FileManager.default.removeItem(at: folder) }
    let encoders = try inputs(bundle).map { ObjectIdentifier(try encoder($0)) }
    #expect(Set(encoders).count == 3)
    #expect(encoders[0] == encoders[3])
  }

  @Test func `the tokenizer is released with the last model of a bundle`() throws {
    let (bundle, folder) = try bundle(Self.threeInputs)
    defer { try? FileManager.default.removeItem(at: folder) }
    weak var released: TextEncoder?
    do {
      let inputs = try inputs(bundle)
      released = try encoder(inputs[0])
      #expect(released != nil)
      #expect(inputs.count == 3)
    }
    #expect(released == nil)
    #expect(try Self.numbers(TextInput("qtza e"), inputs(bundle)[0]).first == 2)
  }

  @Test func `shared inputs have the numbers that separate ones have`() throws {
    let fields = [
      #""shape": [1, 16]"#, #""shape": [1, 16], "part": "mask""#,
      #""shape": [1, 16], "part": "types""#, #""shape": [1, 16], "pad": 9"#,
      #""shape": [1, 16], "special_tokens": false"#, #""shape": [1, 4]"#,
      #""shape": [1, 4], "part": "mask""#, #""shape": [1, 24], "pad": 9, "part": "types""#,
      #""shape": [1, 24], "pad": 9, "special_tokens": false"#,
    ]
    let (together, folder) = try bundle(fields)
    defer { try? FileManager.default.removeItem(at: folder) }
    let shared = try inputs(together)
    let separate = try fields.map { field in
      let (bundle, folder) = try bundle([field])
      return (spec: try inputs(bundle)[0], folder: folder)
    }
    defer { for one in separate { try? FileManager.default.removeItem(at: one.folder) } }
    let texts = [
      TextInput("qtza e"), TextInput("qtza e", "yecc"), TextInput("qtza", "e yecc"),
      TextInput(""), TextInput("", ""), TextInput("yecc qtza e yecc qtza e"), TextInput("qtza e"),
      TextInput(String(repeating: "qtza ", count: 20_000)), TextInput("e"), TextInput("qtza e", ""),
    ]
    for text in texts + texts.reversed() {
      for (shared, separate) in zip(shared, separate) {
        #expect(try Self.numbers(text, shared) == Self.numbers(text, separate.spec))
      }
    }
  }

  @Test func `texts with the same letters in other bytes have their own tokens`() {
    // Swift's strings are equal, and but a tokenizer that keeps accents tells them apart.
    #expect(TextInput("\u{E9}") == TextInput("e\u{301}"))
    #expect(TextEncoder.areSame(TextInput("\u{E9}"), TextInput("\u{E9}")))
    #expect(!TextEncoder.areSame(TextInput("\u{E9}"), TextInput("e\u{301}")))
    #expect(!TextEncoder.areSame(TextInput("e", "a"), TextInput("e")))
    #expect(!TextEncoder.areSame(TextInput("e"), TextInput("e", "")))
    #expect(TextEncoder.areSame(TextInput("e", "a"), TextInput("e", "a")))
  }

  @Test func `concurrent runs of different texts are right`() async throws {
    let (bundle, folder) = try bundle(Self.threeInputs)
    defer { try? FileManager.default.removeItem(at: folder) }
    let texts = (0..<24).map {
      TextInput(Array(repeating: "qtza", count: $0 % 12 + 1).joined(separator: " "))
    }
    let expected = try texts.map { text in
      try inputs(bundle).map { try Self.numbers(text, $0) }
    }
    let shared = try inputs(bundle)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<50 {
            let index = (task * 7 + round) % texts.count
            let found = try shared.map { try Self.numbers(texts[index], $0) }
            #expect(found == expected[index])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
