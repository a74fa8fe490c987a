// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The addresses of the objects below a prefix, of which one page at a time is in memory.
final class S3Listing {
  private let prefix: String
  private let bucket: String
  private let keyPrefix: String
  /// The key after which the list begins; empty for the first key.
  private let lastKey: String
  /// The keys of the page in reverse order.
  private var keys: [String] = []
  /// What the next page continues; nil if there is no further one.
  private var token: String? = ""

  /// Makes a list of the objects below a prefix, after an address if there is one.
  ///
  /// - Throws: `TensorIOError` if the prefix has no valid bucket name.
  init(_ prefix: String, after last: String?) throws {
    self.prefix = prefix
    (bucket, keyPrefix) = try S3Store.parts(of: prefix)
    lastKey = try last.map { try S3Store.parts(of: $0).key } ?? ""
  }

  /// Returns the next address in the order of the store, or nil after the last one.
  ///
  /// - Throws: `TensorIOError` if the objects can't be listed.
  func next() throws -> String? {
    while keys.isEmpty, let token { try readPage(from: token) }
    return keys.popLast().map { "s3://\(bucket)/\($0)" }
  }

  private func readPage(from token: String) throws {
    // A signature covers the options in the order of their names.
    var query = "?encoding-type=url&list-type=2&prefix=" + S3Store.escaped(keyPrefix)
    if !token.isEmpty {
      query = "?continuation-token=\(S3Store.escaped(token))&" + query.dropFirst()
    } else if !lastKey.isEmpty {
      query += "&start-after=" + S3Store.escaped(lastKey)
    }
    let store = try S3Store()
    let request = ObjectRequest(
      name: prefix, url: store.url(of: bucket) + query, store: store)
    let page = S3Document(try ObjectStore.bytes(of: request))
    let isTruncated = page.text("IsTruncated") == "true"
    let next = isTruncated ? page.text("NextContinuationToken") : nil
    guard page.hasEnd(of: "ListBucketResult"), (next != nil) == isTruncated, next != token else {
      throw TensorIOError(
        .unreadableFile,
        "'\(prefix)' can't be listed: the server's response isn't a list of objects. Check "
          + "AWS_ENDPOINT_URL_S3.")
    }
    let isEncoded = page.text("EncodingType") == "url"
    keys = page.texts("Key").reversed().map { isEncoded ? Self.decoded($0) : $0 }
    self.token = next
  }

  /// Decodes a key in which some bytes are escaped, and spaces are `+`.
  private static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
