// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension EditCounts {
  /// The largest product of two texts' numbers of tokens, which takes about a minute.
  package static let maximumSteps = 10_000_000_000

  /// Compares the words of two texts.
  ///
  /// Words are separated by white space. They are equal if they have the same code points.
  ///
  /// - Throws: ``MetricMathError`` if the texts are too long to be compared.
  package init(words truth: String, _ prediction: String) throws(MetricMathError) {
    try self.init(Self.words(truth), Self.words(prediction))
  }

  /// Compares the code points of two texts, without white space at their ends.
  ///
  /// - Throws: ``MetricMathError`` if the texts are too long to be compared.
  package init(characters truth: String, _ prediction: String) throws(MetricMathError) {
    try self.init(numbered: Self.characters(truth), Self.characters(prediction))
  }

  /// Compares tokens.
  ///
  /// - Throws: ``MetricMathError`` if there are too many to be compared.
  package init<Token: Hashable>(
    _ truth: [Token], _ prediction: [Token]
  ) throws(MetricMathError) {
    var numbers: [Token: UInt32] = [:]
    func number(_ token: Token) -> UInt32 {
      if let number = numbers[token] { return number }
      let number = UInt32(truncatingIfNeeded: numbers.count)
      numbers[token] = number
      return number
    }
    try self.init(numbered: truth.map(number), prediction.map(number))
  }

  private init(numbered truth: [UInt32], _ prediction: [UInt32]) throws(MetricMathError) {
    let shorter = min(truth.count, prediction.count)
    var start = 0
    while start < shorter, truth[start] == prediction[start] { start += 1 }
    var end = 0
    while end < shorter - start,
      truth[truth.count - 1 - end] == prediction[prediction.count - 1 - end]
    { end += 1 }
    let left = Array(truth[start..<(truth.count - end)])
    let right = Array(prediction[start..<(prediction.count - end)])
    let (steps, overflow) = left.count.multipliedReportingOverflow(by: right.count)
    guard !overflow, steps <= Self.maximumSteps else {
      throw MetricMathError(
        "Texts of \(truth.count) and \(prediction.count) tokens are too long to be compared: the "
          + "product of their lengths must be at most \(Self.maximumSteps). Divide them into "
          + "sentences.")
    }
    let (distance, substitutions) = Self.distance(left, right)
    let deletions = (distance - substitutions + left.count - right.count) / 2
    self.init(
      hits: truth.count - substitutions - deletions, substitutions: substitutions,
      deletions: deletions, insertions: distance - substitutions - deletions, pairs: 1,
      exactPairs: distance == 0 ? 1 : 0)
  }

  /// The smallest number of changes, and the number of substitutions among them.
  ///
  /// Only one row of each table is kept. The numbers of deletions and insertions aren't, because
  /// their sum and their difference are known.
  private static func distance(
    _ truth: [UInt32], _ prediction: [UInt32]
  ) -> (distance: Int, substitutions: Int) {
    var cells: [(distance: Int32, substitutions: Int32)] = (0...prediction.count).map {
      (Int32(truncatingIfNeeded: $0), 0)
    }
    let columns = prediction.span
    for (row, token) in truth.enumerated() {
      var corner = cells[0]
      var left: (distance: Int32, substitutions: Int32) = (Int32(truncatingIfNeeded: row + 1), 0)
      cells[0] = left
      for column in columns.indices {
        let up = cells[column + 1]
        let change: Int32 = token == columns[column] ? 0 : 1
        let best = min(corner.distance &+ change, min(up.distance, left.distance) &+ 1)
        // The order of these tests decides between equally short lists of changes. It is the order
        // of RapidFuzz, which jiwer calls.
        let isInsertion = left.distance &+ 1 == corner.distance
        let others = isInsertion ? left.substitutions : corner.substitutions &+ change
        left = (best, best == up.distance &+ 1 ? up.substitutions : others)
        corner = up
        cells[column + 1] = left
      }
    }
    return (Int(cells[prediction.count].distance), Int(cells[prediction.count].substitutions))
  }

  private static func words(_ text: String) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    for scalar in text.unicodeScalars {
      if isSpace(scalar) {
        if !word.isEmpty { words.append(word) }
        word.removeAll()
      } else {
        word += UTF8.encode(scalar) ?? .init()
      }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  private static func characters(_ text: String) -> [UInt32] {
    let scalars = Array(text.unicodeScalars)
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return [] }
    return scalars[first...last].map(\.value)
  }

  /// Whether Python's `str.isspace` is true.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? (0x9...0xD).contains(scalar.value) || (0x1C...0x20).contains(scalar.value)
      : scalar.properties.isWhitespace
  }
}
