// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The rows of a CSV file in the format of RFC 4180, with their line numbers.
///
/// It is stricter than the available libraries, such as SwiftCSV. Those accept an unterminated
/// quote as the rest of the file, split lines at Unicode separators, and don't report line numbers.
/// A label that is read slightly wrong would count as the model's mistake.
struct DelimitedText {
  /// A row and the number of the line where it starts, from 1.
  struct Row {
    var line: Int
    var cells: [String]
  }

  /// The rows without empty lines, which all have the same number of cells.
  var rows: [Row] = []
  let delimiter: UInt8

  private let path: String

  /// Reads a file.
  ///
  /// The delimiter is `,`, `;` or a tab, whichever is most frequent in the first line. Lines end
  /// with LF, CR LF or CR. Spaces around unquoted cells are ignored.
  init(contentsOf path: String) throws {
    try self.init([UInt8](FileSystem.read(path)), path: path)
  }

  init(_ bytes: [UInt8], path: String) throws {
    self.path = path
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw TensorIOError(.wrongKind, "'\(path)' is in UTF-16; save it as UTF-8.")
    }
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    delimiter = Self.guessDelimiter(bytes)
    try read(bytes)
    guard let first = rows.first else { return }
    for row in rows where row.cells.count != first.cells.count {
      throw error(
        row.line,
        "\(counted(row.cells.count, "cell")), but line \(first.line) has \(first.cells.count)")
    }
  }

  func error(_ line: Int, _ message: String) -> TensorIOError {
    TensorIOError(.wrongKind, "'\(path)', line \(line): \(message).")
  }

  private static func guessDelimiter(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if counts.isEmpty { continue }
        break
      }
      counts[byte, default: 0] += 1
    }
    let candidates = ",;\t".utf8.map { (byte: $0, count: counts[$0] ?? 0) }
    let most = candidates.map(\.count).max() ?? 0
    return candidates.first { $0.count == most }?.byte ?? UInt8(ascii: ",")
  }

  // MARK: - Cells

  private mutating func read(_ bytes: ArraySlice<UInt8>) throws {
    var line = 1
    var row = Row(line: 1, cells: [])
    var offset = bytes.startIndex
    while offset < bytes.endIndex {
      let isFirst = row.cells.isEmpty
      if isFirst { row.line = line }
      let cell = try readCell(bytes, &offset, &line)
      let end = offset < bytes.endIndex ? bytes[offset] : nil
      // A line that contains only spaces isn't a row.
      if end == delimiter || !isFirst || cell.isQuoted || !cell.text.isEmpty {
        row.cells.append(cell.text)
      }
      guard let end else { break }
      offset += 1
      if end == delimiter {
        // A delimiter at the very end is followed by an empty cell.
        if offset == bytes.endIndex { row.cells.append("") }
        continue
      }
      if end == UInt8(ascii: "\r"), offset < bytes.endIndex, bytes[offset] == UInt8(ascii: "\n") {
        offset += 1
      }
      line += 1
      if !row.cells.isEmpty { rows.append(row) }
      row.cells = []
    }
    if !row.cells.isEmpty { rows.append(row) }
  }

  /// Reads a cell up to the delimiter or the end of the line, which isn't consumed.
  private func readCell(
    _ bytes: ArraySlice<UInt8>, _ offset: inout Int, _ line: inout Int
  ) throws -> (text: String, isQuoted: Bool) {
    func isEnd(_ byte: UInt8) -> Bool {
      byte == delimiter || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
    func isSpace(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: " ") || (byte == UInt8(ascii: "\t") && byte != delimiter)
    }
    while offset < bytes.endIndex, isSpace(bytes[offset]) { offset += 1 }
    if offset < bytes.endIndex, bytes[offset] == UInt8(ascii: "\"") {
      let text = try readQuoted(bytes, &offset, &line)
      while offset < bytes.endIndex, isSpace(bytes[offset]) { offset += 1 }
      guard offset == bytes.endIndex || isEnd(bytes[offset]) else {
        throw error(line, "text follows a closing quote; double a quote that belongs to the text")
      }
      return (text, true)
    }
    let start = offset
    while offset < bytes.endIndex, !isEnd(bytes[offset]) {
      guard bytes[offset] != UInt8(ascii: "\"") else {
        throw error(
          line, "an unquoted cell contains a quote; put the cell in quotes, and double this quote")
      }
      offset += 1
    }
    var end = offset
    while end > start, isSpace(bytes[end - 1]) { end -= 1 }
    return (try text(bytes[start..<end], line), false)
  }

  private func readQuoted(
    _ bytes: ArraySlice<UInt8>, _ offset: inout Int, _ line: inout Int
  ) throws -> String {
    let start = line
    var content: [UInt8] = []
    offset += 1
    while offset < bytes.endIndex {
      let byte = bytes[offset]
      let next = offset + 1 < bytes.endIndex ? bytes[offset + 1] : nil
      offset += 1
      if byte == UInt8(ascii: "\"") {
        guard next == UInt8(ascii: "\"") else { return try text(content[...], start) }
        offset += 1
      }
      if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\r") && next != UInt8(ascii: "\n")) {
        line += 1
      }
      content.append(byte)
    }
    throw error(start, "the quote that opens here is never closed")
  }

  private func text(_ bytes: ArraySlice<UInt8>, _ line: Int) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw error(line, "the text is not UTF-8; save the file as UTF-8")
    }
    guard !bytes.contains(0) else { throw error(line, "a cell has a zero byte") }
    return text
  }
}
