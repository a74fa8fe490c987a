// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import ModelRepositoryAPI
import NIOCore

extension Response {
  /// An answer that is a JSON document.
  static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) throws -> Response {
    .data(
      try RepositoryJSON.encode(value), type: "application/json", status: status, headers: headers)
  }

  /// An answer of bytes.
  static func data(
    _ data: some Sequence<UInt8>, type: String, status: HTTPResponse.Status = .ok,
    headers: HTTPFields = [:]
  ) -> Response {
    var headers = headers
    headers[.contentType] = type
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }

  /// An answer without a body, as to a HEAD: its length is what the body would have.
  func withoutBody() -> Response {
    Response(status: status, headers: headers)
  }

  /// The answer to a client that has it already.
  static func notModified(_ headers: HTTPFields) -> Response {
    var response = Response(status: .notModified, headers: headers)
    // It would be the length of what is not sent, which is not 0.
    response.headers[.contentLength] = nil
    return response
  }
}
#endif
