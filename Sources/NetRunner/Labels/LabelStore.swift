// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import GRDB
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Labels that people give photos, for each model of its own, in a SQLite file.
///
/// ```swift
/// let store = try LabelStore(path: "photos/labels.sqlite")
/// try store.setLabel(.text("rocking chair"), of: "photos/01.jpg", for: "mobilenet-v2")
/// ```
///
/// A photo is known by its path and its bytes: a label follows a photo that was moved, and does not
/// pass to another one of the same name. Several threads and processes can use a file at once, and
/// a process that is killed loses no label that was set.
public final class LabelStore: Sendable {
  /// The file.
  public let path: String
  /// The folder that photos' paths begin in, without links.
  public let root: String

  let database: DatabasePool

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - root: The folder that photos' paths begin in; photos outside of it have whole paths. A new
  ///     file keeps it, as a path from the file's own folder, so that both can be moved together;
  ///     nil means what the file keeps, and for a new one its own folder.
  ///   - creates: Whether a file that is not there is made.
  ///   - busyTimeout: How many seconds other processes are waited for.
  /// - Throws: `TensorIOError` for a file that is no store, or is newer than this program.
  public init(
    path: String, root: String? = nil, creates: Bool = true, busyTimeout: Double = 10
  ) throws {
    guard !FileSystem.isFolder(path) else {
      throw TensorIOError(.unreadableFile, "'\(path)' is a folder; a label store is a file.")
    }
    guard creates || FileSystem.isFile(path) else {
      throw TensorIOError(.fileNotFound, "There is no label store '\(path)'.")
    }
    guard let folder = PictureFolder.realPath(FileSystem.folder(of: path)) else {
      throw TensorIOError(
        .fileNotFound, "There is no folder '\(FileSystem.folder(of: path))' for a label store.")
    }
    let wanted = try root.map { root in
      guard let real = PictureFolder.realPath(root), FileSystem.isFolder(real) else {
        throw TensorIOError(.fileNotFound, "There is no folder '\(root)'.")
      }
      return real
    }
    self.path = path
    database = try Self.open(path, busyTimeout: busyTimeout)
    do {
      self.root = try Self.root(database, wanted, folder: folder)
    } catch let error as DatabaseError {
      throw Self.explained(error, path)
    }
  }

  // MARK: - Changing

  /// Sets a photo's label; one that it has is replaced.
  ///
  /// - Parameters:
  ///   - label: The label.
  ///   - photo: The photo's path.
  ///   - model: The model's identifier.
  /// - Throws: `TensorIOError` for a photo that cannot be read, or a label that says nothing.
  public func setLabel(_ label: PhotoLabel, of photo: String, for model: String) throws {
    let hashed = try Photo(path: key(of: photo), sha256: Self.sha256(of: photo))
    try setLabels([(hashed, label)], for: model)
  }

