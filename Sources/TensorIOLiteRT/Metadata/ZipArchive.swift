// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Reads files from a zip archive at the end of other bytes, such as a model's associated files.
///
/// It reads stored and deflated entries, limits their sizes, and verifies their checksums.
struct ZipArchive {
  struct Entry {
    var method: Int
    var isEncrypted: Bool
    var checksum: UInt32
    var packedCount: Int
    var count: Int
    /// The offset of the entry's own header in the bytes.
    var start: Int
  }

  /// The maximum number of bytes of all files read together.
  static let mostBytes = 1 << 24

  private let bytes: UnsafeRawBufferPointer
  private(set) var entries: [String: Entry] = [:]
  /// The offset of the archive's first byte in the bytes.
  private(set) var start: Int
  private var remainingBytes = Self.mostBytes

  /// Reads the directory of the zip archive at the end of a file's bytes.
  ///
  /// The bytes must outlive the archive.
  init(_ bytes: UnsafeRawBufferPointer) throws(ZipError) {
    self.bytes = bytes
    guard let end = Self.findEnd(in: bytes) else {
      throw ZipError("the model doesn't contain a zip archive")
    }
    let count = Self.short(bytes, at: end + 10)
    let directoryBytes = Self.integer(bytes, at: end + 12)
    let directoryOffset = Self.integer(bytes, at: end + 16)
    // Offsets are relative to the start of the file or of the zip archive. The sizes in the end
    // record tell how many bytes precede the origin of the offsets.
    let base = end - directoryBytes - directoryOffset
    guard base >= 0 else { throw ZipError("the zip archive's directory is truncated") }
    start = base + directoryOffset
    try readDirectory(count: count, start..<end, base: base)
    start = entries.values.reduce(start) { min($0, $1.start) }
  }

  /// Returns the content of a file, or nil when the archive has no file of that name.
  mutating func contents(of name: String) throws(ZipError) -> [UInt8]? {
    guard let entry = entries[name] else { return nil }
    guard !entry.isEncrypted else { throw ZipError("'\(name)' is encrypted") }
    guard entry.count <= remainingBytes else {
      throw ZipError("'\(name)' exceeds the limit of \(Self.mostBytes >> 20) MB for all files")
    }
    guard entry.start + 30 <= bytes.count, Self.integer(bytes, at: entry.start) == 0x0403_4B50
    else { throw ZipError("'\(name)' isn't where the zip archive's directory says") }
    let start =
      entry.start + 30 + Self.short(bytes, at: entry.start + 26)
      + Self.short(bytes, at: entry.start + 28)
    guard start + entry.packedCount <= bytes.count else {
      throw ZipError("'\(name)' is truncated")
    }
    remainingBytes -= entry.count
    let packed = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + entry.packedCount)])
    let content = try Self.unpack(packed, entry, name: name)
    guard Self.checksum(of: content) == entry.checksum else {
      throw ZipError("'\(name)' is damaged: its checksum is wrong")
    }
    return content
  }

  // MARK: - Directory

  private mutating func readDirectory(
    count: Int, _ range: Range<Int>, base: Int
  ) throws(ZipError) {
    var position = range.lowerBound
    for _ in 0..<count {
      guard position + 46 <= range.upperBound, Self.integer(bytes, at: position) == 0x0201_4B50
      else {
        throw ZipError("the zip archive's directory is damaged")
      }
      let nameEnd = position + 46 + Self.short(bytes, at: position + 28)
      guard nameEnd <= range.upperBound else {
        throw ZipError("the zip archive's directory is truncated")
      }
      let name = String(decoding: bytes[(position + 46)..<nameEnd], as: UTF8.self)
      entries[name] = Entry(
        method: Self.short(bytes, at: position + 10),
        isEncrypted: Self.short(bytes, at: position + 8) & 1 == 1,
        checksum: UInt32(Self.integer(bytes, at: position + 16)),
        packedCount: Self.integer(bytes, at: position + 20),
        count: Self.integer(bytes, at: position + 24),
        start: base + Self.integer(bytes, at: position + 42))
      position =
        nameEnd + Self.short(bytes, at: position + 30) + Self.short(bytes, at: position + 32)
    }
  }

  /// Returns the offset of the end record, whose comment ends where the file does.
  static func findEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
    var position = bytes.count - 22
    let first = max(0, position - 0xFFFF)
    while position >= first {
      if integer(bytes, at: position) == 0x0605_4B50,
        position + 22 + short(bytes, at: position + 20) == bytes.count
      {
        return position
      }
      position -= 1
    }
    return nil
  }

  // MARK: - Bytes

  private static func unpack(
    _ packed: UnsafeRawBufferPointer, _ entry: Entry, name: String
  ) throws(ZipError) -> [UInt8] {
    switch entry.method {
    case 0:
      guard entry.count == entry.packedCount else {
        throw ZipError("'\(name)' is damaged: its compressed and uncompressed sizes differ")
      }
      return Array(packed)
    case 8:
      // Deflate packs at most 1032 bytes into one. Don't reserve memory for sizes that cannot be
      // true.
      guard entry.count <= packed.count * 1032, let content = inflate(packed, to: entry.count)
      else { throw ZipError("'\(name)' is damaged: it cannot be inflated") }
      return content
    case let method: throw ZipError("'\(name)' has the unsupported compression method \(method)")
    }
  }

  /// Inflates bytes without a header, or returns nil when the result doesn't have exactly `count`
  /// bytes.
  private static func inflate(_ packed: UnsafeRawBufferPointer, to count: Int) -> [UInt8]? {
    var stream = z_stream()
    let streamBytes = Int32(MemoryLayout<z_stream>.size)
    // A negative window means that there is no header.
    guard inflateInit2_(&stream, -MAX_WBITS, zlibVersion(), streamBytes) == Z_OK else {
      return nil
    }
    defer { inflateEnd(&stream) }
    // The buffer has one byte more than expected, which tells a longer stream from one of the right
    // length.
    var content = [UInt8](repeating: 0, count: count + 1)
    let status = content.withUnsafeMutableBufferPointer { content in
      stream.next_in = UnsafeMutablePointer(
        mutating: packed.bindMemory(to: UInt8.self).baseAddress)
      stream.avail_in = UInt32(packed.count)
      stream.next_out = content.baseAddress
      stream.avail_out = UInt32(content.count)
      return CZlib.inflate(&stream, Z_FINISH)
    }
    guard status == Z_STREAM_END, stream.avail_out == 1 else { return nil }
    content.removeLast()
    return content
  }

  static func checksum(of content: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32(0, content, UInt32(content.count)))
  }

  private static func short(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
    Int(bytes[position]) | Int(bytes[position + 1]) << 8
  }

  private static func integer(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
    short(bytes, at: position) | short(bytes, at: position + 2) << 16
  }
}

/// A problem with a zip archive, worded as the end of a sentence.
struct ZipError: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
