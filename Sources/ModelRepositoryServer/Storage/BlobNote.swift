// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

/// The file `blobs.json`: what a data folder says of blobs that are elsewhere; no secret is in it.
///
/// Without it, blobs are in the folder.
struct BlobNote: Codable, Equatable {
  /// What the place knows the repository by.
  var id: String
  var s3: S3Place

  /// Reads the note; nil where there is none.
  ///
  /// - Throws: ``RepositoryError`` where it says nothing that can be understood.
  static func read(_ folder: DataFolder) throws -> BlobNote? {
    guard try FileSystem.exists(folder.note) else { return nil }
    guard let data = FileManager.default.contents(atPath: folder.note),
      let note = try? RepositoryJSON.decode(BlobNote.self, from: data)
    else {
      throw RepositoryError(
        .storage,
        "'\(folder.note)' cannot be read; it says in which place the blobs are. Bring it back from a "
          + "backup of the disk.")
    }
    return note
  }

  /// Where a folder's blobs are, after what it says and what is wished.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - wish: Where they are to be; nil for where they are.
  ///   - knowsBlobs: Whether there are any; without, every place is as good.
  /// - Returns: The note that holds; nil for the folder itself.
  /// - Throws: ``RepositoryError`` with the code `.invalidOption`, where blobs would have to move.
  static func settle(
    _ folder: DataFolder, _ wish: BlobPlace?, knowsBlobs: Bool
  ) throws -> BlobNote? {
    let note = try read(folder)
    let place = note.map { BlobPlace.s3($0.s3) } ?? .folder
    guard let wish, wish != place else { return note }
    if case .s3(let other) = wish, let note, note.s3.bucket == other.bucket,
      note.s3.prefix == other.prefix
    {
      // The same place by another address: its `repository.json` proves it.
      let note = BlobNote(id: note.id, s3: other)
      try note.write(folder)
      return note
    }
    guard !knowsBlobs else {
      throw RepositoryError(
        .invalidOption,
        "The blobs of '\(folder.path)' are in \(place), not in \(wish). Name that place, or none; to "
          + "move them, back the repository up and restore it there.")
    }
    switch wish {
    case .folder:
      try FileSystem.remove(folder.note)
      try FileSystem.flush(folder.path)
      return nil
    case .s3(let place): return try make(place, in: folder)
    }
  }

  /// Notes a new place in a folder.
  ///
  /// - Throws: ``RepositoryError`` with the code `.storage`.
  static func make(_ place: S3Place, in folder: DataFolder) throws -> BlobNote {
    let note = BlobNote(id: UUID().uuidString.lowercased(), s3: place)
    try note.write(folder)
    return note
  }

  private func write(_ folder: DataFolder) throws {
    let fresh = folder.note + ".new"
    do {
      try RepositoryJSON.encode(self).write(to: URL(filePath: fresh))
    } catch {
      throw RepositoryError(
        .storage, "'\(fresh)' cannot be written: \(FileSystem.reason(for: error)).")
    }
    try FileSystem.flush(fresh)
    try FileSystem.rename(fresh, to: folder.note)
    try FileSystem.flush(folder.path)
  }
}
#endif
