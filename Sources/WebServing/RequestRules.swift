// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import NIOCore

/// Rules for every request, so that this server and a proxy in front of it read the same request.
enum RequestRules {
  /// The reason why a request is refused, after which its connection must be closed.
  struct Fault: Error {
    let status: HTTPResponse.Status
    let message: String
  }

  /// Refuses a request that two servers could interpret differently.
  ///
  /// - Throws: ``Fault`` if the request breaks a rule.
  static func check(_ request: Request) throws(Fault) {
    let host = request.head.authority
    let furtherHosts = HTTPField.Name("Host").map { request.headers[values: $0].count } ?? 0
    let encodings = request.headers[values: .transferEncoding]
    guard let host, furtherHosts == 0 else {
      throw Fault(
        status: .badRequest,
        message: host == nil
          ? "The request has no 'Host' header field. HTTP/1.1 requires one."
          : "The request has more than one 'Host' header field. Send one.")
    }
    guard host.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: ",") }) else {
      throw Fault(
        status: .badRequest,
        message: "The 'Host' header field must be one name or address.")
    }
    guard !encodings.isEmpty else { return }
    guard encodings.count == 1, encodings[0].lowercased() == "chunked" else {
      throw Fault(
        status: .notImplemented,
        message:
          "The only 'Transfer-Encoding' that this server supports is 'chunked'. Send the body with "
          + "that, or with a 'Content-Length'.")
    }
    guard request.headers[.contentLength] == nil else {
      throw Fault(
        status: .badRequest,
        message: "The request has both 'Content-Length' and 'Transfer-Encoding'. Send one of them.")
    }
  }

  /// Closes a connection after the response has had time to arrive.
  ///
  /// Otherwise, the server would read the rest of a refused body to its end, however long it is.
  static func close(_ channel: any Channel) {
    channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
  }
}
#endif
