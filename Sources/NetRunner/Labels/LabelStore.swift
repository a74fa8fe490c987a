// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import StoredRows
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An SQLite file with the labels that people give to photos, kept separately for each model.
///
/// ```swift
/// let store = try LabelStore(path: "photos/labels.sqlite")
/// try store.setLabel(.text("rocking chair"), of: "photos/01.jpg", for: "mobilenet-v2")
/// ```
///
/// A photo is identified by its path and its bytes. A label follows a photo that was moved, and
/// doesn't pass to another photo with the same name. Several threads and processes can use a file
/// at once. A label that was set isn't lost if the process is killed.
package final class LabelStore: Sendable {
  package let path: String
  /// The folder that photos' paths are relative to, without symbolic links.
  package let root: String

  let database: SQLiteFile

  /// Opens a store.
  ///
  /// Photos' paths are relative to the root; photos outside it have absolute paths. A new store
  /// records its root relative to the file's folder, so that both can be moved together. If the
  /// root is nil, the recorded root is used, and a new store uses the file's folder. Other
  /// processes are waited for until the timeout, in seconds.
  package init(
    path: String, root: String? = nil, creates: Bool = true, busyTimeout: Double = 10
  ) throws {
    guard !FileSystem.isFolder(path) else {
      throw TensorIOError(.unreadableFile, "'\(path)' is a folder; a label store is a file.")
    }
    guard creates || FileSystem.isFile(path) else {
      throw TensorIOError(.fileNotFound, "There is no label store '\(path)'.")
    }
    guard let folder = FileOperations.realPath(FileSystem.folder(of: path)) else {
      throw TensorIOError(
        .fileNotFound, "There is no folder '\(FileSystem.folder(of: path))' for a label store.")
    }
    let wanted = try root.map { root in
      guard let real = FileOperations.realPath(root), FileSystem.isFolder(real) else {
        throw TensorIOError(.fileNotFound, "There is no folder '\(root)'.")
      }
      return real
    }
    self.path = path
    database = try Self.open(path, busyTimeout: busyTimeout)
    do {
      self.root = try Self.root(database, wanted, folder: folder)
    } catch let error as SQLiteError {
      throw Self.explained(error, path)
    }
  }

  // MARK: - Changing

  package func setLabel(_ label: PhotoLabel, of photo: String, for model: String) throws {
    let hashed = try Photo(path: key(of: photo), sha256: Self.sha256(of: photo))
    try setLabels([(hashed, label)], for: model)
  }

  /// Removes a photo's label, and returns whether it had one.
  ///
  /// The path can also be the one that ``labels(for:)`` returns. The photo itself may be missing.
  @discardableResult
  package func removeLabel(of photo: String, for model: String) throws -> Bool {
    try write { database in
      let rows = try Self.rows(
        database, "label",
        """
        SELECT photo.id, label.label FROM label JOIN photo ON photo.id = label.photo
        WHERE model = ? AND path IN (?, ?)
        """, [model, key(of: photo), photo])
      let step = try Self.nextStep(database)
      for row in rows {
        // The text isn't decoded, so that damaged labels can be removed, too.
        try Self.change(
          database, step, model, row.integer("id"), before: row.text("label"), after: nil)
      }
      return !rows.isEmpty
    }
  }

  /// Reverts the last change or the last import of one model or of all, and returns the changes.
  ///
  /// Calling it again reverts the change before that.
  @discardableResult
  package func undo(for model: String? = nil) throws -> [LabelChange] {
    try write { database in
      let rows = try Self.rows(
        database, "change",
        """
        SELECT change.*, path FROM change JOIN photo ON photo.id = change.photo
        WHERE step = (SELECT MAX(step) FROM change WHERE ?1 IS NULL OR model = ?1)
        ORDER BY change.id DESC
        """, [model])
      for row in rows {
        try Self.put(
          database, row.text("model"), row.integer("photo"), row.optionalText("before"))
        try database.execute(
          "DELETE FROM change WHERE id = ?", [try row.integer("id")])
      }
      return try rows.map { row in
        LabelChange(
          model: try row.text("model"), photo: try row.text("path"),
          before: try Self.label(row.optionalText("before")),
          after: try Self.label(row.optionalText("after")))
      }
    }
  }

  struct Photo {
    var path: String
    var sha256: String
  }

  /// Sets labels in one step, which ``undo(for:)`` reverts as a whole.
  func setLabels(_ labels: [(Photo, PhotoLabel)], for model: String) throws {
    guard !model.isEmpty else {
      throw TensorIOError(
        .wrongKind, "A label belongs to a model, but the model's identifier is empty.")
    }
    for (_, label) in labels { try label.check() }
    try write { database in
      let step = try Self.nextStep(database)
      for (photo, label) in labels {
        let id = try self.id(database, of: photo)
        let rows = try Self.rows(
          database, "label",
          """
          SELECT photo.id, label.label FROM label JOIN photo ON photo.id = label.photo
          WHERE model = ? AND path = ?
          """, [model, photo.path]
        ).map { (id: try $0.integer("id"), label: try $0.text("label")) }
        // Remove the labels of other photos that had this path before.
        for row in rows where row.id != id {
          try Self.change(database, step, model, row.id, before: row.label, after: nil)
        }
        let before = rows.first { $0.id == id }?.label
        let after = try Self.json(label)
        if before != after {
          try Self.change(database, step, model, id, before: before, after: after)
        }
      }
    }
  }

  // MARK: - Reading

  /// Returns a photo's label, or nil if it has none.
  ///
  /// A label is found by the photo's bytes, at this path or at a path that no longer exists. A new
  /// photo that took the path of a labelled one has no label.
  package func label(of photo: String, for model: String) throws -> PhotoLabel? {
    let key = self.key(of: photo)
    let sha256 = try Self.sha256(of: photo)
    return try read { database in
      let rows = try Self.rows(
        database, "label",
        """
        SELECT path, label FROM label JOIN photo ON photo.id = label.photo
        WHERE model = ? AND sha256 = ? ORDER BY path
        """, [model, sha256])
      let row =
        try rows.first { try $0.text("path") == key }
        ?? rows.first { try !FileSystem.isFile(self.fullPath(of: $0.text("path"))) }
      return try Self.label(row?.text("label"))
    }
  }

  /// The photos that have a label for a model, sorted by the bytes of their paths.
  package func labels(for model: String) throws -> [LabelledPhoto] {
    try read { database in
      let rows = try Self.rows(
        database, "label",
        """
        SELECT path, sha256, label FROM label JOIN photo ON photo.id = label.photo
        WHERE model = ? ORDER BY path, sha256
        """, [model])
      return try rows.compactMap { row in
        let (path, sha256) = (try row.text("path"), try row.text("sha256"))
        return try Self.label(row.text("label")).map {
          LabelledPhoto(path: path, sha256: sha256, label: $0)
        }
      }
    }
  }

  /// The number of labelled photos for each model identifier.
  package var countsByModel: [String: Int] {
    get throws {
      try read { database in
        let rows = try Self.rows(
          database, "label", "SELECT model, COUNT(*) AS count FROM label GROUP BY model")
        return Dictionary(try rows.map { (try $0.text("model"), try $0.integer("count")) }) { $1 }
      }
    }
  }
}

