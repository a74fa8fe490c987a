// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// The end of every line.
let lineFeed = UInt8(ascii: "\n")

/// Runs a closure that reads a file.
///
/// - Throws: `TensorIOError` that says why the file can't be read.
func reading<Result>(_ work: () throws -> Result) throws -> Result {
  do {
    return try work()
  } catch let error as FileError {
    throw TensorIOError(reading: error)
  }
}

/// Runs a closure that writes a file.
///
/// - Throws: `TensorIOError` that says why the file can't be written.
func writing<Result>(_ work: () throws -> Result) throws -> Result {
  do {
    return try work()
  } catch let error as FileError {
    throw TensorIOError(writing: error)
  }
}

extension OpenFile {
  /// Returns the first line without its line feed, and whether it has one.
  ///
  /// Lines can be long, but a large file of another kind isn't read to its end: after a mebibyte, only
  /// a line with one of the given starts is read on.
  func firstLine(startingLike starts: [String]) throws -> (line: [UInt8], isWhole: Bool) {
    var line: [UInt8] = []
    while true {
      let piece = try bytes(in: line.count..<(line.count + 1 << 20))
      if let end = piece.firstIndex(of: lineFeed) { return (line + piece[..<end], true) }
      line += piece
      guard !piece.isEmpty, starts.contains(where: { line.starts(with: $0.utf8) }) else {
        return (line, false)
      }
    }
  }

  /// Returns the offset behind the last line feed before another offset, or 0 if there is none.
  func endOfLines(_ end: Int) throws -> Int {
    var end = end
    while end > 0 {
      let start = max(0, end - 4096)
      if let last = try bytes(in: start..<end).lastIndex(of: lineFeed) { return start + last + 1 }
      end = start
    }
    return 0
  }
}
