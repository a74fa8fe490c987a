// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import Hashing
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file that lists the samples of a bulk run, so that several machines can share the run.
///
/// Each line is JSON. The first line is an object with the format's version and the inputs. Each of
/// the next lines is a string: the path or the URL of an item, which can be an archive. The last line is an object with the
/// number of items, and the SHA-256 of everything before it. A file without it was cut off.
///
/// The files of an archive aren't listed, because the whole archive would have to be read. If an input
/// is an archive or a prefix, the first line also has what all samples are.
///
/// Items are read when they are needed, so memory use doesn't grow with their number.
package struct Manifest: Sendable {
  /// The extension of the file's name, by which commands recognize it.
  package static let fileExtension = ".manifest"

  /// The path of the file.
  package let path: String
  /// The number of items.
  package let count: Int
  /// The SHA-256 that identifies the list, as 64 hexadecimal digits.
  package let sha256: String
  /// The first item.
  package let first: String
  /// What the samples are.
  package let content: Dataset.Content

  /// The file, which stays open, so that all items come from the file that was checked.
  let file: OpenFile
  /// The offset of the first item.
  let start: Int
  /// The offset of the last line.
  let end: Int

  /// The first line.
  struct Head: Codable, Hashable {
    static let schema = "tensorio.manifest"
    static let version = 1

    var schema = Self.schema
    var version = Self.version
    var inputs: [String]
    /// What the samples are, if archives or prefixes were looked at.
    var content: Dataset.Content?

    private enum CodingKeys: String, CodingKey {
      case schema, inputs, content
      case version = "schema_version"
    }
  }

  /// The last line.
  struct Tail: Codable {
    var items: Int
    var sha256: String
  }

  /// The longest line of an item that is read, in bytes.
  static let longestLine = 1 << 20

  /// Opens a manifest, and checks that it is complete and unchanged.
  ///
  /// - Throws: `TensorIOError` if the file isn't a manifest, was cut off, or was changed.
  package init(_ path: String) throws {
    self.path = path
    file = try FileSystem.open(path)
    let head = try Self.head(of: file)
    start = head.end
    guard let tail = try Self.tail(of: file, after: start) else {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' has no last line with the number of items, so it is still being written or was "
          + "cut off. Complete it with \(Self.command(head.value.inputs, path)) --resume'.")
    }
    end = tail.start
    count = tail.value.items
    sha256 = tail.value.sha256
    var hash: SHA256? = try SHA256.start()
    let found = try Self.measure(file, end: end, into: &hash)
    let digest = hash.take()?.finalize().hexadecimal
    guard found == count, digest == sha256 else {
      throw TensorIOError(
        .unreadableFile,
        "'\(path)' was changed after it was made: its \(counted(found, "item")) don't have the SHA-256 "
          + "of its last line. Make it again with \(Self.command(head.value.inputs, path)) --force'."
      )
    }
    guard count > 0 else {
      throw TensorIOError(.unreadableFile, "'\(path)' lists no items.")
    }
    var items = ManifestItems(file, from: start, to: end)
    first = try items.next() ?? ""
    content = head.value.content ?? Dataset.Content(ofFile: first)
  }

  /// The start of the command that lists the inputs, with an opening quotation mark.
  private static func command(_ inputs: [String], _ path: String) -> String {
    let shown = inputs.prefix(3).joined(separator: " ")
    return "'tensorio list \(shown)\(inputs.count > 3 ? " …" : "") -o \(path)"
  }

  /// Reads the first line; `end` is the offset behind it.
  ///
  /// - Throws: `TensorIOError` if this isn't the first line of a manifest.
  static func head(of file: OpenFile) throws -> (value: Head, end: Int) {
    // The members are sorted, and the inputs can be many.
    let starts = [#"{"content":"#, #"{"inputs":"#]
    let (line, isWhole) = try reading { try file.firstLine(startingLike: starts) }
    guard isWhole,
      let head = try? JSONDecoder().decode(Head.self, from: Data(line)), head.schema == Head.schema
    else {
      throw TensorIOError(
        .wrongKind,
        "'\(file.path)' isn't a manifest of 'tensorio list': its first line isn't the start of one."
      )
    }
    guard head.version <= Head.version else {
      throw TensorIOError(
        .wrongKind,
        "'\(file.path)' is a manifest of version \(head.version), but this program reads version "
          + "\(Head.version). Update the program.")
    }
    return (head, line.count + 1)
  }

  /// Reads the last line, or returns nil if it is missing; `start` is its offset.
  static func tail(of file: OpenFile, after start: Int) throws -> (value: Tail, start: Int)? {
    let size = try reading { try file.status.size }
    let ending = try reading { try file.bytes(in: max(start, size - 4096)..<max(start, size)) }
    let line = ending.dropLast().split(separator: lineFeed).last ?? []
    guard ending.last == lineFeed,
      let tail = try? JSONDecoder().decode(Tail.self, from: Data(line))
    else { return nil }
    return (tail, size - line.count - 1)
  }

  /// Adds everything before an offset to a hash, and returns the number of items.
  static func measure(_ file: OpenFile, end: Int, into hash: inout SHA256?) throws -> Int {
    // The first line isn't an item.
    var items = -1
    var offset = 0
    while offset < end {
      let piece = try reading { try file.bytes(in: offset..<min(end, offset + 1 << 18)) }
      guard !piece.isEmpty else { throw TensorIOError(reading: .endedEarly(file.path)) }
      hash?.update(data: piece)
      piece.withUnsafeBufferPointer { for byte in $0 where byte == lineFeed { items += 1 } }
      offset += piece.count
    }
    return items
  }
}
