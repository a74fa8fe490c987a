// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import WebClient

/// Sends requests to a server, and follows its redirects.
struct RepositorySender: Sendable {
  let client: WebClient
  let server: RepositoryAddress
  /// The token, which is only sent to the server itself.
  let token: String?
  /// Whether redirects may lead to other computers over plain HTTP.
  var allowsInsecureConnections = false
  /// The maximum number of redirects.
  var redirects = 5

  /// A request got no response.
  struct Failure: Error {
    /// The error that the network library threw.
    let error: any Error
    /// The address of the request, which may be one that the server redirected to.
    let address: RepositoryAddress
  }

  /// Sends a request once.
  ///
  /// The response and its body must have arrived by the deadline.
  ///
  /// - Returns: The response, and the address that it came from.
  /// - Throws: ``Failure``, or ``ModelRepositoryClientError`` for a redirect that isn't followed.
  func send(
    _ method: HTTPMethod = .GET, _ path: String, _ fields: HTTPHeaders = HTTPHeaders(),
    body: ByteBuffer? = nil, deadline: NIODeadline = .distantFuture
  ) async throws -> (response: HTTPClientResponse, address: RepositoryAddress) {
    var address = server.appending(path)
    var request = HTTPClientRequest(url: "")
    request.method = method
    request.headers = fields
    request.body = body.map { .bytes($0) }
    for _ in 0...redirects {
      request.url = address.url.absoluteString
      request.headers.remove(name: "authorization")
      if let token, address.origin == server.origin {
        request.headers.add(name: "authorization", value: "Bearer \(token)")
      }
      let response: HTTPClientResponse
      do {
        response = try await client.send(request, deadline: deadline)
      } catch {
        throw Failure(error: error, address: address)
      }
      guard let location = response.redirection else { return (response, address) }
      address = try address.redirected(
        to: location, allowsInsecureConnections: allowsInsecureConnections)
      let isSeeOther = response.status == .seeOther && request.method != .HEAD
      if isSeeOther || request.method == .POST && [301, 302].contains(response.status.code) {
        request.method = .GET
        request.body = nil
        request.headers.remove(name: "content-type")
      }
    }
    throw ModelRepositoryClientError(
      .serverError, "'\(server.appending(path).shown)' redirects more than \(redirects) times.")
  }
}
#endif
