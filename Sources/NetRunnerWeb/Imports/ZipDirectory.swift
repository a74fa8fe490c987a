// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import TensorIO

/// The central directory of a zip file, which lists its entries.
///
/// libzip isn't used here. It creates a structure in memory for each entry, possibly millions,
/// before anyone can count them, and it turns NUL bytes in names into spaces. libzip unpacks the
/// entries, and must agree with this directory about each of them.
struct ZipDirectory {
  let entries: [ZipEntry]
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
  /// An unsigned little-endian integer, which can wrap to a negative one if it has eight bytes.
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

  /// Reads a record, or returns nil if its values aren't possible.
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

/// An entry of a zip file as the central directory describes it, none of which is trusted.
struct ZipEntry {
  let index: Int
  let rawName: [UInt8]
  let flags: Int
  let method: Int
  /// The declared unpacked size in bytes.
  let size: Int
  /// The compressed size in bytes.
  let packedSize: Int
  /// The external attributes, which depend on the system that made the entry.
  let attributes: UInt32

  var isFolder: Bool { rawName.last == UInt8(ascii: "/") }

  /// The name for messages: shortened, and without characters that control a terminal.
  var shownName: String { Self.shown(String(decoding: rawName, as: UTF8.self)) }

  private static func shown(_ name: String) -> String {
    let text = String(
      String.UnicodeScalarView(
        name.unicodeScalars.prefix(120).map { isPlain($0) ? $0 : "\u{FFFD}" }))
    return text.unicodeScalars.count < name.unicodeScalars.count ? text + "…" : text
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

// MARK: - Checks

extension ZipEntry {
  /// The components of the path, provided that the entry is safe to unpack.
  func checkedPath(_ limits: ArchiveLimits) throws -> [String] {
    try checkKind()
    guard let name = String(validating: rawName, as: UTF8.self) else {
      throw unsafe("has a name that is not UTF-8; zip the bundle with a newer program")
    }
    guard name.unicodeScalars.allSatisfy(Self.isPlain) else {
      throw unsafe("has control characters in its name")
    }
    guard !name.contains("\\") else {
      throw unsafe("has a backslash in its name; zip the bundle with a program that writes '/'")
    }
    guard !name.hasPrefix("/") else { throw unsafe("has an absolute path") }
    let path = (isFolder ? name.dropLast() : name[...])
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard path.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
      throw unsafe("leads out of its folder, or has an empty name")
    }
    guard path.allSatisfy({ $0.utf8.count <= limits.nameBytes }) else {
      throw unsafe("has a name of more than \(limits.nameBytes) bytes")
    }
    guard path.count <= limits.depth else {
      throw unsafe("lies more than \(limits.depth) folders deep")
    }
    return path
  }

  private func checkKind() throws {
    // The high half is the Unix file mode. The field that names the system is ignored, because an
    // attacker who adds a link can write anything there.
    switch (attributes >> 16) & 0xF000 {
    case 0: break
    case 0x8000: guard !isFolder else { throw unsafe("is a file with the name of a folder") }
    case 0x4000: guard isFolder else { throw unsafe("is a folder with the name of a file") }
    case 0xA000:
      throw unsafe("is a symbolic link; zip the file that it leads to")
    default: throw unsafe("is neither a file nor a folder")
    }
    guard !isFolder || size == 0 else { throw unsafe("is a folder that has content like a file") }
    guard flags & 0x2041 == 0 else {
      throw unsafe("is encrypted; zip the bundle without a password")
    }
    guard method == 0 || method == 8 else {
      throw unsafe("is compressed in an unusual way (\(method)); zip the bundle with Deflate")
    }
  }

  func unsafe(_ reason: String) -> ImportError {
    ImportError(.unsafeZip, "The zip file was not unpacked: its entry '\(shownName)' \(reason).")
  }
}
#endif
