// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import TensorIO

/// The limits of uploads.
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
  /// An error for an upload that doesn't exist, or no longer exists.
  static func noUpload(_ id: String) -> WebError {
    WebError(
      status: .notFound, code: "upload_not_found",
      message: "There is no upload '\(id.prefix(100))'. It may have been deleted. Start a new one.",
      endsConnection: true)
  }

  /// An error for a path that is taken.
  static func fileExists(_ path: String) -> WebError {
    WebError(
      status: .conflict, code: "file_exists",
      message: "The upload already has a file or folder named '\(path.prefix(200))'. Names must "
        + "differ in more than upper and lower case.", endsConnection: true)
  }

  static func tooManyFiles(_ count: Int) -> WebError {
    WebError(
      status: .contentTooLarge, code: "too_many_files",
      message: "An upload can have at most \(count) files. Split it into several uploads.",
      endsConnection: true)
  }

  static func fileTooLarge(_ limit: Int, _ path: RelativePath) -> WebError {
    WebError(
      status: .contentTooLarge, code: "file_too_large",
      message: "'\(path.text.prefix(200))' is larger than \(ByteCount(limit)). "
        + "Leave it out or make it smaller.", endsConnection: true)
  }

  static func incomplete(_ path: RelativePath) -> WebError {
    WebError(
      status: .badRequest, code: "incomplete_body",
      message: "'\(path.text.prefix(200))' didn't arrive completely. Send it again.",
      endsConnection: true)
  }

  static func uploadTooLarge(_ limit: Int) -> WebError {
    WebError(
      status: .contentTooLarge, code: "upload_too_large",
      message: "An upload can have at most \(ByteCount(limit)). Split it into several uploads.",
      endsConnection: true)
  }

  static func tooManyUploads(_ count: Int) -> WebError {
    WebError(
      status: .conflict, code: "too_many_uploads",
      message: "There are already \(count) uploads in use. Delete one, or try again later.")
  }
}
#endif
