// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOEncoding
import TensorIOLiteRT
import Testing

/// Runs a model that returns its input of 144 numbers, which are the tokens of a text.
///
/// Tests/Fixtures/Tokenizers has what the Python package `tokenizers` makes of the same lines.
struct TextInputTests {
  private static let fixtures = FileManager.default.currentDirectoryPath + "/Tests/Fixtures/"

  private func echo(
    _ fields: String, _ input: any TensorEncodable, tokenizer: String = "bert_uncased.json"
  ) throws -> [Int] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "texts-\(UUID().uuidString)/text.tiobundle")
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    try FileManager.default.createDirectory(
      at: folder.appending(path: "assets"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Self.fixtures + "Models/identity_image.tflite",
      toPath: folder.path + "/model.tflite")
    try FileManager.default.copyItem(
      atPath: Self.fixtures + "Tokenizers/" + tokenizer,
      toPath: folder.path + "/assets/tokenizer.json")
    let document = """
      {"name": "Echo", "details": "", "id": "echo", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false},
       "inputs": [{"name": "tokens", "type": "text", "shape": [1, 144],
         "tokenizer": "tokenizer.json"\(fields)}],
       "outputs": [{"name": "echo", "type": "array", "shape": [1, 144]}]}
      """
    try Data(document.utf8).write(to: folder.appending(path: "model.json"))
    let model = try ModelLoader(backends: [.liteRT]).model(at: folder.path)
    let values: [Float] = try model.run(ModelInputs(input))["echo"]
    return values.map { Int($0) }
  }

  private struct Expected: Decodable {
    var ids: [String]
  }

  private func read<Value: Decodable>(_ name: String) throws -> Value {
    try JSONDecoder().decode(
      Value.self, from: Data(contentsOf: URL(filePath: Self.fixtures + "Tokenizers/\(name).json")))
  }

  @Test(arguments: ["bert_uncased", "byte_level", "llama", "sentencepiece_unigram"])
  func `a model gets the indices that Python's tokenizers give`(_ name: String) throws {
    let lines: [String] = try read("lines")
    let expected: Expected = try read("\(name).expected")
    let chosen = lines.indices.filter { expected.ids[$0].split(separator: " ").count < 144 }
    for index in chosen.prefix(4) {
      let ids = expected.ids[index].split(separator: " ").compactMap { Int($0) }
      let found = try echo(#", "pad": 7"#, TextInput(lines[index]), tokenizer: "\(name).json")
      #expect(Array(found.prefix(ids.count)) == ids, "\(lines[index])")
      #expect(found.dropFirst(ids.count).allSatisfy { $0 == 7 })
    }
    #expect(chosen.count >= 4)
  }

  @Test func `the mask and the types tell texts from padding`() throws {
    let input = TextInput("qtza e", "yecc")
    let ids = try echo("", input)
    let mask = try echo(#", "part": "mask""#, input)
    let types = try echo(#", "part": "types""#, input)
    let count = mask.reduce(0, +)
    #expect(mask == (0..<144).map { $0 < count ? 1 : 0 })
    // [CLS], the first text and [SEP] have the type 0; the second text and [SEP] have 1.
    let separators = ids.indices.filter { ids[$0] == 3 }
    #expect(separators.count == 2)
    #expect(separators.last == count - 1)
    #expect(
      types == (0..<144).map { $0 > separators[0] && $0 <= separators[1] ? 1 : 0 })
  }

  @Test func `a longer text is cut`() throws {
    let ids = try echo("", TextInput(String(repeating: "qtza ", count: 1000)))
    #expect(ids.first == 2)
    #expect(ids.last == 3)
    #expect(try echo(#", "special_tokens": false"#, TextInput("qtza e")).first != 2)
  }

  @Test func `a damaged tokenizer and another value are errors`() throws {
    let damaged = #expect(throws: TensorIOError.self) {
      try echo("", TextInput("a"), tokenizer: "lines.json")
    }
    #expect(damaged?.code == .invalidBundle)
    #expect(damaged?.message.contains("assets/tokenizer.json") == true, "\(damaged as Any)")
    #expect(throws: TensorIOError.self) { try echo("", "a text") }
  }
}
