// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// The files that a client sends for an evaluation.
struct Upload: Sendable {
  /// Where it lies.
  let folder: String
  /// When it was last used.
  var lastUse: ContinuousClock.Instant
  /// How many are at work with it; it is not deleted meanwhile.
  var uses = 0
  /// Whether it is to go away as soon as nobody is at work with it.
  var isDeleted = false

  /// Bytes, those under way among them.
  private var bytes = 0
  /// Whole files' and coming files' names, in small letters.
  private var files: Set<String> = []
  private var folders: Set<String> = []

  init(folder: String, lastUse: ContinuousClock.Instant) {
    self.folder = folder
    self.lastUse = lastUse
  }

  /// Where whole files lie.
  var filesFolder: String { folder + "/files" }
  /// Where files lie that are coming.
  var partialFolder: String { folder + "/partial" }

  /// Keeps a name for a file.
  ///
  /// - Throws: ``WebError`` where the name is taken, by whatever letters, or there are too many.
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

  /// Takes bytes of the upload's share.
  ///
  /// - Throws: ``WebError`` where there are too many.
  mutating func add(_ count: Int, _ limits: UploadLimits) throws {
    guard bytes + count <= limits.uploadBytes else {
      throw WebError.uploadTooLarge(limits.uploadBytes)
    }
    bytes += count
  }

  /// Gives back what a file that did not come had taken.
  mutating func release(_ path: RelativePath, _ count: Int) {
    files.remove(path.text.lowercased())
    bytes -= count
  }
}
#endif
