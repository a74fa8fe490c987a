// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Says which part of which manifest the rows of a file are.
package struct BulkPart: Sendable, Codable, Hashable {
  /// The SHA-256 that identifies the manifest.
  package var manifest: String
  /// The number of items in the manifest.
  package var items: Int
  /// The number of the part, from 1.
  package var index: Int
  /// The number of parts.
  package var count: Int
  /// The number of rows of all models, if the rows are merged and some are of archives.
  ///
  /// Their indices count rows instead of the manifest's items.
  package var rows: Int?

  /// The part as it is written after `--part`.
  var argument: String { "\(index)/\(count)" }

  /// The whole that the part belongs to.
  var whole: BulkPart { BulkPart(manifest: manifest, items: items, index: 1, count: 1) }

  /// The number of items that the part has.
  var share: Int { PartRecord(index: index, count: count).share(of: items) }

  /// Whether such a part can exist.
  var isPossible: Bool {
    items > 0 && count > 0 && index > 0 && index <= count && (rows == nil || count == 1)
  }
}

extension BulkPart: CustomStringConvertible {
  package var description: String {
    let name = "manifest \(manifest.prefix(16))"
    if rows != nil { return "the merged parts of the \(name)" }
    return count == 1 ? "the whole \(name)" : "part \(index) of \(count) of the \(name)"
  }
}

extension PartRecord {
  /// The number of items that the part has, if it takes every `count`th one.
  func share(of items: Int) -> Int { items < index ? 0 : (items - index) / count + 1 }
}

/// A log that says which part of a manifest its rows are.
package protocol PartLog: BulkLog {
  /// The path of the file.
  var path: String { get }
  /// Whether the file has no rows.
  var isEmpty: Bool { get throws }

  /// Returns the part, or nil for a run without a manifest.
  func storedPart() throws -> BulkPart?

  /// Stores the part of a log that has no rows yet.
  func store(_ part: BulkPart) throws

  /// Calls a closure with each row, without the part, and with its line of JSON.
  ///
  /// - Throws: `TensorIOError` if the file can't be read, or what the closure throws.
  func forEachStoredRow(_ body: (BulkRow, String) throws -> Void) throws
}

extension PartLog {
  /// Prepares the log for the rows of a part, or of a run without a manifest.
  ///
  /// - Throws: `TensorIOError` if the log has rows of something else, or can't be written.
  package func begin(_ part: BulkPart?) throws {
    let stored = try storedPart()
    if stored == part { return }
    if stored == nil, let part, try isEmpty { return try store(part) }
    if let stored, stored.rows != nil, stored.whole == part {
      throw TensorIOError(
        .invalidOption,
        "'\(path)' has \(stored), which has archives, so its rows no longer say which files of them "
          + "were run. Name another file for the results. To run failed samples again, use --resume "
          + "--retry-failed with each part, and merge the parts again.")
    }
    throw TensorIOError(
      .invalidOption,
      "'\(path)' has rows of \(stored?.description ?? "a run without a manifest"), but this run is "
        + "\(part?.description ?? "one without a manifest"). Name another file for the results. In a "
        + "name such as 'rows-{part}.sqlite', {part} stands for the part.")
  }
}
