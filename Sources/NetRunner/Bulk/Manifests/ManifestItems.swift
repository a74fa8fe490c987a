// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the items of a manifest in order, a few at a time.
struct ManifestItems: Sendable {
  private let file: OpenFile
  /// The offset behind the bytes that were read.
  private var offset: Int
  /// The offset behind the last item.
  private let end: Int
  private var bytes: [UInt8] = []
  /// The index of the next line in ``bytes``.
  private var position = 0
  /// The number of the last line.
  private var number = 1

  init(_ file: OpenFile, from start: Int, to end: Int) {
    self.file = file
    offset = start
    self.end = end
  }

  /// Skips an item.
  ///
  /// - Throws: `TensorIOError` if the file can't be read.
  mutating func skip() throws { _ = try line() }

  /// Returns the next item, or nil at the end.
  ///
  /// - Throws: `TensorIOError` if the file can't be read, or if the line isn't an item.
  mutating func next() throws -> String? {
    guard let line = try line() else { return nil }
    let quote = UInt8(ascii: "\"")
    let backslash = UInt8(ascii: "\\")
    if line.count > 2, line.first == quote, line.last == quote {
      let text = line.dropFirst().dropLast()
      if !text.contains(where: { $0 == backslash || $0 == quote }) {
        return String(decoding: text, as: UTF8.self)
      }
    }
    guard let item = try? JSONDecoder().decode(String.self, from: Data(line)), !item.isEmpty else {
      throw TensorIOError(
        .unreadableFile,
        "'\(file.path)', line \(number): a JSON string with the path of an item was expected.")
    }
    return item
  }

  private mutating func line() throws -> ArraySlice<UInt8>? {
    number += 1
    var searched = position
    while true {
      if let feed = bytes[searched...].firstIndex(of: lineFeed) {
        defer { position = feed + 1 }
        return bytes[position..<feed]
      }
      guard offset < end || position < bytes.count else { return nil }
      guard offset < end, bytes.count - position < Manifest.longestLine else {
        throw TensorIOError(
          .unreadableFile, "'\(file.path)', line \(number): the end of the line is missing.")
      }
      bytes.removeSubrange(..<position)
      position = 0
      searched = bytes.count
      let piece = try reading { try file.bytes(in: offset..<min(end, offset + 1 << 16)) }
      guard !piece.isEmpty else { throw TensorIOError(reading: .endedEarly(file.path)) }
      bytes += piece
      offset += piece.count
    }
  }
}
