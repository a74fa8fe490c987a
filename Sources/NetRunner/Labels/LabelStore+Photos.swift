// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import Hashing
import StoredRows
import TensorIO

extension LabelStore {
  /// Checks whether a photo has changed or disappeared since it was labelled.
  package func state(of photo: LabelledPhoto) throws -> LabelledPhoto.State {
    let fullPath = fullPath(of: photo.path)
    guard FileSystem.isFile(fullPath) else { return .missing }
    return try Self.sha256(of: fullPath) == photo.sha256 ? .present : .changed
  }

  package func fullPath(of path: String) -> String {
    path.hasPrefix("/") ? path : (root == "/" ? "" : root) + "/" + path
  }

  /// Finds moved photos by their bytes, in a folder or in the store's root, and stores their new
  /// paths.
  @discardableResult
  package func findMoved(in folder: String? = nil) throws -> [(from: String, to: String)] {
    let folder = folder ?? root
    let rows = try read { database in
      try Self.rows(database, "photo", "SELECT id, path, sha256 FROM photo").map { row in
        (id: try row.integer("id"), path: try row.text("path"), sha256: try row.text("sha256"))
      }
    }
    let known = Set(rows.map(\.path))
    let missing = rows.filter { !FileSystem.isFile(fullPath(of: $0.path)) }
    guard !missing.isEmpty else { return [] }
    var found: [String: String] = [:]
    for image in try ImageFolder(folder, isConfined: true).paths {
      let fullPath = folder + "/" + image
      guard !known.contains(key(of: fullPath)), let digest = try SHA256.file(fullPath) else {
        continue
      }
      found[digest.hexadecimal] = found[digest.hexadecimal] ?? key(of: fullPath)
    }
    let moves = missing.compactMap { row -> (id: Int, from: String, to: String)? in
      found[row.sha256].map { (row.id, row.path, $0) }
    }
    return try write { database in
      var done: Set<String> = []
      return try moves.compactMap { id, from, to in
        guard done.insert(to).inserted else { return nil }
        try database.execute(
          "UPDATE photo SET path = ? WHERE id = ?", [to, id])
        return (from, to)
      }
    }
  }

  /// A photo's path as the store keeps it, in which its folder's symbolic links are resolved.
  func key(of photo: String) -> String {
    let folder = FileSystem.folder(of: photo)
    let name = FileSystem.name(of: photo)
    guard let real = FileOperations.realPath(folder) else { return photo }
    let whole = real == "/" ? "/" + name : real + "/" + name
    let prefix = root == "/" ? "/" : root + "/"
    return whole.hasPrefix(prefix) ? String(whole.dropFirst(prefix.count)) : whole
  }

  static func sha256(of photo: String) throws -> String {
    guard FileSystem.isFile(photo) else {
      throw TensorIOError(.fileNotFound, "There is no photo '\(photo)'.")
    }
    guard let digest = try SHA256.file(photo) else {
      throw TensorIOError(.unreadableFile, "The photo '\(photo)' cannot be read.")
    }
    return digest.hexadecimal
  }
}

extension LabelStore {
  /// Imports the labels of a folder of classes, a table or a test bundle in one step.
  ///
  /// Labels that the photos already have are replaced. ``undo(for:)`` reverts the whole import.
  ///
  /// - Returns: The number of labels that were imported, and notes about what was left out.
  /// - Throws: `TensorIOError` if no photo has a label.
  @discardableResult
  package func importLabels(from dataset: Dataset, for model: String) throws -> LabelTransfer {
    var labels: [(Photo, PhotoLabel)] = []
    var missing: [String] = []
    var others = 0
    for sample in dataset.samples {
      guard let label = sample.truth.flatMap(PhotoLabel.init), case .file(let path) = sample.source
      else {
        others += 1
        continue
      }
      guard FileSystem.isFile(path), let digest = try SHA256.file(path) else {
        missing.append(sample.id)
        continue
      }
      labels.append((Photo(path: key(of: path), sha256: digest.hexadecimal), label))
    }
    var notes: [String] = []
    if let first = missing.first {
      notes.append(
        "left out: \(counted(missing.count, "photo")) that cannot be read, such as '\(first)'")
    }
    if others > 0 {
      notes.append("left out: \(counted(others, "image")) without a class or numbers")
    }
    guard !labels.isEmpty else {
      throw TensorIOError(
        .wrongKind,
        "'\(dataset.path)' has no labels to import\(notes.isEmpty ? "" : ": ")"
          + notes.joined(separator: "; ") + ".")
    }
    try setLabels(labels, for: model)
    return LabelTransfer(count: labels.count, notes: notes)
  }
}

extension PhotoLabel {
  /// Converts a ground truth to a label, or returns nil for boxes, class maps, segments and results.
  fileprivate init?(_ truth: GroundTruth) {
    switch truth {
    case .label(let text): self = .text(text)
    case .values(let numbers): self = .numbers(numbers)
    case .anomaly, .boxes, .classMap, .segments, .results: return nil
    }
  }
}
