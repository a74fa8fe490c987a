// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files

/// The record at the end of a zip file that locates the central directory.
struct ZipEnd {
  /// The number of entries in the directory.
  let count: Int
  /// The directory's byte range in the file.
  let directory: Range<Int>

  private static let length = 22
  /// The maximum size in bytes of a comment that follows the record.
  private static let longestComment = 0xFFFF

  /// Finds the record in a file.
  ///
  /// - Throws: ``ImportError``: `notAZip`, `damagedZip` or `zipTooLarge`.
  init(of file: OpenFile, size: Int, _ limits: ArchiveLimits) throws {
    let start = max(0, size - Self.length - Self.longestComment)
    let tail = try file.bytes(in: start..<size)
    var records: [ZipEnd?] = []
    for position in stride(from: tail.count - Self.length, through: 0, by: -1)
    where tail[position] == 0x50 && tail.number(at: position, 4) == 0x0605_4B50 {
      let record = Array(tail[position..<(position + Self.length)])
      guard start + position + Self.length + record.number(at: 20, 2) <= size else { continue }
      records.append(try ZipEnd(record, at: start + position, in: file))
    }
    // A file can have several records, for example in a comment or in a zip file inside it. Other
    // readers may use a different one than the last, so every record must respect the limits.
    for record in records { try record?.check(limits) }
    guard let found = records.first else { throw try Self.absence(in: file, size: size) }
    guard let last = found else {
      throw ImportError.damaged(
        "its directory is not where its end record says, or is in another file")
    }
    self = last
  }

  private init(count: Int, directory: Range<Int>) {
    self.count = count
    self.directory = directory
  }

  /// Reads a record.
  ///
  /// The result is nil if its values aren't possible.
  private init?(_ record: [UInt8], at position: Int, in file: OpenFile) throws {
    if let large = try Self.largeRecord(before: position, in: file) {
      self = large
      return
    }
    let count = record.number(at: 10, 2)
    self.init(
      count: count, countHere: record.number(at: 8, 2), disks: record.number(at: 4, 4),
      size: record.number(at: 12, 4), offset: record.number(at: 16, 4), end: position)
  }

  /// Reads the Zip64 record for large numbers, which precedes the other record.
  private static func largeRecord(before position: Int, in file: OpenFile) throws -> ZipEnd? {
    guard position >= 20 else { return nil }
    let locator = try file.bytes(in: (position - 20)..<position)
    guard locator.count == 20, locator.number(at: 0, 4) == 0x0706_4B50 else { return nil }
    let start = locator.number(at: 8, 8)
    guard start >= 0, start <= position - 20 - 56 else { return nil }
    let record = try file.bytes(in: start..<(start + 56))
    guard record.count == 56, record.number(at: 0, 4) == 0x0606_4B50 else { return nil }
    return ZipEnd(
      count: record.number(at: 32, 8), countHere: record.number(at: 24, 8),
      disks: record.number(at: 16, 8), size: record.number(at: 40, 8),
      offset: record.number(at: 48, 8), end: start)
  }

  private init?(count: Int, countHere: Int, disks: Int, size: Int, offset: Int, end: Int) {
    // Numbers that don't fit are negative here.
    guard disks == 0, count == countHere, count >= 0, size >= 0, offset >= 0, offset <= end,
      size <= end - offset
    else { return nil }
    self.init(count: count, directory: offset..<(offset + size))
  }

  private func check(_ limits: ArchiveLimits) throws {
    guard count <= limits.entries else {
      throw ImportError(
        .zipTooLarge, "The zip file has \(count) entries, but the limit is \(limits.entries).")
    }
    // A kibibyte per entry is more than any name and its extra fields need.
    guard directory.count <= limits.entries << 10 else {
      throw ImportError(
        .zipTooLarge,
        "The zip file's directory has \(directory.count) bytes, which is far too many.")
    }
  }

  private static func absence(in file: OpenFile, size: Int) throws -> ImportError {
    let head = try file.bytes(in: 0..<min(size, 64))
    if head.starts(with: [0x50, 0x4B]) {
      return .damaged("its end is missing; perhaps the transfer was incomplete")
    }
    let text = String(decoding: head, as: UTF8.self).drop(while: \.isWhitespace).lowercased()
    let found =
      size == 0
      ? "is empty"
      : text.hasPrefix("<") ? "is a web page, perhaps one about the model" : "isn't a zip file"
    return ImportError(
      .notAZip, "Expected a zip file with a .tiobundle folder, but the file \(found).")
  }
}
