// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Items that a model is trained on together: a table with a row for each item and a column for
/// each input.
///
/// ```swift
/// var batch = Batch(keys: ["image", "labels"])
/// try batch.addItem(["image": cat, "labels": 0])
/// try batch.addItem(["image": dog, "labels": 1])
/// let loss: Float = try model.train(batch)["loss"]
/// ```
public struct Batch: Sendable {
  /// A value for each input, by name.
  public typealias Item = [String: any TensorEncodable]

  /// The names of the inputs, which are the columns.
  public let keys: [String]
  /// The items, which are the rows.
  public private(set) var items: [Item] = []
  /// Returns the name that errors use for an item, if the batch is part of a larger data source.
  var nameOfItem: (@Sendable (Int) -> String)?
  /// How the items are mixed with each other when they are encoded; nil if they aren't.
  package var mix: BatchMix?

  /// Makes an empty batch.
  ///
  /// - Parameter keys: The names of the inputs, which must be unique.
  public init(keys: [String]) {
    precondition(Set(keys).count == keys.count, "The keys of a batch must be unique.")
    self.keys = keys
  }

  /// Makes a batch of items.
  ///
  /// - Throws: ``TensorIOError`` when the names of an item's values are not the keys.
  public init(keys: [String], items: some Sequence<Item>) throws {
    self.init(keys: keys)
    for item in items { try addItem(item) }
  }

  /// The number of items.
  public var count: Int { items.count }

  /// Adds an item.
  ///
  /// - Throws: ``TensorIOError`` when a value is missing, or when its name is not one of the keys.
  ///   The batch is then unchanged.
  public mutating func addItem(_ item: Item) throws {
    func row() -> String { nameOfItem?(count) ?? "Item \(count)" }
    for name in item.keys.sorted() where !keys.contains(name) {
      throw TensorIOError(
        .unknownInput,
        "\(row()) has a value for '\(name)', which isn't one of the batch's keys "
          + "(\(quotedList(keys))).")
    }
    for key in keys where item[key] == nil {
      throw TensorIOError(.missingInput, "\(row()) has no value for '\(key)'.")
    }
    items.append(item)
  }

  /// The values of one input, in the order of the items; nil when the name is not one of the keys.
  package func column(_ key: String) -> [any TensorEncodable]? {
    guard keys.contains(key) else { return nil }
    return items.compactMap { $0[key] }
  }
}
