// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

/// The file `blobs.json`, which describes where a data folder's blobs are if they are elsewhere.
///
/// Without this file, the blobs are in the folder. The file contains no secrets.
struct BlobNote: Codable, Equatable {
  /// The id by which the blobs' location identifies the repository.
  var id: String
  var s3: S3Location

  /// Reads the note; nil if there is none.
  static func read(_ folder: DataFolder) throws -> BlobNote? {
    guard try FileSystem.exists(folder.note) else { return nil }
    guard let data = FileManager.default.contents(atPath: folder.note),
      let note = try? RepositoryJSON.decode(BlobNote.self, from: data)
    else {
      throw RepositoryError(
        .storage,
        "'\(folder.note)', which says where the blobs are stored, can't be read. Restore it from a "
          + "backup of the disk.")
    }
    return note
  }

  /// Determines where a folder's blobs are, from its note and the requested location.
  ///
  /// If nothing is requested, they stay where they are. The location can only change while the
  /// repository has no blobs.
  ///
  /// - Returns: The note that applies; nil if the blobs are in the folder.
  static func settle(
    _ folder: DataFolder, _ wish: BlobLocation?, knowsBlobs: Bool
  ) throws -> BlobNote? {
    let note = try read(folder)
    let location = note.map { BlobLocation.s3($0.s3) } ?? .folder
    guard let wish, wish != location else { return note }
    if case .s3(let other) = wish, let note, note.s3.bucket == other.bucket,
      note.s3.prefix == other.prefix
    {
      // This is the same location with another address; its `repository.json` will prove that.
      return try BlobNote(id: note.id, s3: other).written(to: folder)
    }
    guard !knowsBlobs else {
      throw RepositoryError(
        .invalidOption,
        "The blobs of '\(folder.path)' are in \(location), not in \(wish). Specify that location, "
          + "or none. To move the blobs, back up the repository and restore it there.")
    }
    switch wish {
    case .folder:
      try FileSystem.remove(folder.note)
      try FileSystem.flush(folder.path)
      return nil
    case .s3(let location): return try make(location, in: folder)
    }
  }

  /// Records a new location in a folder.
  static func make(_ location: S3Location, in folder: DataFolder) throws -> BlobNote {
    try BlobNote(id: UUID().uuidString.lowercased(), s3: location).written(to: folder)
  }

  private func written(to folder: DataFolder) throws -> BlobNote {
    try FileSystem.write(RepositoryJSON.encode(self), to: folder.note)
    return self
  }
}

/// The location of a repository's blobs.
public enum BlobLocation: Sendable, Hashable {
  /// The data folder.
  case folder
  /// An S3-compatible store.
  case s3(S3Location)
}

extension BlobLocation: CustomStringConvertible {
  /// A description for people.
  public var description: String {
    switch self {
    case .folder: "the data folder itself"
    case .s3(let location): "\(location)"
    }
  }
}
#endif
