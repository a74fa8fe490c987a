// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import NetRunner

/// Tests tables of values, NumPy arrays and MLPerf Tiny's sample files.
@Suite struct DatasetValuesTests {
  private func rows(_ dataset: Dataset) -> [TableRow] {
    dataset.samples.compactMap { if case .row(let row, _) = $0.source { row } else { nil } }
  }

  private func message(_ file: String, _ text: String) throws -> String {
    let folder = try DatasetFolder([file: text])
    let error = #expect(throws: TensorIOError.self) { try folder.dataset(file) }
    return error?.message ?? ""
  }

  /// The bytes of a NumPy file.
  private func array(_ type: String, _ shape: String, _ bytes: [UInt8]) -> [UInt8] {
    let header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(shape)), }\n"
    return [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(header.utf8.count), 0] + Array(header.utf8)
      + bytes
  }

  @Test func `a table of values has rows and labels`() throws {
    let dataset = try DatasetFolder(["t.csv": "age,city,label\n39,Bern,yes\n,Paris,no\n"])
      .dataset("t.csv")
    #expect(dataset.layout == .rows)
    #expect(dataset.truths == [.label("yes"), .label("no")])
    #expect(
      rows(dataset) == [
        TableRow(columns: ["age", "city"], cells: [.string("39"), .string("Bern")]),
        TableRow(columns: ["age", "city"], cells: [.string(""), .string("Paris")]),
      ])
    #expect(dataset.notes == ["read as a table of 2 rows, with labels from 'label'"])
    #expect(dataset.ids == ["row 1", "row 2"])
  }

  @Test func `JSON lines have rows and labels`() throws {
    let dataset = try DatasetFolder([
      "t.jsonl": #"{"x": [1, 2.5], "target": 0.5}"# + "\n\n" + #"{"target": 2, "x": [3, 4]}"#
    ]).dataset("t.jsonl")
    #expect(dataset.layout == .rows)
    #expect(dataset.truths == [.values([0.5]), .values([2])])
    #expect(
      rows(dataset)[0] == TableRow(columns: ["x"], cells: [.array([.number(1), .number(2.5)])]))
    #expect(dataset.ids == ["line 1", "line 3"])
  }

  @Test func `JSON lines have labels if any of them has one`() throws {
    let lines = [#"{"x": 1}"#, #"{"x": 2, "label": "a"}"#, #"{"x": 3, "label": "b"}"#]
    let dataset = try DatasetFolder(["t.jsonl": lines.joined(separator: "\n")]).dataset("t.jsonl")
    #expect(dataset.truths == [nil, .label("a"), .label("b")])
    #expect(rows(dataset).map(\.columns) == [["x"], ["x"], ["x"]])
  }

  @Test func `the columns of JSON lines are in the order of the file, as those of a table`() throws
  {
    let lines = [
      #"{"sqft": 1890, "bedrooms": 3, "bathrooms": 2}"#,
      #"{"bathrooms": 1, "bedrooms": 2, "sqft": 700}"#, #"{"age": 4, "sqft": 900}"#,
    ]
    let dataset = try DatasetFolder(["t.jsonl": lines.joined(separator: "\n")]).dataset("t.jsonl")
    #expect(
      rows(dataset) == [
        TableRow(
          columns: ["sqft", "bedrooms", "bathrooms"],
          cells: [.number(1890), .number(3), .number(2)]),
        TableRow(
          columns: ["sqft", "bedrooms", "bathrooms"], cells: [.number(700), .number(2), .number(1)]),
        TableRow(columns: ["sqft", "age"], cells: [.number(900), .number(4)]),
      ])
  }

  @Test(arguments: [
    ("t.jsonl", "{\"x\": 1}\n[1]\n", "line 2: a JSON object was expected"),
    ("t.jsonl", "{\"x\": 1}\n{\"x\"\n", "line 2: it is not JSON"),
    ("t.jsonl", "\n\n", "has no rows"),
    ("t.jsonl", "{\"x\": 1, \"label\": [1]}", "'label' must be text or a number"),
    ("y_labels.csv", "a.bin,2\n", "a file, the number of classes and the class were expected"),
    ("y_labels.csv", "a.bin,2,2\n", "line 1"),
    ("y_labels.csv", "a.bin,2,1,0,4\n", "line 1"),
    ("y_labels.csv", "", "no rows"),
    ("x.npz", "not a zip", "can't be read as a NumPy archive"),
  ])
  func `damaged files are errors that name the place`(
    _ file: String, _ text: String, _ expected: String
  ) throws {
    #expect(try message(file, text).contains(expected))
  }

  @Test func `arrays whose items have no values are an error`() throws {
    for shape in ["1000000000000, 0", "3, 0, 2"] {
      let folder = try DatasetFolder()
      try folder.write(array("<f4", shape, []), to: "x.npy")
      let error = #expect(throws: TensorIOError.self) { try folder.dataset("x.npy") }
      #expect(error?.message.contains("so its items have no values") == true, "\(shape)")
    }
  }

  @Test func `MLPerf Tiny's sample files have windows, labels and machines`() throws {
    let dataset = try DatasetFolder([
      "y_labels.csv":
        "anomaly_id_01_00000005_hist.bin, 2, 1, 2560, 512\nnormal_id_03_00000001_hist.bin,2,0,2560,512\n"
    ]).dataset()
    #expect(dataset.layout == .mlperfTiny)
    #expect(
      dataset.truths == [.anomaly(true, machine: "id_01"), .anomaly(false, machine: "id_03")])
    guard case .numbers(let file) = dataset.samples[0].source else {
      Issue.record("The sample isn't a file of numbers.")
      return
    }
    #expect(file.path.hasSuffix("/anomaly_id_01_00000005_hist.bin"))
    #expect(file.width == 2560)
    #expect(file.stride == 512)
    let classes = try DatasetFolder(["y_labels.csv": "cat_1.bin,10,3\n"]).dataset()
    #expect(classes.truths == [.label("3")])
  }

  @Test func `the names of DCASE's recordings say what they are`() throws {
    let dataset = try DatasetFolder([
      "normal_id_01_00000000.wav": "", "anomaly_id_02_00000001.wav": "",
    ]).dataset()
    #expect(
      dataset.truths == [.anomaly(true, machine: "id_02"), .anomaly(false, machine: "id_01")])
    #expect(dataset.content == .recordings)
    let others = try DatasetFolder(["normal_id_01_00000000.wav": "", "dog.wav": ""]).dataset()
    #expect(others.truths == [nil, nil])
  }

  @Test func `the first axis of a NumPy file counts the samples`() throws {
    let folder = try DatasetFolder()
    try folder.write(array("|u1", "2, 3", [1, 2, 3, 4, 5, 6]), to: "x_test.npy")
    try folder.write(array("|i1", "2,", [7, 255]), to: "y_test.npy")
    let dataset = try folder.dataset("x_test.npy")
    #expect(dataset.layout == .arrays)
    #expect(dataset.truths == [.label("7"), .label("-1")])
    #expect(dataset.notes == ["read as 2 items of shape [3], with labels from 'y_test.npy'"])
    guard case .tensor(let tensor, _) = dataset.samples[1].source else {
      Issue.record("The sample isn't a tensor.")
      return
    }
    #expect(try tensor.numbers(as: Int.self) == [4, 5, 6])
    try folder.write(array("|i1", "3,", [7, 1, 2]), to: "y_test.npy")
    let error = #expect(throws: TensorIOError.self) { try folder.dataset("x_test.npy") }
    #expect(error?.message.contains("has 2 items, but the labels have the shape [3]") == true)
  }

  @Test func `a table of images stays one`() throws {
    let dataset = try DatasetFolder(["t.csv": "image,age\na.jpg,3\n"]).dataset("t.csv")
    #expect(dataset.layout == .csv)
    #expect(dataset.truths == [.values([3])])
  }

  @Test func `the hash of a dataset depends on its values`() throws {
    func hash(_ text: String) throws -> String {
      try DatasetFolder(["t.csv": text]).dataset("t.csv").sha256(threads: 1, until: { false })
    }
    #expect(try hash("a,b\n1,2\n") == hash("a,b\n1,2\n"))
    #expect(try hash("a,b\n1,2\n") != hash("a,b\n1,3\n"))
    #expect(try hash("a,b\n1,2\n") != hash("a,c\n1,2\n"))
  }
}
