// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns rows of a table into the values of an input, as `columns` describes.
struct FeatureEncoder: Sendable {
  /// The most words of a vocabulary, so that a wrong file doesn't take all memory.
  private static let mostWords = 1_000_000

  private struct Column: Sendable {
    enum Form: Sendable {
      /// (x - offset) / scale.
      case number(offset: Double, scale: Double)
      case index
      case oneHot
    }

    var name: String
    var form: Form
    /// The index of each word.
    var words: [String: Int] = [:]
    /// The first words, in order.
    var firstWords: [String] = []
    /// The value of a missing cell; nil if there must be one.
    var missing: JSONValue?
    /// The word that stands for unknown ones.
    var unknown: String?
    var ignoresUnknown = false
    /// Whether a number is given by its range.
    var isRange = false

    var width: Int { if case .oneHot = form { words.count } else { 1 } }
  }

  private let columns: [Column]

  init(_ coding: LayerCoding) throws {
    guard case .array(let elements)? = coding["columns"] else {
      columns = []
      return
    }
    columns = try elements.compactMap { element in
      guard case .object(let members) = element else { return nil }
      return try Self.column(LayerCoding(type: "", options: members, folder: coding.folder))
    }
  }

  private static func column(_ keys: LayerCoding) throws -> Column {
    var column = Column(name: keys.text("name") ?? "", form: .number(offset: 0, scale: 1))
    column.missing = keys["missing"]
    column.unknown = keys.text("unknown")
    column.ignoresUnknown = keys.flag("ignore_unknown") ?? false
    if let words = try keys.texts("values") ?? vocabulary(keys) {
      column.form = keys.text("encoding") == "index" ? .index : .oneHot
      column.firstWords = Array(words.prefix(FeatureColumn.mostWords))
      for (index, word) in words.enumerated() {
        guard column.words.updateValue(index, forKey: word) == nil else {
          throw fault("the column '\(column.name)' has the word '\(word)' twice; remove one")
        }
      }
      if let unknown = column.unknown, column.words[unknown] == nil {
        throw fault(
          "\"unknown\" of the column '\(column.name)' is '\(unknown)', which isn't one of its words"
        )
      }
      return column
    }
    if let mean = keys.number("mean"), let deviation = keys.number("std") {
      column.form = .number(offset: mean, scale: deviation)
    } else if let least = keys.number("min"), let greatest = keys.number("max") {
      column.form = .number(offset: least, scale: greatest - least)
      column.isRange = true
    }
    if case .number(let offset, let scale) = column.form,
      scale == 0 || !scale.isFinite || !offset.isFinite
    {
      throw fault("the column '\(column.name)' would be divided by \(scale); correct its range")
    }
    return column
  }

  private static func vocabulary(_ keys: LayerCoding) throws -> [String]? {
    guard let name = keys.text("vocabulary") else { return nil }
    let path = keys.folder + name
    let words = Labels(text: String(decoding: try FileSystem.read(path), as: UTF8.self)).names
    guard words.count <= mostWords else {
      throw fault("'\(path)' has \(words.count) words, but at most \(mostWords) were expected")
    }
    return words
  }

  private static func fault(_ message: String) -> TensorIOError {
    TensorIOError(.invalidBundle, message.prefix(1).uppercased() + message.dropFirst() + ".")
  }

  /// Checks that the columns have as many values as the input.
  func check(_ spec: TensorSpec) throws {
    let width = columns.reduce(0) { $0 + $1.width }
    guard width == spec.elementCount else {
      throw Self.fault(
        "the columns of '\(spec.name)' have \(counted(width, "value")), but its shape "
          + "\(spec.itemShape) has \(spec.elementCount). Correct the columns or the shape")
    }
  }

  /// What each column takes.
  var columnsTaken: [FeatureColumn] {
    columns.map { column in
      guard case .number(let offset, let scale) = column.form else {
        return FeatureColumn(
          name: column.name, words: column.firstWords,
          hasMoreWords: column.words.count > column.firstWords.count,
          typical: column.missing ?? column.firstWords.first.map { .string($0) } ?? .null,
          isRequired: column.missing == nil)
      }
      // The values from `min` to `max` become 0 to 1, but `mean` becomes 0.
      let middle = column.isRange ? offset + scale / 2 : offset
      return FeatureColumn(
        name: column.name, words: nil, hasMoreWords: false,
        typical: column.missing ?? .number(middle),
        isRequired: column.missing == nil)
    }
  }

  func values(of row: [String: JSONValue], for spec: TensorSpec) throws -> [Float] {
    try check(spec)
    var values: [Float] = []
    values.reserveCapacity(spec.elementCount)
    for column in columns {
      var cell = row[column.name] ?? .null
      if cell == .null || cell == .string("") { cell = column.missing ?? cell }
      guard cell != .null, cell != .string("") || column.words[""] != nil else {
        throw Self.error(
          spec,
          "needs the column '\(column.name)', which the row doesn't have. Add it, or write "
            + "\"missing\" for the column in model.json")
      }
      switch column.form {
      case .number(let offset, let scale):
        let value = Float((try Self.number(cell, column, spec) - offset) / scale)
        guard value.isFinite else {
          throw Self.error(
            spec,
            "takes float32 values, but \(Self.text(cell)) in the column '\(column.name)' is out of "
              + "their range")
        }
        values.append(value)
      case .index: values.append(Float(try Self.index(cell, column, spec) ?? -1))
      case .oneHot:
        let start = values.count
        values += [Float](repeating: 0, count: column.width)
        if let index = try Self.index(cell, column, spec) { values[start + index] = 1 }
      }
    }
    return values
  }

  private static func number(
    _ cell: JSONValue, _ column: Column, _ spec: TensorSpec
  ) throws -> Double {
    let number: Double? =
      switch cell {
      case .bool(let flag): flag ? 1 : 0
      case .string(let text):
        text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } ? Double(text) : nil
      default: cell.asNumber
      }
    guard let number, number.isFinite else {
      throw error(
        spec, "needs a finite number in the column '\(column.name)', got \(text(cell))")
    }
    return number
  }

  /// Returns the index of a word; nil if it is unknown and ignored.
  private static func index(
    _ cell: JSONValue, _ column: Column, _ spec: TensorSpec
  ) throws -> Int? {
    let word: String =
      switch cell {
      case .string(let text): text
      case .bool(let flag): "\(flag)"
      case .integer(let number): "\(number)"
      default: cell.asNumber.map { Int(exactly: $0).map(String.init) ?? "\($0)" } ?? ""
      }
    if let index = column.words[word] ?? column.unknown.flatMap({ column.words[$0] }) {
      return index
    }
    if column.ignoresUnknown { return nil }
    throw error(
      spec,
      "doesn't know \(text(cell)) in the column '\(column.name)', which takes "
        + "\(counted(column.words.count, "word")). Correct the row, or write \"unknown\" or "
        + "\"ignore_unknown\" for the column in model.json")
  }

  private static func text(_ cell: JSONValue) -> String {
    switch cell {
    case .string(let text): "'\(text.prefix(60))'"
    case .bool(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    default: cell.asNumber.map { "\($0)" } ?? cell.typeName
    }
  }

  private static func error(_ spec: TensorSpec, _ message: String) -> TensorIOError {
    TensorIOError(.wrongKind, "'\(spec.name)' \(message).")
  }
}
