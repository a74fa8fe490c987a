// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import TensorIO

/// The files that a client sends for an evaluation.
struct Upload: Sendable {
  let folder: String
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

  /// Reserves a path for a file, which must differ from all others even if case is ignored.
  mutating func reserve(_ path: RelativePath, _ limits: UploadLimits) throws {
    guard files.count < limits.files else {
      throw WebError.refused(
        .contentTooLarge, "too_many_files",
        "An upload can have at most \(limits.files) files. Split it into several uploads.")
    }
    let parents = (1..<path.parts.count).map { count in
      path.parts.prefix(count).joined(separator: "/").lowercased()
    }
    let key = path.text.lowercased()
    guard !folders.contains(key), !parents.contains(where: files.contains),
      files.insert(key).inserted
    else {
      throw WebError.refused(
        .conflict, "file_exists",
        "The upload already has a file or folder named '\(path.text.prefix(200))'. Names must "
          + "differ in more than upper and lower case.")
    }
    folders.formUnion(parents)
  }

  mutating func add(_ count: Int, _ limits: UploadLimits) throws {
    guard bytes + count <= limits.uploadBytes else {
      throw WebError.refused(
        .contentTooLarge, "upload_too_large",
        "An upload can have at most \(ByteCount(limits.uploadBytes)). Split it into several "
          + "uploads.")
    }
    bytes += count
  }

  /// Releases the path and the bytes of a file that wasn't received.
  mutating func release(_ path: RelativePath, _ count: Int) {
    files.remove(path.text.lowercased())
    bytes -= count
  }
}

struct UploadLimits: Sendable {
  /// The maximum size of a file, in bytes.
  var fileBytes = 64 << 20
  /// The maximum size of an upload, in bytes.
  var uploadBytes = 4 << 30
  /// The maximum number of files of an upload.
  var files = 50_000
  /// The maximum number of uploads.
  var uploads = 8
  /// How long an unused upload is kept.
  var unusedTime = Duration.seconds(6 * 3600)
  /// How long an upload must have been unused before it can make room for another one.
  var idleTime = Duration.seconds(10 * 60)
}

extension WebError {
  /// An error that ends the connection, because its client may still be sending a body.
  static func refused(
    _ status: HTTPResponse.Status, _ code: String, _ message: String
  ) -> WebError {
    WebError(status: status, code: code, message: message, endsConnection: true)
  }

  static func noUpload(_ id: String) -> WebError {
    .refused(
      .notFound, "upload_not_found",
      "There is no upload '\(id.prefix(100))'. It may have been deleted. Start a new one.")
  }

  static func fileTooLarge(_ limit: Int, _ path: RelativePath) -> WebError {
    .refused(
      .contentTooLarge, "file_too_large",
      "'\(path.text.prefix(200))' is larger than \(ByteCount(limit)). Leave it out or make it "
        + "smaller.")
  }

  static func incomplete(_ path: RelativePath) -> WebError {
    .refused(
      .badRequest, "incomplete_body",
      "'\(path.text.prefix(200))' didn't arrive completely. Send it again.")
  }

  /// Runs a closure that writes files, whose errors become ``notStored(_:)``.
  static func storing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw notStored(FileSystem.reason(for: error))
    }
  }
}
#endif
