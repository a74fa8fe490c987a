// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A text that is split into pieces.
struct PieceList {
  struct Piece {
    var start: Int
    var end: Int
    /// Whether the user's text starts with this piece.
    var isStart: Bool

    var range: Range<Int> { start..<end }
  }

  /// The text with the pieces, but also with what was removed.
  private(set) var bytes: [UInt8]
  private(set) var pieces: [Piece]

  init(_ text: NormalizedText) {
    bytes = text.bytes
    pieces = bytes.isEmpty ? [] : [Piece(start: 0, end: bytes.count, isStart: text.isStart)]
  }

  /// Splits each piece into the parts that a closure appends.
  @inline(never)
  mutating func split(
    _ behavior: PieceSplitter.Behavior = .isolated,
    _ body: (_ text: [UInt8], _ piece: Range<Int>, _ parts: inout PieceSplitter) throws -> Void
  ) rethrows {
    var parts = PieceSplitter(behavior)
    parts.pieces.reserveCapacity(pieces.count + bytes.count / 4)
    for piece in pieces {
      parts.source = piece
      try body(bytes, piece.range, &parts)
      parts.finish()
    }
    pieces = parts.pieces
  }

  /// Splits each piece at a scalar, and at those with a property.
  mutating func split(
    _ behavior: PieceSplitter.Behavior, at delimiter: UInt32?, or properties: ScalarClass = []
  ) {
    split(behavior) { text, piece, parts in
      var index = piece.lowerBound
      var last = index
      while index < piece.upperBound {
        let scalar = text.scalar(at: index)
        if scalar.value == delimiter
          || !ScalarClass.of(scalar.value).isDisjoint(with: properties)
        {
          parts.append(last, index, isDelimiter: false)
          last = index + scalar.length
          parts.append(index, last, isDelimiter: true)
        }
        index += scalar.length
      }
      parts.append(last, piece.upperBound, isDelimiter: false)
    }
  }

  /// Splits each piece where a pattern matches, or everywhere else.
  mutating func split(
    _ behavior: PieceSplitter.Behavior, _ pattern: TextPattern, isInverted: Bool = false
  ) throws {
    try split(behavior) { text, piece, parts in
      var last = piece.lowerBound
      try pattern.forEachMatch(text, piece) { match in
        parts.append(last, match.lowerBound, isDelimiter: isInverted)
        last = match.upperBound
        parts.append(match.lowerBound, last, isDelimiter: !isInverted, isMatch: true)
      }
      parts.append(last, piece.upperBound, isDelimiter: isInverted)
    }
  }

  /// Replaces the text of each piece with what a closure appends.
  @inline(never)
  mutating func replace(
    _ body: (_ text: [UInt8], _ piece: Piece, _ result: inout [UInt8]) -> Void
  ) {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 4)
    for index in pieces.indices {
      let start = result.count
      body(bytes, pieces[index], &result)
      pieces[index].start = start
      pieces[index].end = result.count
    }
    bytes = result
  }
}

/// The parts into which a piece is split, in order.
struct PieceSplitter {
  /// What happens to the delimiters between parts.
  enum Behavior: CaseIterable {
    case removed
    case isolated
    case mergedWithPrevious
    case mergedWithNext
    case contiguous
  }

  fileprivate(set) var pieces: [PieceList.Piece] = []
  fileprivate var source = PieceList.Piece(start: 0, end: 0, isStart: false)
  private let behavior: Behavior
  /// The part that the next one may extend.
  private var pending: (start: Int, end: Int)?
  private var wasDelimiter = false

  fileprivate init(_ behavior: Behavior) { self.behavior = behavior }

  /// Adds a part if it isn't empty.
  @inline(__always)
  mutating func add(_ start: Int, _ end: Int) {
    guard start < end else { return }
    let isStart = source.isStart && start == source.start
    pieces.append(PieceList.Piece(start: start, end: end, isStart: isStart))
  }

  /// Adds a part, or merges it with its neighbor.
  mutating func append(_ start: Int, _ end: Int, isDelimiter: Bool, isMatch: Bool = false) {
    // Only what a pattern matches can be an empty part, which separates its neighbors.
    guard start < end || isMatch else { return }
    var extends = false
    switch behavior {
    case .isolated:
      add(start, end)
      return
    case .removed:
      if !isDelimiter { add(start, end) }
      return
    case .contiguous: extends = isDelimiter == wasDelimiter
    case .mergedWithPrevious: extends = isDelimiter && !wasDelimiter
    case .mergedWithNext: extends = !isDelimiter && wasDelimiter
    }
    wasDelimiter = isDelimiter
    if extends, let first = pending {
      pending = (first.start, end)
    } else {
      if let pending { add(pending.start, pending.end) }
      pending = (start, end)
    }
  }

  fileprivate mutating func finish() {
    if let pending { add(pending.start, pending.end) }
    pending = nil
    wasDelimiter = false
  }
}