// MARK: - Rows

extension LabelStore {
  func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try explaining { try database.read(body) }
  }

  func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try explaining { try database.write(body) }
  }

  private func explaining<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as SQLiteError {
      throw Self.explained(error, path)
    } catch let error as DamagedRow {
      throw TensorIOError(
        .unreadableFile,
        "The label store '\(path)' is damaged. \(error) Restore a copy of the file, or remove the row.",
        cause: error)
    }
  }

  /// Runs a query whose rows are checked when they are read, with errors that name the table.
  static func rows(
    _ database: SQLiteConnection, _ table: String, _ sql: String,
    _ arguments: [(any StoredValueConvertible)?] = []
  ) throws -> [CheckedRow] {
    try database.rows(sql, arguments).map {
      CheckedRow($0, of: table, key: ["id", "model", "path"])
    }
  }

  private static func nextStep(_ database: SQLiteConnection) throws -> Int {
    let rows = try rows(database, "change", "SELECT COALESCE(MAX(step), 0) AS step FROM change")
    return try (rows.first?.integer("step") ?? 0) + 1
  }

  /// Returns the ID of a photo's row, and adds a row if there is none.
  ///
  /// A row with the same bytes whose own path no longer exists belongs to a photo that was moved.
  /// Its path is updated.
  private func id(_ database: SQLiteConnection, of photo: Photo) throws -> Int {
    let rows = try Self.rows(
      database, "photo", "SELECT id, path FROM photo WHERE sha256 = ? ORDER BY id", [photo.sha256]
    ).map { (id: try $0.integer("id"), path: try $0.text("path")) }
    if let row = rows.first(where: { $0.path == photo.path }) { return row.id }
    if let row = rows.first(where: { !FileSystem.isFile(fullPath(of: $0.path)) }) {
      try database.execute(
        "UPDATE photo SET path = ? WHERE id = ?", [photo.path, row.id])
      return row.id
    }
    try database.execute(
      "INSERT INTO photo (path, sha256) VALUES (?, ?)", [photo.path, photo.sha256])
    return database.lastInsertedRowID
  }

  /// Records the old and the new label, and makes the change.
  private static func change(
    _ database: SQLiteConnection, _ step: Int, _ model: String, _ photo: Int, before: String?,
    after: String?
  ) throws {
    try database.execute(
      "INSERT INTO change (step, model, photo, before, after) VALUES (?, ?, ?, ?, ?)",
      [step, model, photo, before, after])
    try put(database, model, photo, after)
  }

  private static func put(
    _ database: SQLiteConnection, _ model: String, _ photo: Int, _ label: String?
  ) throws {
    if let label {
      try database.execute(
        "INSERT OR REPLACE INTO label (model, photo, label) VALUES (?, ?, ?)",
        [model, photo, label])
    } else {
      try database.execute(
        "DELETE FROM label WHERE model = ? AND photo = ?", [model, photo])
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
