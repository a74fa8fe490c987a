// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Reads the members of a tar archive one after the other, without unpacking it.
///
/// It reads the formats ustar, GNU and pax. Everything but files is passed over.
struct TarReader {
  /// A file in the archive.
  struct Member {
    /// The name without a `./` at its start.
    var name: String
    /// The size in bytes.
    var size: Int
  }

  private let stream: any ByteStream
  private let archive: String
  /// The offset of the next byte of the stream.
  private var offset = 0
  /// The bytes of the current member that aren't read yet, and its padding.
  private var rest = 0
  private var padding = 0

  private static let blockSize = 512
  /// The largest record of names, in bytes.
  private static let mostNameBytes = 1 << 20
  /// The largest size of a member, in bytes, so that no sum of sizes overflows.
  private static let mostBytes = 1 << 60

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - stream: The archive's bytes.
  ///   - archive: The archive's name in errors.
  init(_ stream: any ByteStream, named archive: String) {
    self.stream = stream
    self.archive = archive
  }

  /// Returns the next file, or nil at the end of the archive.
  ///
  /// - Throws: `TensorIOError` if the archive is damaged or can't be read. The reader is then of no
  ///   further use.
  mutating func next() throws -> Member? {
    var longName: String?
    var longSize: Int?
    while true {
      try skipRest()
      let start = offset
      let header = try read(Self.blockSize)
      if header.allSatisfy({ $0 == 0 }) {
        guard header.count == Self.blockSize else {
          throw damage(at: start, "it ends without the two blocks of zeros, so it was cut short")
        }
        return nil
      }
      try check(header, at: start)
      let kind = header[156]
      // Links and folders have no bytes, whatever their size says.
      let size = (49...54).contains(kind) ? 0 : try number(header, 124..<136, at: start)
      setRest(size)
      switch kind {
      case UInt8(ascii: "L"): longName = Self.text(try names(at: start)[...])
      case UInt8(ascii: "x"):
        for (key, value) in try records(at: start) {
          if key == "path" { longName = value }
          if key == "size" { longSize = try self.size(value, at: start) }
        }
      case UInt8(ascii: "g"), UInt8(ascii: "K"): break
      case 0, UInt8(ascii: "0"), UInt8(ascii: "7"):
        if let longSize { setRest(longSize) }
        var name = longName ?? Self.name(header)
        while name.hasPrefix("./") { name.removeFirst(2) }
        // Old archives mark folders only by their name.
        if !name.isEmpty, !name.hasSuffix("/") { return Member(name: name, size: rest) }
        (longName, longSize) = (nil, nil)
      case UInt8(ascii: "S"):
        // A sparse file's map may go on in further blocks.
        var more = header[482] != 0
        while more {
          let block = try read(Self.blockSize)
          guard block.count == Self.blockSize else {
            throw damage(at: start, "the archive ends within a file's map")
          }
          more = block[504] != 0
        }
        fallthrough
      default:
        if let longSize, !(49...54).contains(kind) { setRest(longSize) }
        (longName, longSize) = (nil, nil)
      }
    }
  }

  /// Returns the bytes of the file that ``next()`` returned last.
  ///
  /// - Throws: `TensorIOError` if the archive ends before.
  mutating func content() throws -> [UInt8] {
    let (count, start) = (rest, offset)
    let bytes = try read(count)
    rest = 0
    guard bytes.count == count else {
      throw damage(
        at: start, "a file of \(count) bytes begins, but the archive ends before its end")
    }
    return bytes
  }

  // MARK: - Bytes

  private mutating func read(_ count: Int) throws -> [UInt8] {
    let bytes = try stream.read(count)
    offset += bytes.count
    return bytes
  }

  private mutating func setRest(_ size: Int) {
    rest = size
    padding = -size & (Self.blockSize - 1)
  }

  private mutating func skipRest() throws {
    try stream.skip(rest + padding)
    offset += rest + padding
    (rest, padding) = (0, 0)
  }

