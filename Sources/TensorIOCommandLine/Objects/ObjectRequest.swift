// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// What is requested from a server.
struct ObjectRequest {
  /// The address as the user knows it: `https://...` or `s3://...`.
  let name: String
  /// The URL that is requested.
  let url: String
  /// The store that the URL belongs to; nil for other servers.
  let store: S3Store?
  /// A document that is sent with POST; nil to fetch an object.
  var body: String?
  /// The field `Authorization` of the request; nil for none.
  var authorization: String?

  /// Makes a request for an address.
  ///
  /// - Throws: `TensorIOError` if an `s3://` address or the settings of the store aren't valid.
  init(_ address: String) throws {
    guard address.hasPrefix("s3://") else {
      self.init(name: address, url: address, store: nil)
      return
    }
    let store = try S3Store()
    let (bucket, key) = try S3Store.parts(of: address)
    self.init(name: address, url: store.url(of: bucket, key: key), store: store)
  }

  init(name: String, url: String, store: S3Store?) {
    self.name = name
    self.url = url
    self.store = store
  }

  /// The scheme, host and port of the URL.
  var server: Substring { url.prefix(upTo: url.dropFirst(8).firstIndex(of: "/") ?? url.endIndex) }
}
