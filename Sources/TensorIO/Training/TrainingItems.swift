// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The items of a data source, whatever its type.
struct TrainingItems: Sendable {
  let count: Int
  /// What errors call an item.
  var name: @Sendable (Int) -> String

  private let item: @Sendable (Int) -> Batch.Item

  init(_ items: some RandomAccessCollection<Batch.Item> & Sendable, called noun: String) {
    count = items.count
    item = { items[items.index(items.startIndex, offsetBy: $0)] }
    name = { "Item \($0) of the \(noun)" }
  }

  /// The items of some places, as a batch whose errors name those places.
  func batch(of places: ArraySlice<Int>, keys: [String]) throws -> Batch {
    var batch = Batch(keys: keys)
    let (name, first) = (name, places.startIndex)
    batch.nameOfItem = { row in name(places[first + row]) }
    for place in places { try batch.addItem(item(place)) }
    return batch
  }
}
