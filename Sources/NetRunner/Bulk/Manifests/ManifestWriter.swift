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

/// Writes a manifest line by line, or continues one that was cut off.
final class ManifestWriter {
  /// The number of items in the file.
  private(set) var count = 0
  /// The last item that an earlier listing wrote.
  private(set) var last: String?
  /// Whether an earlier listing completed the file.
  private(set) var isComplete = false
  /// What the samples are, if an input is an archive or a prefix.
  let content: Dataset.Content?

  private let path: String
  private let file: OpenFile
  private let lock: LogLock
  private var hash: SHA256?
  private var pending: [UInt8] = []
  /// Lines are written once there are this many bytes.
  private static let batchSize = 1 << 16

  /// Opens a file, or creates it if it is missing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - inputs: The inputs of the command.
  ///   - replacing: Whether an existing file is removed.
  ///   - findContent: Finds out what the samples are, for a new file.
  /// - Throws: `TensorIOError` if the file isn't a manifest of these inputs, or can't be written, or
  ///   what `findContent` throws; no file is created or removed then.
  init(
    _ path: String, inputs: [String], replacing: Bool, findContent: () throws -> Dataset.Content?
  ) throws {
    self.path = path
    lock = try LogLock(for: path)
    let size = try writing { try FileStatus(of: path)?.size ?? 0 }
    hash = try SHA256.start()
    guard size > 0, !replacing else {
      let head = Manifest.Head(inputs: inputs, content: try findContent())
      content = head.content
      if replacing { try FileSystem.remove(path) }
      file = try writing { try OpenFile(appending: path) }
      pending = Array(try StableJSON(head).text.utf8) + [lineFeed]
      return
    }
    file = try writing { try OpenFile(appending: path) }
    let head = try Manifest.head(of: file)
    content = head.value.content
    guard head.value.inputs == inputs else {
      throw TensorIOError(
        .invalidOption,
        "'\(path)' lists other inputs: \(head.value.inputs.map { "'\($0)'" }.joined(separator: ", ")). "
          + "Continue it with these, or pass --force to start from the beginning.")
    }
    if try Manifest.tail(of: file, after: head.end) != nil {
      count = try Manifest(path).count
      isComplete = true
      return
    }
    try resume(after: head.end, size)
  }

  /// Removes a line that was cut off, and reads the rest.
  private func resume(after start: Int, _ size: Int) throws {
    let end = try reading { try file.endOfLines(size) }
    if end < size { try writing { try file.truncate(to: end) } }
    count = try Manifest.measure(file, end: end, into: &hash)
    guard count > 0 else { return }
    let ending = try reading {
      try file.bytes(in: max(start, end - Manifest.longestLine)..<end - 1)
    }
    let line = ending.split(separator: lineFeed).last ?? []
    var items = ManifestItems(file, from: end - 1 - line.count, to: end)
    last = try items.next()
  }

  /// Adds an item.
  ///
  /// - Throws: `TensorIOError` if the file can't be written.
  func add(_ item: String) throws {
    let needsEscapes = item.utf8.contains {
      $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
    }
    pending += (needsEscapes ? try StableJSON(item).text : "\"\(item)\"").utf8
    pending.append(lineFeed)
    count += 1
    if pending.count >= Self.batchSize { try write() }
  }

  /// Writes all items so far, so that the listing can be resumed.
  func pause() throws { try write() }

  /// Writes the last line, and flushes the file to the disk.
  func complete() throws {
    try write()
    guard let digest = hash.take()?.finalize() else { return }
    let tail = Manifest.Tail(items: count, sha256: digest.hexadecimal)
    let line = Array(try StableJSON(tail).text.utf8) + [lineFeed]
    try writing {
      try file.write(line)
      try file.flush()
    }
  }

  /// Removes the file.
  func remove() throws { try FileSystem.remove(path) }

  private func write() throws {
    // All lines are written in one call, so that a kill cuts at most one line short.
    try writing { try file.write(pending) }
    hash?.update(data: pending)
    pending.removeAll(keepingCapacity: true)
  }
}
