// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The items of a data source of any type.
struct TrainingItems: Sendable {
  let count: Int
  /// Returns the name that errors use for an item.
  var name: @Sendable (Int) -> String

  private let item: @Sendable (Int) -> Batch.Item

  init(_ items: some RandomAccessCollection<Batch.Item> & Sendable, called noun: String) {
    count = items.count
    item = { items[items.index(items.startIndex, offsetBy: $0)] }
    name = { "Item \($0) of the \(noun)" }
  }

  /// Makes a batch of the items at these indices, whose errors name the items.
  func batch(of indexes: ArraySlice<Int>, keys: [String]) throws -> Batch {
    var batch = Batch(keys: keys)
    let (name, first) = (name, indexes.startIndex)
    batch.nameOfItem = { row in name(indexes[first + row]) }
    for index in indexes { try batch.addItem(item(index)) }
    return batch
  }
}
