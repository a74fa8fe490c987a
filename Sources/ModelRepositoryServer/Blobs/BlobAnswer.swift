// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import ModelRepositoryAPI

/// The response to a request for a blob that exists.
struct BlobAnswer {
  var status = HTTPResponse.Status.ok
  var headers: HTTPFields
  /// The range of bytes to send; nil for a response without a body.
  var part: Range<Int>?

  /// Creates the response to a GET of a whole blob; `isPublic` means that reading needs no token.
  init(_ digest: BlobDigest, size: Int, isPublic: Bool) {
    headers = [
      .eTag: "\"\(digest)\"", .acceptRanges: "bytes",
      .cacheControl: isPublic
        ? "public, max-age=31536000, immutable" : "private, max-age=31536000, immutable",
      .contentType: "application/octet-stream", .contentLength: "\(size)",
    ]
    part = 0..<size
  }

  /// Creates the response to a GET or HEAD request with its conditions and its range.
  ///
  /// - Throws: ``Problem`` with the status 416 if the range contains no byte of the blob.
  init(_ request: HTTPRequest, _ digest: BlobDigest, size: Int, isPublic: Bool) throws {
    self.init(digest, size: size, isPublic: isPublic)
    let (tag, fields) = ("\"\(digest)\"", request.headerFields)
    if let field = fields[.ifNoneMatch], EntityTag.isNamed(tag, in: field) {
      status = .notModified
      (headers[.contentType], headers[.contentLength], part) = (nil, nil, nil)
      return
    }
    // RFC 9110, section 14.2: a range has no meaning for HEAD.
    guard request.method == .get else {
      part = nil
      return
    }
    // A date in If-Range never matches, because blobs have no date.
    let isSame = fields[.ifRange].map { $0 == tag } ?? true
    switch ByteRange(isSame ? fields[.range] : nil, size: size) {
    case .whole: break
    case .part(let range):
      (status, part) = (.partialContent, range)
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
      headers[.contentLength] = "\(range.count)"
    case .unsatisfiable:
      throw Problem(
        .rangeNotSatisfiable, "range_not_satisfiable",
        "The blob has \(size) bytes, and none of them is in the requested range.",
        headers: [.contentRange: "bytes */\(size)", .acceptRanges: "bytes", .eTag: tag])
    }
  }
}
#endif
