// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIOLiteRT

@Suite struct ZipArchiveTests {
  /// Written by Python's zipfile: `labels.txt` deflated ("cat" and "dog" 500 times), `plain.txt`
  /// stored ("plain"), and a comment.
  private static let zip = Array(
    Data(
      base64Encoded:
        "UEsDBBQAAAAIAAAAIQCguzd9IgAAAKAPAAAKAAAAbGFiZWxzLnR4dO3FoQ0AMAwDMJ4vp1YqHNn/6hkjNnGdl76T"
        + "sm3btm3b315QSwMEFAAAAAAAAAAhAND5FTkGAAAABgAAAAkAAABwbGFpbi50eHRwbGFpbgpQSwECFAMUAAAA"
        + "CAAAACEAoLs3fSIAAACgDwAACgAAAAAAAAAAAAAAgAEAAAAAbGFiZWxzLnR4dFBLAQIUAxQAAAAAAAAAIQDQ"
        + "+RU5BgAAAAYAAAAJAAAAAAAAAAAAAACAAUoAAABwbGFpbi50eHRQSwUGAAAAAAIAAgBvAAAAdwAAAAkAYSBj"
        + "b21tZW50") ?? Data())
  private static let labels = Array(String(repeating: "cat\ndog\n", count: 500).utf8)
  private static let plain = Array("plain\n".utf8)

  private static func read(_ name: String, from file: [UInt8]) throws -> [UInt8]? {
    try file.withUnsafeBytes { bytes in
      var archive = try ZipArchive(bytes)
      return try archive.contents(of: name)
    }
  }

  @Test func `deflated and stored files are read`() throws {
    #expect(try Self.read("labels.txt", from: Self.zip) == Self.labels)
    #expect(try Self.read("plain.txt", from: Self.zip) == Self.plain)
    #expect(try Self.read("other.txt", from: Self.zip) == nil)
  }

  @Test func `a zip is found after other bytes`() throws {
    let file = [UInt8](repeating: 0x50, count: 5000) + Self.zip
    #expect(try Self.read("labels.txt", from: file) == Self.labels)
  }

  @Test func `bytes without a zip are an error`() {
    let error = #expect(throws: ZipError.self) { try Self.read("a", from: [1, 2, 3]) }
    #expect(error?.reason == "the model doesn't contain a zip archive")
  }

  /// The offset of the zip's directory, where the entry of `labels.txt` begins.
  private static let directory = 0x77

  @Test(arguments: [
    (8, UInt8(1), "'labels.txt' is encrypted"),
    (10, 12, "'labels.txt' has the unsupported compression method 12"),
    (16, 0, "'labels.txt' is damaged: its checksum is wrong"),
    (20, 9, "'labels.txt' is damaged: it cannot be inflated"),
    (22, 1, "'labels.txt' is truncated"),
    (24, 1, "'labels.txt' is damaged: it cannot be inflated"),
    (27, 2, "'labels.txt' exceeds the limit of 16 MB for all files"),
    (42, 1, "'labels.txt' isn't where the zip archive's directory says"),
  ])
  func `an invalid entry is an error`(place: Int, value: UInt8, reason: String) {
    var file = Self.zip
    file[Self.directory + place] = value
    let error = #expect(throws: ZipError.self) { try Self.read("labels.txt", from: file) }
    #expect(error?.reason == reason)
  }

  /// A few kilobytes that claim to hold megabytes, many times over.
  @Test func `the total size of all files is limited`() throws {
    let large = [UInt8](repeating: 0x61, count: ZipArchive.mostBytes / 2 - 6)
    let file = Self.storedZip(["a.txt": large, "b.txt": Self.plain])
    try file.withUnsafeBytes { bytes in
      var archive = try ZipArchive(bytes)
      #expect(try archive.contents(of: "a.txt")?.count == large.count)
      #expect(try archive.contents(of: "a.txt")?.count == large.count)
      #expect(try archive.contents(of: "b.txt") == Self.plain)
      let error = #expect(throws: ZipError.self) { try archive.contents(of: "a.txt") }
      #expect(error?.reason == "'a.txt' exceeds the limit of 16 MB for all files")
    }
  }

  @Test func `a zip cut or changed at any byte doesn't crash`() {
    for count in Self.zip.indices {
      _ = try? Self.read("labels.txt", from: Array(Self.zip.prefix(count)))
      _ = try? Self.read("labels.txt", from: Array(Self.zip.suffix(count)))
    }
    for place in Self.zip.indices {
      for value: UInt8 in [0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF] {
        var file = Self.zip
        file[place] = value
        if let content = try? Self.read("labels.txt", from: file) {
          #expect(content == Self.labels)
        }
      }
    }
  }

  /// A zip of stored files, in the order of their names.
  private static func storedZip(_ files: [String: [UInt8]]) -> [UInt8] {
    var zip: [UInt8] = []
    var directory: [UInt8] = []
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    func fields(_ fields: [(value: Int, count: Int)]) -> [UInt8] {
      fields.flatMap { number($0.value, $0.count) }
    }
    for (name, content) in files.sorted(by: { $0.key < $1.key }) {
      let common = fields([
        (20, 2), (0, 8), (Int(checksum(content)), 4), (content.count, 4), (content.count, 4),
        (name.utf8.count, 2), (0, 2),
      ])
      directory += fields([(0x0201_4B50, 4), (20, 2)]) + common
      directory += fields([(0, 10), (zip.count, 4)]) + Array(name.utf8)
      zip += fields([(0x0403_4B50, 4)]) + common + Array(name.utf8) + content
    }
    let end = fields([
      (0x0605_4B50, 4), (0, 4), (files.count, 2), (files.count, 2), (directory.count, 4),
      (zip.count, 4), (0, 2),
    ])
    return zip + directory + end
  }

  /// CRC-32, bit by bit.
  private static func checksum(_ content: [UInt8]) -> UInt32 {
    var remainder = ~UInt32(0)
    for byte in content {
      remainder ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = remainder & 1 == 1
        remainder >>= 1
        if isOdd { remainder ^= 0xEDB8_8320 }
      }
    }
    return ~remainder
  }
}
