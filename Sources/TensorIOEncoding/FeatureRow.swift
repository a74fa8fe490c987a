// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// A row of a table, for an input of the type `features`.
///
/// ```swift
/// let outputs = try model.run(FeatureRow(["age": .number(39), "city": .string("Bern")]))
/// ```
///
/// Writing it to a tensor normalizes and encodes each column as model.json describes.
public struct FeatureRow: Sendable, Hashable {
  /// The values by the names of the columns: numbers, text, booleans, or null for missing ones.
  ///
  /// Columns that the layer doesn't name are ignored. Text is read as a number where the layer takes
  /// one, because the cells of a CSV file are text.
  public var columns: [String: JSONValue]

  /// Makes a row.
  public init(_ columns: [String: JSONValue]) { self.columns = columns }
}

extension FeatureRow: TensorEncodable {
  public static var tensorKindName: String { "a row of a table" }
  public var tensorElementCount: Int? { nil }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    let coding = try spec.coding("features", for: Self.self)
    let encoder = try coding.prepared { try FeatureEncoder(coding) }
    try encoder.values(of: columns, for: spec).encode(into: &memory, as: spec)
  }
}
