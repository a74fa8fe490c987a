// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A regular expression that finds parts of a text as Oniguruma does.
///
/// It has what the patterns of known tokenizers use. The standard library's `Regex` isn't an
/// alternative, because it matches characters, not scalars, and by another version of Unicode.
struct TextPattern {
  /// A step of the search; distances are to other instructions.
  enum Instruction {
    /// One scalar of a set.
    case one(Int)
    /// As many scalars of a set as possible, which a later mismatch reduces unless they are kept.
    case run(Int, least: Int, most: Int, keeps: Bool)
    /// Two ways, the first of which is preferred.
    case split(Int, Int)
    case jump(Int)
    case lineStart
    case lineEnd
    /// Whether the instructions up to a distance match what follows.
    case look(isNegated: Bool, Int)
    case accept
  }

  private let program: [Instruction]
  private let sets: [ScalarSet]
  /// Whether each set has each ASCII character.
  private let ascii: [Bool]
  private let source: String

  /// Reads a regular expression.
  init(_ source: String) throws {
    var parser = PatternParser(source)
    self.init(try parser.pattern(), parser.sets, source)
  }

  /// Makes a pattern of a text without special characters.
  init(literal: [UInt8]) {
    var sets: [ScalarSet] = []
    var program: [Instruction] = []
    var index = 0
    while index < literal.count {
      let scalar = literal.scalar(at: index)
      var set = ScalarSet()
      set.insert(scalar.value...scalar.value)
      program.append(.one(sets.count))
      sets.append(set)
      index += scalar.length
    }
    self.init(program, sets, literal.text)
  }

  private init(_ program: [Instruction], _ sets: [ScalarSet], _ source: String) {
    var program = program + [.accept]
    for index in program.indices.reversed() {
      if case .jump(let distance) = program[index], case .accept = program[index + distance] {
        program[index] = .accept
      }
    }
    self.program = program
    self.sets = sets
    self.source = source
    var ascii: [Bool] = []
    for set in sets {
      for value: UInt32 in 0..<128 { ascii.append(set.contains(value)) }
    }
    self.ascii = ascii
  }

  @inline(__always)
  private func contains(_ set: Int, _ value: UInt32) -> Bool {
    value < 128 ? ascii[set << 7 | Int(value)] : sets[set].contains(value)
  }

  /// Calls a closure with the range of each match in a part of a text.
  ///
  /// - Throws: ``TokenizerError`` if the search takes too many steps.
  func forEachMatch(
    _ text: [UInt8], _ range: Range<Int>, _ body: (Range<Int>) -> Void
  ) throws {
    // An empty text has no match, not even an empty one.
    guard !range.isEmpty else { return }
    var search = Search(range: range, steps: 1_000_000 + 200 * range.count)
    var start = range.lowerBound
    var last: Int?
    while start <= range.upperBound {
      let end = try match(text, from: start, at: 0, &search)
      if let end, end > start || end != last {
        body(start..<end)
        last = end
        if end > start {
          start = end
          continue
        }
      }
      // An empty match directly after another one doesn't count.
      start += start < range.upperBound ? text.scalar(at: start).length : 1
    }
  }
}

extension TextPattern {
  /// What a search needs besides the text.
  private struct Search {
    let range: Range<Int>
    /// The steps that are left, so that a hostile pattern can't run for years.
    var steps: Int
    /// Where to go on after a mismatch: an instruction, an index, and the least index of a run.
    var ways: [(instruction: Int, index: Int, least: Int)] = []
  }

  /// Whether an instruction is the last one of a match, so that it needs no other way.
  private func isLast(_ instruction: Int) -> Bool {
    if case .accept = program[instruction + 1] { true } else { false }
  }

  /// Returns the end of a match that starts at an index.
  private func match(
    _ text: [UInt8], from start: Int, at first: Int, _ search: inout Search
  ) throws -> Int? {
    let end = search.range.upperBound
    let base = search.ways.count
    var instruction = first
    var index = start
    while true {
      search.steps -= 1
      guard search.steps > 0 else {
        throw TokenizerError("The pattern '\(source)' takes too many steps for this text.")
      }
      var isMatch = true
      switch program[instruction] {
      case .accept:
        search.ways.removeLast(search.ways.count - base)
        return index
      case .jump(let distance):
        instruction += distance
        continue
      case .split(let preferred, let other):
        // Most alternatives differ in their first character.
        if case .one(let set) = program[instruction + preferred],
          index >= end || !contains(set, text.scalar(at: index).value)
        {
          instruction += other
        } else {
          search.ways.append((instruction + other, index, index))
          instruction += preferred
        }
        continue
      case .one(let set):
        isMatch = false
        if index < end {
          let scalar = text.scalar(at: index)
          isMatch = contains(set, scalar.value)
          index += scalar.length
        }
      case .run(let set, let least, let most, let keeps):
        var count = 0
        var fewest = index
        while count < most, index < end {
          let scalar = text.scalar(at: index)
          guard contains(set, scalar.value) else { break }
          index += scalar.length
          count += 1
          if count == least { fewest = index }
        }
        isMatch = count >= least
        if count > least, !keeps, !isLast(instruction) {
          search.ways.append((instruction + 1, index, fewest))
        }
        search.steps -= count / 4
      case .lineStart:
        isMatch = index == search.range.lowerBound || index < end && text[index - 1] == 10
      case .lineEnd: isMatch = index == end || text[index] == 10
      case .look(let isNegated, let distance):
        isMatch = try match(text, from: index, at: instruction + 1, &search) == nil
        isMatch = isMatch == isNegated
        instruction += distance - 1
      }
      if isMatch {
        instruction += 1
        continue
      }
      guard search.ways.count > base, let way = search.ways.popLast() else { return nil }
      instruction = way.instruction
      index = way.index
      if way.index > way.least {
        // A run gives back one scalar.
        index = text.scalarStart(before: index)
        if index > way.least { search.ways.append((instruction, index, way.least)) }
      }
    }
  }
}

extension TextPattern {
  /// Reads a pattern, which is `{"String": …}` or `{"Regex": …}`.
  init(_ element: JSONElement) throws {
    if let literal = element["String"] {
      self.init(literal: try literal.shortBytes())
    } else if let expression = element["Regex"] {
      try self.init(expression.text())
    } else {
      throw element.failure("an object with 'String' or 'Regex'")
    }
  }
}
