// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CCurl
import NetRunner
import TensorIO

/// Fetches objects at `https://`, `http://` and `s3://` with libcurl.
enum ObjectStore {
  /// Opens archives and lists prefixes for bulk runs.
  static let access = ObjectAccess(
    open: { ObjectStream(try ObjectRequest($0)) },
    list: { prefix, last in
      let listing = try S3Listing(prefix, after: last)
      return { try listing.next() }
    })

  /// Returns the bytes at an address, and blocks the thread while it fetches them.
  ///
  /// - Throws: `TensorIOError` if they can't be fetched in several attempts, or are more than images may
  ///   have.
  static func bytes(_ address: String) throws -> [UInt8] { try bytes(of: ObjectRequest(address)) }

  static func bytes(of request: ObjectRequest) throws -> [UInt8] {
    var attempts = 0
    while true {
      let transfer = try Transfer(request, isFile: true)
      let answer = transfer.wait(for: .max)
      if answer.code == 0, answer.status == 200 {
        Retries.noteSuccess(of: request)
        return Array(UnsafeBufferPointer(start: answer.bytes, count: answer.count))
      }
      attempts += 1
      try Retries.wait(after: FetchFailure(answer, of: request), attempts, of: request)
    }
  }
}
