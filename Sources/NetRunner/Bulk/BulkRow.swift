// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// The result of one image in a bulk run.
public struct BulkRow: Sendable, Codable, Hashable {
  /// The result, in the format that Net Runner has always exported, with some additional fields.
  public var result: ResultRow
  /// Identifies the model, preprocessing and settings that made the row: 16 hexadecimal digits.
  public var run: String
  /// The part of a manifest that a file of rows is, in the first row of the file; otherwise nil.
  package var part: BulkPart?
  /// The row's place in an archive that is an item of a manifest; otherwise nil.
  package var place: ArchivePlace?

  /// Whether the row says that an archive was read to its end, instead of describing a sample.
  package var isEnd: Bool { place?.rows != nil && !result.error }

  private enum CodingKeys: String, CodingKey {
    case run, part, member, members
  }
}

/// The place of a row in an archive that is an item of a manifest.
package enum ArchivePlace: Sendable, Hashable {
  /// The row of a file in the archive, by the index of the file.
  case member(Int)
  /// The last row of the archive, after a number of others.
  ///
  /// It has the archive's name. If its result isn't an error, the archive was read to its end.
  case end(members: Int)

  /// The index of the file; nil for the last row.
  var index: Int? { if case .member(let index) = self { index } else { nil } }

  /// The number of the other rows; nil for a file's row.
  var rows: Int? { if case .end(let members) = self { members } else { nil } }
}

extension BulkRow {
  /// Decodes the result and the run from the same object.
  public init(from decoder: any Decoder) throws {
    result = try ResultRow(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    run = try container.decode(String.self, forKey: .run)
    part = try container.decodeIfPresent(BulkPart.self, forKey: .part)
    place = ArchivePlace(
      member: try container.decodeIfPresent(Int.self, forKey: .member),
      members: try container.decodeIfPresent(Int.self, forKey: .members))
  }

  /// Encodes the result and the run into the same object.
  public func encode(to encoder: any Encoder) throws {
    try result.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(run, forKey: .run)
    try container.encodeIfPresent(part, forKey: .part)
    try container.encodeIfPresent(place?.index, forKey: .member)
    try container.encodeIfPresent(place?.rows, forKey: .members)
  }
}

extension ArchivePlace {
  /// Creates a place from the values that a row has for it, or nil without them.
  init?(member: Int?, members: Int?) {
    if let members, members >= 0 {
      self = .end(members: members)
    } else if let member, member >= 0 {
      self = .member(member)
    } else {
      return nil
    }
  }
}

/// Stores the rows of a bulk run, so that an interrupted run can be resumed.
public protocol BulkLog: AnyObject {
  /// Calls a closure with each row, in the order in which the rows were added.
  ///
  /// - Throws: `TensorIOError` if the file can't be read, or what the closure throws.
  func forEachRow(_ body: (BulkRow) throws -> Void) throws

  /// Appends rows.
  ///
  /// If the process is killed meanwhile, only the first few may be stored.
  ///
  /// - Throws: `TensorIOError` if the file can't be written.
  func append(_ rows: [BulkRow]) throws

  /// Removes the rows of images that failed, so that they are run again.
  ///
  /// The last row of an archive in which images failed is removed, too, so that the archive is read
  /// again.
  ///
  /// - Parameter models: The identifiers of the models whose rows are removed.
  /// - Throws: `TensorIOError` if the file can't be written.
  func removeFailures(of models: Set<String>) throws

  /// Flushes everything to the disk.
  ///
  /// - Throws: `TensorIOError` if the file can't be written.
  func flush() throws
}

/// Keeps other runs from writing to the same results for as long as this object exists.
///
/// The lock is held on a separate file, so that people can read the results at any time. The system
/// releases the lock when the process is killed. The lock file then remains, which is harmless.
final class LogLock {
  private let path: String
  private let lock: FileLock

  init(for results: String) throws {
    path = results + ".lock"
    let lock: FileLock?
    do {
      lock = try Self.lock(path)
    } catch {
      throw TensorIOError(.unwritableFile, "'\(path)' cannot be created: \(error.reason).")
    }
    guard let lock else {
      throw TensorIOError(
        .unreadableFile,
        "Another run is writing to '\(results)'. Wait for it, or name another file.")
    }
    self.lock = lock
  }

  deinit { try? FileOperations.remove(path) }

  /// Locks a file, and creates it if it is missing.
  ///
  /// The run before removes the file when it ends. A lock on a removed file would exclude nobody.
  /// The locking is therefore repeated if the name now belongs to another file, or to none.
  ///
  /// - Returns: The lock, or nil if another run holds it.
  private static func lock(_ path: String) throws(FileError) -> FileLock? {
    while true {
      // While the file is open, its number isn't given to another file. If the name belongs to it
      // before and after the locking, it is the locked one.
      let file = try OpenFile(writing: path, permissions: 0o644)
      guard let lock = try FileLock.waitingBriefly(on: path, creatingWith: 0o644) else {
        return nil
      }
      let after = try FileStatus(of: path, followsLinks: false)
      // This is read last, so that the file is open until then.
      let before = try file.status
      if after?.device == before.device, after?.number == before.number { return lock }
    }
  }
}
