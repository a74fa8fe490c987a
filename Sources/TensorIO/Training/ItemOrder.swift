// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The order in which an epoch sees the items.
struct ItemOrder: Sendable {
  private let indexes: [Int]
  /// The items of each class, if classes are balanced.
  private let classes: [[Int]]

  /// Makes an order of these items.
  ///
  /// - Parameters:
  ///   - indexes: The items.
  ///   - classOf: Returns the class of an item, if classes are balanced.
  init(_ indexes: [Int], balancing classOf: ((Int) -> Int)? = nil) {
    self.indexes = indexes
    guard let classOf else {
      classes = []
      return
    }
    let groups = Dictionary(grouping: indexes, by: classOf)
    classes = groups.keys.sorted().map { groups[$0] ?? [] }
  }

  /// The number of items in an epoch.
  var count: Int { classes.isEmpty ? indexes.count : classes.count * largest }

  private var largest: Int { classes.map(\.count).max() ?? 0 }

  /// Returns the items of an epoch.
  ///
  /// Balanced classes have as many items each as the largest has: all of its own, as often as they
  /// fit, and some of them once more.
  func items(shuffles: Bool, _ generator: inout SplitMix64) -> [Int] {
    guard !classes.isEmpty else { return shuffles ? generator.shuffled(indexes) : indexes }
    var all: [Int] = []
    all.reserveCapacity(count)
    for items in classes {
      let (whole, rest) = largest.quotientAndRemainder(dividingBy: items.count)
      for _ in 0..<whole { all += items }
      all += generator.shuffled(items).prefix(rest)
    }
    return shuffles ? generator.shuffled(all) : all
  }
}
