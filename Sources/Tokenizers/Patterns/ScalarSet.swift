// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// A set of Unicode scalars, such as `[^\s\p{L}]`.
struct ScalarSet: Sendable {
  private var ranges: [ClosedRange<UInt32>] = []
  /// The general categories, as bits.
  private var categories: UInt32 = 0
  private var properties: ScalarClass = []
  /// Sets whose scalars are in this one, too.
  private var sets: [ScalarSet] = []
  var isNegated = false

  mutating func insert(_ range: ClosedRange<UInt32>) { ranges.append(range) }

  mutating func insert(_ set: ScalarSet) { sets.append(set) }

  /// Makes a set of the scalars with a property.
  init(_ properties: ScalarClass = [], isNegated: Bool = false) {
    self.properties = properties
    self.isNegated = isNegated
  }

  /// Makes a set of a general category, such as `Lu`, or of all that start with a letter.
  init?(category name: String, isNegated: Bool) {
    let letters = Array(name.utf8)
    guard 1...2 ~= letters.count else { return nil }
    let names = ScalarClass.names
    for index in 0..<(names.count / 2) where names[2 * index] == letters[0] {
      if letters.count == 1 || names[2 * index + 1] == letters[1] {
        categories |= 1 << UInt32(index)
      }
    }
    guard categories != 0 else { return nil }
    self.isNegated = isNegated
  }

  /// Whether the set has a scalar.
  func contains(_ value: UInt32) -> Bool {
    let own = ScalarClass.of(value)
    var isMatch = categories >> UInt32(own.category) & 1 != 0
    isMatch = isMatch || !own.isDisjoint(with: properties)
    for range in ranges where !isMatch { isMatch = range.contains(value) }
    for set in sets where !isMatch { isMatch = set.contains(value) }
    return isMatch != isNegated
  }
}
