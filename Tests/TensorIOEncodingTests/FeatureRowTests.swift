// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOEncoding
import TensorIOLiteRT
import Testing

struct FeatureRowTests {
  private static let fixtures = FileManager.default.currentDirectoryPath + "/Tests/Fixtures/"

  /// Makes a model that returns its input of 144 numbers, of which the columns fill the first ones.
  private func echo(
    _ columns: String, width: Int, _ row: [String: JSONValue], assets: [String: String] = [:]
  ) throws -> [Float] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "features-\(UUID().uuidString)/features.tiobundle")
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    let files = folder.appending(path: "assets")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    for (name, text) in assets { try Data(text.utf8).write(to: files.appending(path: name)) }
    try FileManager.default.copyItem(
      atPath: Self.fixtures + "Models/identity_image.tflite",
      toPath: folder.path + "/model.tflite")
    let rest = (width..<144).map { #"{"name": "rest \#($0)", "missing": 0}"# }
    let list = ([columns] + rest).joined(separator: ", ")
    let document = """
      {"name": "Echo", "details": "", "id": "echo", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false},
       "inputs": [{"name": "row", "type": "features", "shape": [1, 144], "columns": [\(list)]}],
       "outputs": [{"name": "echo", "type": "array", "shape": [1, 144]}]}
      """
    try Data(document.utf8).write(to: folder.appending(path: "model.json"))
    let model = try ModelLoader(backends: [.liteRT]).model(at: folder.path)
    let values: [Float] = try model.run(FeatureRow(row))["echo"]
    return Array(values.prefix(width))
  }

  private func message(
    _ columns: String, width: Int = 1, _ row: [String: JSONValue], assets: [String: String] = [:]
  ) -> String {
    do {
      return "\(try echo(columns, width: width, row, assets: assets))"
    } catch {
      return "\((error as? TensorIOError)?.message ?? "\(error)")"
    }
  }

  @Test func `numbers are normalized, and text is read as a number`() throws {
    let columns = """
      {"name": "age", "mean": 38.5, "std": 13.25}, {"name": "share", "min": -1, "max": 3},
      {"name": "as is"}
      """
    let row: [String: JSONValue] = [
      "age": .number(40.1), "share": .string("2.5e0"), "as is": .bool(true), "other": .null,
    ]
    #expect(
      try echo(columns, width: 3, row) == [Float((40.1 - 38.5) / 13.25), Float(3.5 / 4), 1])
  }

  @Test func `words become a one or an index`() throws {
    let columns = """
      {"name": "heating", "values": ["gas", "oil"]},
      {"name": "city", "vocabulary": "cities.txt", "encoding": "index"},
      {"name": "floor", "values": ["0", "1", "2"]}
      """
    let row: [String: JSONValue] = [
      "heating": .string("oil"), "city": .string("Köln"), "floor": .number(2),
    ]
    #expect(
      try echo(columns, width: 6, row, assets: ["cities.txt": "Bern\nParis\nKöln\n"])
        == [0, 1, 2, 0, 0, 1])
  }

  @Test func `unknown words and missing cells have a value if the column says so`() throws {
    let columns = """
      {"name": "a", "values": ["x", "y"], "unknown": "y"},
      {"name": "b", "values": ["x", "y"], "ignore_unknown": true},
      {"name": "c", "values": ["x", "y"], "missing": "y"}, {"name": "d", "mean": 1, "std": 2, "missing": 3}
      """
    #expect(
      try echo(
        columns, width: 7, ["a": .string("?"), "b": .string("?"), "c": .string(""), "d": .null])
        == [0, 1, 0, 0, 0, 1, 1])
  }

  @Test func `what a row lacks is an error that names the column`() {
    #expect(
      message(#"{"name": "age"}"#, ["Age": .number(1)]).contains("needs the column 'age'"))
    #expect(
      message(#"{"name": "age"}"#, ["age": .string("forty")]).contains(
        "needs a finite number in the column 'age', got 'forty'"))
    #expect(
      message(#"{"name": "age"}"#, ["age": .number(.infinity)]).contains("needs a finite number"))
    #expect(
      message(#"{"name": "age"}"#, ["age": .number(1e300)]).contains(
        "takes float32 values, but 1e+300 in the column 'age' is out of their range"))
    #expect(
      message(#"{"name": "age", "mean": 0, "std": 1e-30}"#, ["age": .number(1e20)]).contains(
        "takes float32 values, but 1e+20 in the column 'age'"))
    #expect(
      message(#"{"name": "a", "values": ["x"]}"#, ["a": .string("z")]).contains(
        "doesn't know 'z' in the column 'a', which takes 1 word"))
  }

  @Test func `columns that don't fit are errors`() {
    #expect(
      message(#"{"name": "a"}"#, width: 2, ["a": .number(1)]).contains(
        "the columns of 'row' have 143 values, but its shape [1, 144] has 144")
        || message(#"{"name": "a"}"#, width: 2, ["a": .number(1)]).contains("have 143 values"))
    #expect(
      message(#"{"name": "a", "mean": 0, "std": 0}"#, ["a": .number(1)]).contains(
        "'a' would be divided by 0"))
    #expect(
      message(#"{"name": "a", "values": ["x", "x"]}"#, width: 2, ["a": .string("x")]).contains(
        "has the word 'x' twice"))
    #expect(
      message(#"{"name": "a", "values": ["x"], "unknown": "z"}"#, ["a": .string("x")]).contains(
        "'z', which isn't one of its words"))
    #expect(
      message(#"{"name": "a", "vocabulary": "no.txt"}"#, ["a": .string("x")]).contains("no.txt"))
  }

  @Test func `a vocabulary of more than a million words is an error`() {
    let words = (0..<1_000_001).map { "w\($0)" }.joined(separator: "\n")
    #expect(
      message(
        #"{"name": "a", "vocabulary": "v.txt", "encoding": "index"}"#, ["a": .string("w1")],
        assets: ["v.txt": words]
      ).contains("has 1000001 words, but at most 1000000 were expected"))
  }

  @Test func `whole numbers of a vocabulary may have more digits than a Double`() throws {
    let column = #"{"name": "id", "vocabulary": "ids.txt", "encoding": "index"}"#
    let words = ["ids.txt": "9007199254740992\n9007199254740993\n9007199254740994\n"]
    for (number, index) in [(9_007_199_254_740_993, 1), (9_007_199_254_740_994, 2)] {
      let found = try echo(column, width: 1, ["id": .integer(Int64(number))], assets: words)
      #expect(found == [Float(index)])
    }
    let unknown = message(column, ["id": .integer(9_007_199_254_740_995)], assets: words)
    #expect(unknown.contains("doesn't know 9007199254740995"), "\(unknown)")
  }
}
