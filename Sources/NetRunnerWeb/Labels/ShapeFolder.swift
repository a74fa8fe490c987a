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
  /// The number of shapes of each image, by the image's name.
  private let counts: Mutex<[String: Int]>

  private struct Document: Codable {
    var photo: String
    var shapes: ImageShapes
  }

  init(_ path: String) throws {
    self.path = path
    var counts: [String: Int] = [:]
    for name in FileSystem.isFolder(path) ? try FileSystem.contents(of: path) : []
    where name.hasSuffix(".json") && !name.hasPrefix(".") {
      let document = try Self.document(path + "/" + name)
      counts[document.photo] = document.shapes.shapes.count
    }
    self.counts = Mutex(counts)
  }

  /// The images that have a document, and their numbers of shapes, sorted by name.
  var all: [(photo: String, count: Int)] {
    counts.withLock { $0.map { (photo: $0.key, count: $0.value) } }.sorted { $0.photo < $1.photo }
  }

  func has(_ photo: String) -> Bool { counts.withLock { $0[photo] != nil } }

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
    let fresh = path + "/.\(UUID().uuidString)"
    defer { try? FileSystem.remove(fresh) }
    try WebError.storing {
      try document.write(to: URL(filePath: fresh))
      try FileSystem.flush(fresh)
      try FileSystem.rename(fresh, to: file(of: photo))
    }
    counts.withLock { $0[photo] = shapes.shapes.count }
  }

  /// Deletes an image's document, and returns whether it had one.
  @discardableResult
  func remove(_ photo: String) throws -> Bool {
    guard has(photo) else { return false }
    try FileSystem.remove(file(of: photo))
    counts.withLock { $0[photo] = nil }
    return true
  }

  /// The document's path: a hash, because an image's name can be as long as a file's.
  private func file(of photo: String) -> String {
    "\(path)/\(BlobDigest(of: photo.utf8).hexadecimal).json"
  }

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