  /// Removes a photo's label.
  ///
  /// - Parameters:
  ///   - photo: The photo's path, or the one that ``labels(for:)`` tells; the photo itself may be
  ///     gone.
  ///   - model: The model's identifier.
  /// - Returns: Whether there was one.
  /// - Throws: `TensorIOError` when the file cannot be written.
  @discardableResult
  public func removeLabel(of photo: String, for model: String) throws -> Bool {
    try write { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT photo.id, label.label FROM label JOIN photo ON photo.id = label.photo
          WHERE model = ? AND path IN (?, ?)
          """, arguments: [model, key(of: photo), photo])
      let step = try Self.nextStep(database)
      for row in rows {
        try Self.change(database, step, model, row["id"], before: row["label"], after: nil)
      }
      return !rows.isEmpty
    }
  }

  /// Takes back the last change, or the last import.
  ///
  /// Called again it takes back the change before.
  ///
  /// - Parameter model: Only changes of this model's labels; nil means all.
  /// - Returns: What was taken back; empty when there was nothing.
  /// - Throws: `TensorIOError` when the file cannot be written.
  @discardableResult
  public func undo(for model: String? = nil) throws -> [LabelChange] {
    try write { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT change.*, path FROM change JOIN photo ON photo.id = change.photo
          WHERE step = (SELECT MAX(step) FROM change WHERE ?1 IS NULL OR model = ?1)
          ORDER BY change.id DESC
          """, arguments: [model])
      for row in rows {
        try Self.put(database, row["model"], row["photo"], row["before"])
        try database.execute(
          sql: "DELETE FROM change WHERE id = ?", arguments: [row["id"] as Int64])
      }
      return try rows.map { row in
        LabelChange(
          model: row["model"], photo: row["path"], before: try Self.label(row["before"]),
          after: try Self.label(row["after"]))
      }
    }
  }

  /// A photo as it is in the file system now.
  struct Photo {
    var path: String
    var sha256: String
  }

  /// Sets labels in one step, which ``undo(for:)`` takes back as one.
  func setLabels(_ labels: [(Photo, PhotoLabel)], for model: String) throws {
    guard !model.isEmpty else {
      throw TensorIOError(.wrongKind, "A label belongs to a model; its identifier is empty.")
    }
    for (_, label) in labels { try label.check() }
    try write { database in
      let step = try Self.nextStep(database)
      for (photo, label) in labels {
        let id = try self.id(database, of: photo)
        let rows = try Row.fetchAll(
          database,
          sql: """
            SELECT photo.id, label.label FROM label JOIN photo ON photo.id = label.photo
            WHERE model = ? AND path = ?
            """, arguments: [model, photo.path])
        // The label of another picture that had the name before goes away.
        for row in rows where row["id"] != id {
          try Self.change(database, step, model, row["id"], before: row["label"], after: nil)
        }
        let before: String? = rows.first { $0["id"] == id }.map { $0["label"] }
        let after = try Self.json(label)
        if before != after {
          try Self.change(database, step, model, id, before: before, after: after)
        }
      }
    }
  }

  // MARK: - Reading

  /// A photo's label; nil without one, and where the label is another picture's that had the name.
  ///
  /// - Parameters:
  ///   - photo: The photo's path.
  ///   - model: The model's identifier.
  /// - Returns: The label.
  /// - Throws: `TensorIOError` when the photo or the file cannot be read.
  public func label(of photo: String, for model: String) throws -> PhotoLabel? {
    let key = self.key(of: photo)
    let sha256 = try Self.sha256(of: photo)
    return try read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT path, label FROM label JOIN photo ON photo.id = label.photo
          WHERE model = ? AND sha256 = ? ORDER BY path
          """, arguments: [model, sha256])
      let row =
        rows.first { $0["path"] == key }
        ?? rows.first { !FileSystem.isFile(self.place(of: $0["path"])) }
      return try Self.label(row?["label"])
    }
  }

  /// The photos that have a label for a model, in the order of their paths' bytes.
  ///
  /// - Throws: `TensorIOError` when the file cannot be read.
  public func labels(for model: String) throws -> [LabelledPhoto] {
    try read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT path, sha256, label FROM label JOIN photo ON photo.id = label.photo
          WHERE model = ? ORDER BY path, sha256
          """, arguments: [model])
      return try rows.compactMap { row in
        try Self.label(row["label"]).map {
          LabelledPhoto(path: row["path"], sha256: row["sha256"], label: $0)
        }
      }
    }
  }

  /// How many photos have a label, by the models' identifiers.
  public var counts: [String: Int] {
    get throws {
      try read { database in
        let rows = try Row.fetchAll(
          database, sql: "SELECT model, COUNT(*) AS count FROM label GROUP BY model")
        return Dictionary(rows.map { ($0["model"], $0["count"]) }) { $1 }
      }
    }
  }

  /// How many of some photos have a label: those whose paths do.
  ///
  /// - Parameters:
  ///   - model: The model's identifier.
  ///   - photos: The photos' paths.
  /// - Returns: The photos without a label, in their order, and how many there are in all.
  /// - Throws: `TensorIOError` when the file cannot be read.
  public func progress(
    for model: String, among photos: [String]
  ) throws -> (unlabelled: [String], count: Int) {
    let labelled = try Set(labels(for: model).map(\.path))
    return (photos.filter { !labelled.contains(key(of: $0)) }, photos.count)
  }
}

// MARK: - Rows

extension LabelStore {
  func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try database.read(body)
    } catch let error as DatabaseError {
      throw Self.explained(error, path)
    }
  }

  func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try database.write(body)
    } catch let error as DatabaseError {
      throw Self.explained(error, path)
    }
  }

  private static func nextStep(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT COALESCE(MAX(step), 0) + 1 FROM change") ?? 1
  }

  /// The row of a photo: one of its path and bytes, or of its bytes at a path where nothing is now.
  private func id(_ database: Database, of photo: Photo) throws -> Int64 {
    let rows = try Row.fetchAll(
      database, sql: "SELECT id, path FROM photo WHERE sha256 = ? ORDER BY id",
      arguments: [photo.sha256])
    if let row = rows.first(where: { $0["path"] == photo.path }) { return row["id"] }
    if let row = rows.first(where: { !FileSystem.isFile(place(of: $0["path"])) }) {
      try database.execute(
        sql: "UPDATE photo SET path = ? WHERE id = ?", arguments: [photo.path, row["id"] as Int64])
      return row["id"]
    }
    try database.execute(
      sql: "INSERT INTO photo (path, sha256) VALUES (?, ?)",
      arguments: [photo.path, photo.sha256])
    return database.lastInsertedRowID
  }

  /// Keeps what was, and makes the change.
  private static func change(
    _ database: Database, _ step: Int64, _ model: String, _ photo: Int64, before: String?,
    after: String?
  ) throws {
    try database.execute(
      sql: "INSERT INTO change (step, model, photo, before, after) VALUES (?, ?, ?, ?, ?)",
      arguments: [step, model, photo, before, after])
    try put(database, model, photo, after)
  }

  private static func put(
    _ database: Database, _ model: String, _ photo: Int64, _ label: String?
  ) throws {
    if let label {
      try database.execute(
        sql: "INSERT OR REPLACE INTO label (model, photo, label) VALUES (?, ?, ?)",
        arguments: [model, photo, label])
    } else {
      try database.execute(
        sql: "DELETE FROM label WHERE model = ? AND photo = ?", arguments: [model, photo])
    }
  }

  private static func json(_ label: PhotoLabel) throws -> String {
    String(decoding: try JSONEncoder().encode(label), as: UTF8.self)
  }

  private static func label(_ json: String?) throws -> PhotoLabel? {
    guard let json else { return nil }
    do {
      return try JSONDecoder().decode(PhotoLabel.self, from: Data(json.utf8))
    } catch {
      throw TensorIOError(
        .unreadableFile, "The label store has a label that cannot be read: \(json).", cause: error)
    }
  }
}
