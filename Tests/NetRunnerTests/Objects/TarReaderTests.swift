// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner

/// Bytes in memory.
private final class BytesStream: ByteStream {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(_ count: Int) -> [UInt8] {
    defer { skip(count) }
    return Array(bytes.dropFirst(position).prefix(count))
  }

  func skip(_ count: Int) { position = min(position + count, bytes.count) }
}

@Suite struct TarReaderTests {
  private struct File: Equatable {
    var name: String
    var bytes: [UInt8]
  }

  private static func files(_ stream: any ByteStream) throws -> [File] {
    var reader = TarReader(stream, named: "a.tar")
    var files: [File] = []
    while let member = try reader.next() {
      guard member.size <= 1 << 20 else { continue }
      files.append(File(name: member.name, bytes: try reader.content()))
    }
    return files
  }

  private static func files(_ bytes: [UInt8]) throws -> [File] { try files(BytesStream(bytes)) }

  private static func error(_ bytes: [UInt8]) -> String? {
    let error = #expect(throws: TensorIOError.self) { try files(bytes) }
    #expect(error?.message.contains("'a.tar' is ") == true, "\(error?.message ?? "")")
    return error?.message
  }

  /// Returns an archive of one file, and sets the checksum after a change of its header.
  private static func archive(
    _ name: String = "a.jpg", _ bytes: [UInt8] = [1, 2, 3], kind: Character = "0",
    changing change: (inout [UInt8]) -> Void = { _ in }
  ) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
    }
    put(name, at: 0)
    put(String(bytes.count, radix: 8), at: 124)
    put(String(kind), at: 156)
    put("ustar\0", at: 257)
    change(&header)
    let sum = header.enumerated().reduce(256) {
      $0 + ((148..<156).contains($1.offset) ? 0 : Int($1.element))
    }
    put(String(sum, radix: 8) + "\0 ", at: 148)
    let padding = [UInt8](repeating: 0, count: -bytes.count & 511)
    return header + bytes + padding
  }

  private static let end = [UInt8](repeating: 0, count: 1024)

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `every file has the name and the bytes that Python's tarfile reads`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = try await Python.run(["Tools/peers/shards.py", "members", folder.path])
    let found = try JSONDecoder().decode([String: [[String]]].self, from: Data(text.utf8))
    #expect(found.keys.sorted() == ["gnu", "pax", "ustar"])
    for (format, members) in found {
      let expected = try members.map { member in
        File(name: member[0], bytes: Array(try #require(Data(base64Encoded: member[1]))))
      }
      let path = "\(folder.path)/\(format).tar"
      #expect(try Self.files(FileStream(path)) == expected, "\(format)")
      let bytes = Array(try Data(contentsOf: URL(filePath: path)))
      #expect(try Self.files(bytes) == expected, "\(format)")
      // Wherever the archive is cut short before its end, the error says so.
      let length = try #require(bytes.lastIndex { $0 != 0 })
      for count in stride(from: 0, through: length, by: 97) {
        _ = Self.error(Array(bytes.prefix(count)))
      }
    }
  }

  @Test func `a damaged header is an error with its offset`() {
    let good = Self.archive()
    var bad = Self.archive("b.jpg")
    bad[3] ^= 1
    #expect(Self.error(good + bad + Self.end)?.contains("at byte 1024: a header with") == true)
    let letters = Self.archive { $0.replaceSubrange(124..<127, with: "12x".utf8) }
    #expect(Self.error(letters + Self.end)?.contains("octal digits") == true)
    #expect(Self.error(good)?.contains("at byte 1024: it ends without") == true)
    #expect(Self.error(Array(good.prefix(514)))?.contains("a file of 3 bytes begins") == true)
    #expect(Self.error([0x1F, 0x8B, 8, 0])?.contains("compressed by gzip") == true)
    #expect(Self.error([])?.contains("at byte 0") == true)
  }

  @Test func `sizes in GNU's binary form are read, and impossible ones are errors`() throws {
    let binary = Self.archive { header in
      header.replaceSubrange(124..<136, with: [0x80] + [UInt8](repeating: 0, count: 10) + [3])
    }
    #expect(try Self.files(binary + Self.end) == [File(name: "a.jpg", bytes: [1, 2, 3])])
    for first: UInt8 in [0x80, 0xFF] {
      let huge = Self.archive { header in
        header.replaceSubrange(124..<136, with: [first] + [UInt8](repeating: 0xFF, count: 11))
      }
      #expect(Self.error(huge + Self.end)?.contains("a size of at most") == true)
    }
    let negative = Self.archive("x", Array("12 size=-44\n".utf8), kind: "x") + Self.archive()
    #expect(Self.error(negative + Self.end)?.contains("got '-44'") == true)
    let large = Self.archive("x", [], kind: "L") { header in
      header.replaceSubrange(124..<131, with: "7777777".utf8)
    }
    #expect(Self.error(large + Self.end)?.contains("names of at most") == true)
  }

  @Test(arguments: [
    "9 path=ab", "99 path=a\n", "a path=b\n", "6 path\n", "8 path=\n", "-1 a=b\n",
    "20\0=abc xxxxxxxxxxx\n",
  ])
  func `a damaged record of pax is an error`(record: String) {
    let archive = Self.archive("x", Array(record.utf8), kind: "x") + Self.archive()
    if record == "8 path=\n" {
      #expect(throws: Never.self) { try Self.files(archive + Self.end) }
    } else {
      _ = Self.error(archive + Self.end)
    }
  }

  @Test func `a sparse file is passed over with its map`() throws {
    let map = [UInt8](repeating: 7, count: 504) + [UInt8](repeating: 0, count: 8)
    let sparse = Self.archive("s.jpg", [], kind: "S") { header in
      header[482] = 1
      header[124] = UInt8(ascii: "1")
    }
    let data = [UInt8](repeating: 9, count: 512)
    let archive = sparse + map + data + Self.archive() + Self.end
    #expect(try Self.files(archive).map(\.name) == ["a.jpg"])
  }

  /// `TENSORIO_FUZZ_ARCHIVES` sets the number of archives, and `TENSORIO_FUZZ_SEED` selects others.
  @Test func `every damaged archive is read to its end or is an error`() throws {
    let seed = UInt64(ProcessInfo.processInfo.environment["TENSORIO_FUZZ_SEED"] ?? "") ?? 1
    let count = Int(ProcessInfo.processInfo.environment["TENSORIO_FUZZ_ARCHIVES"] ?? "") ?? 1000
    let long = Array(("long/" + String(repeating: "n", count: 200) + ".jpg\0").utf8)
    let record = "30 path=" + String(repeating: "p", count: 21) + "\n"
    let whole =
      Self.archive() + Self.archive("././@LongLink", long, kind: "L") + Self.archive("l.jpg")
      + Self.archive("x", Array(record.utf8), kind: "x") + Self.archive("p.jpg")
      + Self.archive("d/", [], kind: "5") + Self.archive("b.jpg", Array(repeating: 5, count: 700))
      + Self.end
    #expect(try Self.files(whole).count == 4)
    for number in 0..<UInt64(count) {
      var random = SplitMix64(seed: seed &* 1_000_003 &+ number)
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          bytes[Int.random(in: bytes.indices, using: &random)] = .random(
            in: 0...255, using: &random)
        case 1: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        case 2:
          let start = Int.random(in: 0..<bytes.count, using: &random)
          bytes.removeSubrange(start..<min(start + 512, bytes.count))
        default:
          // A changed field behind a checksum that is right.
          let block = Int.random(in: 0..<max(bytes.count / 512, 1), using: &random) * 512
          guard block + 512 <= bytes.count else { continue }
          let field = [0, 124, 125, 135, 156, 257, 345, 482].randomElement(using: &random) ?? 0
          bytes[block + field] = .random(in: 0...255, using: &random)
          let sum = (0..<512).reduce(256) {
            $0 + ((148..<156).contains($1) ? 0 : Int(bytes[block + $1]))
          }
          let digits = Array((String(sum, radix: 8) + "\0\0\0\0\0\0\0\0").utf8.prefix(8))
          bytes.replaceSubrange((block + 148)..<(block + 156), with: digits)
        }
        if bytes.isEmpty { break }
      }
      do {
        let files = try Self.files(bytes)
        #expect(files.reduce(0) { $0 + $1.bytes.count } <= bytes.count, "archive \(number)")
      } catch let error as TensorIOError {
        #expect(error.message.contains("'a.tar' is "), "archive \(number): \(error)")
      }
    }
  }
}
