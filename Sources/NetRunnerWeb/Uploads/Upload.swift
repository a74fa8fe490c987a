// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// The files that a client sends for an evaluation.
struct Upload: Sendable {
  /// The upload's folder.
  let folder: String
  /// When the upload was last used.
  var lastUse: ContinuousClock.Instant
  /// How many users the upload has, which keep it from being deleted.
  var uses = 0
  /// Whether to delete the upload as soon as it has no users.
  var isDeleted = false

  /// The number of bytes, including those of files that are being received.
  private var bytes = 0
  /// The lowercased paths of complete files, and of files that are being received.
  private var files: Set<String> = []
  private var folders: Set<String> = []

  init(folder: String, lastUse: ContinuousClock.Instant) {
    self.folder = folder
    self.lastUse = lastUse
  }

  /// The folder of complete files.
  var filesFolder: String { folder + "/files" }
  /// The folder of files that are being received.
  var partialFolder: String { folder + "/partial" }

  /// Reserves a path for a file.
  ///
  /// - Throws: ``WebError`` if the path is taken, ignoring case, or there are too many files.
  mutating func reserve(_ path: RelativePath, _ limits: UploadLimits) throws {
    guard files.count < limits.files else { throw WebError.tooManyFiles(limits.files) }
    let parents = (1..<path.parts.count).map { count in
      path.parts.prefix(count).joined(separator: "/").lowercased()
    }
    let key = path.text.lowercased()
    guard !folders.contains(key), !parents.contains(where: files.contains),
      files.insert(key).inserted
    else { throw WebError.fileExists(path.text) }
    folders.formUnion(parents)
  }

  /// Adds bytes to the upload's size.
  ///
  /// - Throws: ``WebError`` if the upload becomes too large.
  mutating func add(_ count: Int, _ limits: UploadLimits) throws {
    guard bytes + count <= limits.uploadBytes else {
      throw WebError.uploadTooLarge(limits.uploadBytes)
    }
    bytes += count
  }

  /// Releases the path and the bytes of a file that wasn't received.
  mutating func release(_ path: RelativePath, _ count: Int) {
    files.remove(path.text.lowercased())
    bytes -= count
  }
}
#endif
