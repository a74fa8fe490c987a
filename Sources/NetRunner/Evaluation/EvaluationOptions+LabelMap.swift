// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension EvaluationOptions {
  /// Reads ``labelMap`` from a file.
  ///
  /// A `.json` file is an object such as `{"puss": "tabby, tabby cat"}`. Any other file is a table
  /// of two columns: the dataset's label and the model's. Its first row may be the heading
  /// `dataset,model`.
  ///
  /// - Parameter path: The file.
  /// - Throws: `TensorIOError` if the file can't be read, if a label is empty, or if the file has
  ///   two different labels for one.
  public mutating func readLabelMap(_ path: String) throws {
    labelMap = [:]
    do {
      if path.lowercased().hasSuffix(".json") {
        try readJSON(path)
      } else {
        try readTable(path)
      }
      guard !labelMap.isEmpty else {
        throw TensorIOError(.wrongKind, "The label map '\(path)' has no labels.")
      }
    } catch let error as TensorIOError {
      throw error.about(path)
    }
  }

  private mutating func readJSON(_ path: String) throws {
    let data = try FileSystem.read(path)
    let document: JSONValue
    do {
      document = try JSONValue(parsing: data)
    } catch let error as JSONSyntaxError {
      throw TensorIOError(.wrongKind, "The label map '\(path)' isn't JSON: \(error).", cause: error)
    }
    guard case .object(let members) = document else {
      throw TensorIOError(
        .wrongKind, "The label map '\(path)' must be a JSON object, such as {\"puss\": \"cat\"}.")
    }
    if let key = JSONOutline(data)?.repeatedKeys().first {
      throw TensorIOError(.wrongKind, "The label map '\(path)' has the label '\(key)' twice.")
    }
    for (label, value) in members {
      guard case .string(let name) = value, !name.isEmpty, !label.isEmpty else {
        throw TensorIOError(
          .wrongKind,
          "The label map '\(path)' must have a label of the model as text for '\(label)', and no "
            + "label may be empty.")
      }
      labelMap[label] = name
    }
  }

  private mutating func readTable(_ path: String) throws {
    let table = try DelimitedText(contentsOf: path)
    for (index, row) in table.rows.enumerated() {
      guard row.cells.count == 2, !row.cells.contains("") else {
        throw table.error(
          row.line,
          "expected a label of the dataset and one of the model, got \(row.cells); put a label that "
            + "has a comma in quotes")
      }
      if index == 0, row.cells.map({ $0.lowercased() }) == ["dataset", "model"] { continue }
      let earlier = labelMap.updateValue(row.cells[1], forKey: row.cells[0])
      if let earlier, earlier != row.cells[1] {
        throw table.error(
          row.line, "'\(row.cells[0])' is '\(row.cells[1])', but an earlier row says '\(earlier)'")
      }
    }
  }
}
