// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What became of one picture in a bulk run.
public struct BulkRow: Sendable, Codable, Hashable {
  /// The row, as Net Runner always exported it, and a little more.
  public var result: ResultRow
  /// Tells rows of the same model, preprocessing and settings from others: 16 hexadecimal digits.
  public var run: String

  /// Makes a row.
  public init(_ result: ResultRow, run: String) {
    self.result = result
    self.run = run
  }

  private enum CodingKeys: String, CodingKey {
    case run
  }

  /// Reads the members of both from one object.
  public init(from decoder: any Decoder) throws {
    result = try ResultRow(from: decoder)
    run = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .run)
  }

  /// Writes the members of both into one object.
  public func encode(to encoder: any Encoder) throws {
    try result.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(run, forKey: .run)
  }
}

/// Where a bulk run keeps its rows, so that it can go on after it was killed.
public protocol BulkLog: AnyObject {
  /// Calls a closure with all rows, in the order in which they were added.
  ///
  /// - Throws: `TensorIOError` when the file cannot be read, and what the closure throws.
  func forEachRow(_ body: (BulkRow) throws -> Void) throws

  /// Adds rows: all of them, or after a kill perhaps the first ones.
  ///
  /// - Throws: `TensorIOError` when the file cannot be written.
  func append(_ rows: [BulkRow]) throws

  /// Removes the rows of pictures that failed, so that these are run again.
  ///
  /// - Parameter models: The identifiers of the models whose rows are meant.
  /// - Throws: `TensorIOError` when the file cannot be written.
  func removeFailures(of models: Set<String>) throws

  /// Makes sure that everything is on the disk.
  ///
  /// - Throws: `TensorIOError` when the file cannot be written.
  func flush() throws
}
