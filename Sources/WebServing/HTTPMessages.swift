// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import Hummingbird

extension Request {
  /// The number of bytes of the body according to `Content-Length`, or nil without that field.
  ///
  /// The parser allows only digits. A number that is too large for an integer is the largest one.
  package var announcedLength: Int? { headers[.contentLength].map { Int($0) ?? .max } }

  /// Whether the request has a body, which a client could send slowly forever.
  package var hasBody: Bool {
    headers[.transferEncoding] != nil || announcedLength ?? 0 > 0
  }

  /// Whether the body is declared as JSON.
  package var isJSON: Bool {
    headers[.contentType]?.lowercased().hasPrefix("application/json") == true
  }

  /// The token in the field `Authorization`, or nil if its scheme isn't `Bearer`.
  ///
  /// The scheme's name is case-insensitive (RFC 9110, section 11.1).
  package var bearerToken: Substring? {
    guard let field = headers[.authorization], let space = field.firstIndex(of: " "),
      field[..<space].lowercased() == "bearer"
    else { return nil }
    return field[space...].drop { $0 == " " }
  }
}

extension Response {
  /// Makes a response with bytes.
  package static func data(
    _ data: some Sequence<UInt8>, type: String, status: HTTPResponse.Status = .ok,
    headers: HTTPFields = [:]
  ) -> Response {
    var headers = headers
    headers[.contentType] = type
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }
}
#endif
