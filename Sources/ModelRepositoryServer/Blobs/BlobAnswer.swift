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

/// The range that a `Range` field requests (RFC 9110, section 14).
enum ByteRange: Equatable {
  /// All bytes, because the field is missing, isn't valid or has several ranges.
  case whole
  /// Some of the bytes.
  case part(Range<Int>)
  /// A range that contains none of the bytes.
  case unsatisfiable

  /// Parses a field, or nil for a request without it.
  init(_ field: String?, size: Int) {
    self = .whole
    guard let field, let equals = field.firstIndex(of: "="),
      field[..<equals].lowercased() == "bytes"
    else { return }
    let range = field[field.index(after: equals)...].trimmed
    guard !range.contains(","), let dash = range.firstIndex(of: "-") else { return }
    let (first, last) = (range[..<dash], range[range.index(after: dash)...])
    if first.isEmpty {
      guard let count = last.number else { return }
      let part = max(0, size - count)..<size
      self = part.isEmpty ? .unsatisfiable : .part(part)
    } else if let first = first.number, last.isEmpty || last.number != nil {
      let last = last.isEmpty ? Int.max : last.number ?? Int.max
      guard first <= last else { return }
      self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
    }
  }
}

/// Parses `If-Match`, `If-None-Match` and `If-Range` (RFC 9110, sections 8.8 and 13).
enum EntityTag {
  /// Whether a list contains a tag, with the strong comparison: the bytes are the same.
  static func isNamedStrongly(_ tag: String, in field: String) -> Bool {
    list(field).contains { $0 == tag || $0 == "*" }
  }

  /// Whether a list contains a tag, with the weak comparison: the content is the same.
  static func isNamed(_ tag: String, in field: String) -> Bool {
    list(field).contains { $0 == "*" || ($0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0) == tag }
  }

  // This server's tags don't contain a comma, so it is harmless to split another server's tag.
  private static func list(_ field: String) -> [String] {
    field.split(separator: ",").map { String($0.trimmed) }
  }
}

extension Substring {
  /// The text without spaces and tabs around it.
  fileprivate var trimmed: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }

  /// The number, if the text has only digits; a number that is too large is the largest integer.
  fileprivate var number: Int? {
    guard !isEmpty, utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(self) ?? .max
  }
}
#endif
