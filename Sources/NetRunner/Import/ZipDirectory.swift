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

  /// Reads the directory of a zip file.
  ///
  /// - Throws: ``ImportError``: `notAZip`, `damagedZip` or `zipTooLarge`.
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
