// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// The central directory of a zip file, which lists its entries.
///
/// libzip isn't used here. It creates a structure in memory for each entry, possibly millions,
/// before anyone can count them, and it turns NUL bytes in names into spaces. libzip unpacks the
/// entries, and must agree with this directory about each of them.
struct ZipDirectory {
  /// The entries, in the directory's order.
  let entries: [ZipEntry]
  /// The size of the zip file in bytes.
  let fileSize: Int

  init(of path: String, _ limits: ArchiveLimits) throws {
    do {
      let file = try OpenFile(reading: path)
      fileSize = try file.status.size
      let end = try ZipEnd(of: file, size: fileSize, limits)
      entries = try Self.entries(in: try file.bytes(in: end.directory), count: end.count)
    } catch let error as ImportError {
      throw error
    } catch {
      throw ImportError(
        .damagedZip, "The zip file cannot be read: \(FileSystem.reason(for: error)).", cause: error)
    }
  }

  private static func entries(in bytes: [UInt8], count: Int) throws -> [ZipEntry] {
    var entries: [ZipEntry] = []
    var start = 0
    for index in 0..<count {
      guard bytes.count - start >= 46, bytes.number(at: start, 4) == 0x0201_4B50 else {
        throw ImportError.damaged("its directory ends after \(index) of \(count) entries")
      }
      let extra = start + 46 + bytes.number(at: start + 28, 2)
      let comment = extra + bytes.number(at: start + 30, 2)
      let next = comment + bytes.number(at: start + 32, 2)
      guard next <= bytes.count else {
        throw ImportError.damaged("its directory ends within entry \(index + 1) of \(count)")
      }
      var size = bytes.number(at: start + 24, 4)
      var packedSize = bytes.number(at: start + 20, 4)
      var large = LargeSizes(bytes[extra..<comment])
      if size == 0xFFFF_FFFF { size = try large.next() }
      if packedSize == 0xFFFF_FFFF { packedSize = try large.next() }
      entries.append(
        ZipEntry(
          index: index, rawName: Array(bytes[(start + 46)..<extra]),
          flags: bytes.number(at: start + 8, 2), method: bytes.number(at: start + 10, 2),
          size: size, packedSize: packedSize,
          attributes: UInt32(truncatingIfNeeded: bytes.number(at: start + 38, 4))))
      start = next
    }
    guard start == bytes.count else {
      throw ImportError.damaged("its directory has more than its \(count) entries")
    }
    return entries
  }
}

/// The sizes of an entry of 4 GiB or more, which are stored in an extra field.
private struct LargeSizes {
  private var rest: ArraySlice<UInt8> = []

  init(_ extraFields: ArraySlice<UInt8>) {
    var fields = extraFields
    while fields.count >= 4 {
      let content = fields.dropFirst(4).prefix(fields.number(at: fields.startIndex + 2, 2))
      if fields.number(at: fields.startIndex, 2) == 1 {
        rest = content
        return
      }
      fields = fields[content.endIndex...]
    }
  }

  mutating func next() throws -> Int {
    guard rest.count >= 8, rest.number(at: rest.startIndex + 4, 4) < 0x8000_0000 else {
      throw ImportError.damaged("one of its entries has no sizes")
    }
    defer { rest = rest.dropFirst(8) }
    return rest.number(at: rest.startIndex, 8)
  }
}

extension RandomAccessCollection<UInt8> where Index == Int {
  /// An unsigned little-endian integer.
  ///
  /// A value of eight bytes can wrap to a negative number.
  func number(at start: Int, _ width: Int) -> Int {
    var number: UInt64 = 0
    for offset in (0..<width).reversed() { number = number << 8 | UInt64(self[start + offset]) }
    return Int(truncatingIfNeeded: number)
  }
}

extension ImportError {
  static func damaged(_ reason: String) -> ImportError {
    ImportError(
      .damagedZip, "The zip file is damaged: \(reason). Zip the bundle or download it again.")
  }
}

/// The record at the end of a zip file that locates the central directory.
struct ZipEnd {
  /// The number of entries in the directory.
  let count: Int
  /// The directory's byte range in the file.
  let directory: Range<Int>

  private static let length = 22
  /// The maximum size in bytes of a comment that follows the record.
  private static let longestComment = 0xFFFF

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
