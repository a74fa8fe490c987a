// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI
import Synchronization
import TensorIO

/// The shapes of images, in a folder with a JSON document for each image.
///
/// All members block the calling thread. ``LabelFolder`` allows one change at a time.
final class ShapeFolder: Sendable {
  private let path: String
  /// The images and their numbers of shapes, by the paths of their documents.
  ///
  /// The keys aren't the images' names, because Swift's strings are equal if people read the same,
  /// while names of different bytes are those of different images.
  private let counts: Mutex<[String: (photo: String, count: Int)]>

  private struct Document: Codable {
    var photo: String
    var shapes: ImageShapes
  }

  init(_ path: String) throws {
    self.path = path
    var counts: [String: (photo: String, count: Int)] = [:]
    for name in FileSystem.isFolder(path) ? try FileSystem.contents(of: path) : []
    where name.hasSuffix(".json") && !name.hasPrefix(".") {
      let document = try Self.document(path + "/" + name)
      let entry = (photo: document.photo, count: document.shapes.shapes.count)
      counts[Self.file(of: document.photo, in: path)] = entry
    }
    self.counts = Mutex(counts)
  }

  /// The images that have a document, and their numbers of shapes, sorted by name.
  var all: [(photo: String, count: Int)] {
    counts.withLock { $0 }
      .sorted { ($0.value.photo, $0.key) < ($1.value.photo, $1.key) }
      .map(\.value)
  }

  func has(_ photo: String) -> Bool {
    let file = file(of: photo)
    return counts.withLock { $0[file] != nil }
  }

  /// Returns the shapes of an image, or nil if it has no document.
  func shapes(of photo: String) throws -> ImageShapes? {
    guard has(photo) else { return nil }
    return try Self.document(file(of: photo)).shapes
  }

  func set(_ shapes: ImageShapes, of photo: String) throws {
    if !FileSystem.isFolder(path) {
      try ScratchFolder.makeFolder(path, "for shapes ", attributes: nil)
    }
    let document = try Document(photo: photo, shapes: shapes).encoded()
    let file = file(of: photo)
    let fresh = path + "/.\(UUID().uuidString)"
    defer { try? FileSystem.remove(fresh) }
    try WebError.storing {
      try document.write(to: URL(filePath: fresh))
      try FileSystem.flush(fresh)
      try FileSystem.rename(fresh, to: file)
    }
    let entry = (photo: photo, count: shapes.shapes.count)
    counts.withLock { $0[file] = entry }
    try WebError.storing { try FileSystem.flush(path) }
  }

  /// Deletes an image's document, and returns whether it had one.
  @discardableResult
  func remove(_ photo: String) throws -> Bool {
    guard has(photo) else { return false }
    let file = file(of: photo)
    try FileSystem.remove(file)
    counts.withLock { $0[file] = nil }
    return true
  }

  /// The document's path: a hash, because an image's name can be as long as a file's.
  private static func file(of photo: String, in path: String) -> String {
    "\(path)/\(BlobDigest(of: photo.utf8).hexadecimal).json"
  }

  private func file(of photo: String) -> String { Self.file(of: photo, in: path) }

  private static func document(_ path: String) throws -> Document {
    do {
      return try JSONDecoder().decode(Document.self, from: FileSystem.read(path))
    } catch let error as DecodingError {
      throw TensorIOError(
        .unreadableFile, "'\(path)' isn't a document of shapes. Move it away.", cause: error)
    }
  }
}
#endif
