// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import ModelRepositoryAPI
import WebServing

extension Response {
  /// Creates a response with a JSON document.
  static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) throws -> Response {
    .data(
      try RepositoryJSON.encode(value), type: "application/json", status: status, headers: headers)
  }

  /// Returns the response to a HEAD request: the same header fields, including the body's length.
  func withoutBody() -> Response {
    Response(status: status, headers: headers)
  }

  /// Creates the response for a client that already has the current content.
  static func notModified(_ headers: HTTPFields) -> Response {
    var response = Response(status: .notModified, headers: headers)
    // The field would have to give the length of the body that isn't sent, which isn't 0.
    response.headers[.contentLength] = nil
    return response
  }
}
#endif
