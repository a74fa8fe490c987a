// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ModelRepositoryAPI

/// What a request for a blob that is there gets.
struct BlobAnswer {
  var status = HTTPResponse.Status.ok
  var headers: HTTPFields
  /// The bytes that are sent; nil where there is no body.
  var part: Range<Int>?

  /// Decides.
  ///
  /// - Parameters:
  ///   - request: A GET or HEAD.
  ///   - digest: The blob.
  ///   - size: How many bytes it has.
  ///   - isPublic: Whether everybody may read.
  /// - Throws: ``Problem``, 416, where no byte is in the range.
  init(_ request: HTTPRequest, _ digest: BlobDigest, size: Int, isPublic: Bool) throws {
    let tag = "\"\(digest)\""
    headers = [
      .eTag: tag, .acceptRanges: "bytes",
      .cacheControl: isPublic
        ? "public, max-age=31536000, immutable" : "private, max-age=31536000, immutable",
    ]
    if let field = request.headerFields[.ifNoneMatch], EntityTag.isNamed(tag, in: field) {
      status = .notModified
      return
    }
    headers[.contentType] = "application/octet-stream"
    // A date in If-Range never fits: blobs have none.
    let isSame = request.headerFields[.ifRange].map { $0 == tag } ?? true
    // A range is of a GET; to a HEAD it means nothing (RFC 9110, section 14.2).
    let field = isSame && request.method == .get ? request.headerFields[.range] : nil
    var part = 0..<size
    switch ByteRange(field, size: size) {
    case .whole: break
    case .part(let range):
      (status, part) = (.partialContent, range)
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    case .unsatisfiable:
      throw Problem(
        .rangeNotSatisfiable, "range_not_satisfiable",
        "The blob has \(size) bytes; none of them is in the range.",
        headers: [.contentRange: "bytes */\(size)", .acceptRanges: "bytes", .eTag: tag])
    }
    headers[.contentLength] = "\(part.count)"
    if request.method == .get { self.part = part }
  }
}
