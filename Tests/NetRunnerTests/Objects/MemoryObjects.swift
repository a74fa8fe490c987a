// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO

@testable import NetRunner

/// Objects and archives that a test keeps in memory.
enum MemoryObjects {
  private final class Piece: ByteStream {
    private var bytes: ArraySlice<UInt8>
    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }
    func read(_ count: Int) -> [UInt8] {
      defer { skip(count) }
      return Array(bytes.prefix(count))
    }
    func skip(_ count: Int) { bytes = bytes.dropFirst(count) }
  }

  /// Returns the bytes of the demo's image of a digit.
  static func photo(_ digit: Int) throws -> [UInt8] {
    Array(
      try Data(contentsOf: URL(filePath: "\(EvaluatorTests.demo)/images/digit-\(digit)-01.png")))
  }

  /// Returns a tar archive's header of a file.
  static func header(_ name: String, _ count: Int) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    let size = String(count, radix: 8)
    header.replaceSubrange(0..<name.utf8.count, with: name.utf8)
    header.replaceSubrange(124..<(124 + size.utf8.count), with: size.utf8)
    header[156] = UInt8(ascii: "0")
    let sum = String(header.reduce(256) { $0 + Int($1) }, radix: 8)
    header.replaceSubrange(148..<(148 + sum.utf8.count), with: sum.utf8)
    return header
  }

  /// Returns a tar archive.
  static func archive(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    files.flatMap { name, bytes in
      header(name, bytes.count) + bytes + [UInt8](repeating: 0, count: -bytes.count & 511)
    } + [UInt8](repeating: 0, count: 1024)
  }

  private static func bytes(_ address: String, in objects: [String: [UInt8]]) throws -> [UInt8] {
    guard let bytes = objects[address] else {
      throw TensorIOError(.fileNotFound, "The object '\(address)' doesn't exist.")
    }
    return bytes
  }

  /// Makes the access to objects, which are listed in the order of their keys.
  static func access(_ objects: [String: [UInt8]]) -> ObjectAccess {
    ObjectAccess(
      open: { Piece(try bytes($0, in: objects)) },
      list: { prefix, last in
        let keys = objects.keys.filter { key in
          key.hasPrefix(prefix) && (last.map { ImageFolder.precedes($0, key) } ?? true)
        }
        var rest = keys.sorted(by: ImageFolder.precedes)[...]
        return { rest.popFirst() }
      })
  }

  /// Makes options for objects.
  static func options(_ objects: [String: [UInt8]]) -> EvaluationOptions {
    var options = EvaluationOptions()
    options.threads = 3
    options.fetch = { try bytes($0, in: objects) }
    options.objects = access(objects)
    return options
  }
}