  private func damage(at offset: Int, _ what: String) -> TensorIOError {
    TensorIOError(.unreadableFile, "'\(archive)' is damaged at byte \(offset): \(what).")
  }

  // MARK: - Headers

  private func check(_ header: [UInt8], at start: Int) throws {
    if start == 0, header.starts(with: [0x1F, 0x8B]) {
      throw TensorIOError(
        .unreadableFile, "'\(archive)' is compressed by gzip. Unpack it to a .tar file.")
    }
    guard header.count == Self.blockSize else {
      throw damage(at: start, "the archive ends within a header")
    }
    let spaces = 8 * 32
    let sum = header.indices.reduce(spaces) { sum, index in
      (148..<156).contains(index) ? sum : sum + Int(header[index])
    }
    // Some programs of old add the bytes as signed numbers.
    let signedSum = sum - 256 * header.indices.count { header[$0] > 127 && !(148..<156 ~= $0) }
    let expected = try number(header, 148..<156, at: start)
    guard expected == sum || expected == signedSum else {
      throw damage(
        at: start, "a header with the checksum \(expected) was expected, but its sum is \(sum)")
    }
  }

  /// Returns a number in octal digits, or in GNU's binary form.
  private func number(_ header: [UInt8], _ range: Range<Int>, at start: Int) throws -> Int {
    var number = 0
    let field = header[range]
    if let first = field.first, first & 0x80 != 0 {
      for byte in [first & 0x7F] + field.dropFirst() {
        guard number <= Self.mostBytes >> 8 else { throw wrongSize("a larger one", at: start) }
        number = number << 8 | Int(byte)
      }
      return number
    }
    let digits = field.drop { $0 == 32 || $0 == 0 }.prefix { $0 != 32 && $0 != 0 }
    for digit in digits {
      guard (48...55).contains(digit) else {
        throw damage(at: start, "a number in octal digits was expected, got '\(Self.text(field))'")
      }
      number = number << 3 | Int(digit - 48)
    }
    return number
  }

  private func size(_ text: String, at start: Int) throws -> Int {
    guard let size = Int(text), (0...Self.mostBytes).contains(size) else {
      throw wrongSize("'\(text)'", at: start)
    }
    return size
  }

  private func wrongSize(_ found: String, at start: Int) -> TensorIOError {
    damage(at: start, "a size of at most \(Self.mostBytes) bytes was expected, got \(found)")
  }

  /// Reads the content of a header that describes the next one.
  private mutating func names(at start: Int) throws -> [UInt8] {
    guard rest <= Self.mostNameBytes else {
      throw damage(
        at: start, "names of at most \(Self.mostNameBytes) bytes were expected, got \(rest) bytes")
    }
    return try content()
  }

  /// Reads pax's records, `LENGTH KEY=VALUE\n`.
  private mutating func records(at start: Int) throws -> [(key: String, value: String)] {
    var bytes = try names(at: start)[...]
    var records: [(key: String, value: String)] = []
    while !bytes.isEmpty {
      let digits = bytes.prefix { $0 != 32 }
      guard let length = Int(Self.text(digits)), length > digits.count + 1, length <= bytes.count,
        let equals = bytes.prefix(length - 1).dropFirst(digits.count + 1)
          .firstIndex(of: UInt8(ascii: "=")),
        bytes[bytes.startIndex + length - 1] == UInt8(ascii: "\n")
      else { throw damage(at: start, "a record 'LENGTH KEY=VALUE' was expected") }
      let end = bytes.startIndex + length
      let key = bytes[(digits.endIndex + 1)..<equals]
      let value = bytes[(equals + 1)..<(end - 1)]
      records.append((Self.text(key), Self.text(value)))
      bytes = bytes[end...]
    }
    return records
  }

  private static func name(_ header: [UInt8]) -> String {
    let name = text(header[0..<100])
    // GNU's archives have other things in place of the prefix.
    guard header[257..<263].elementsEqual("ustar\0".utf8), header[345] != 0 else { return name }
    return text(header[345..<500]) + "/" + name
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
