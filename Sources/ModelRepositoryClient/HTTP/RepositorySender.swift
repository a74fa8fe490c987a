// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Files
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import TensorIO
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
    try await send(method, path, fields, body.map { .bytes($0) }, deadline)
  }

  private func send(
    _ method: HTTPMethod, _ path: String, _ fields: HTTPHeaders, _ body: HTTPClientRequest.Body?,
    _ deadline: NIODeadline
  ) async throws -> (response: HTTPClientResponse, address: RepositoryAddress) {
    var address = server.appending(path)
    var request = HTTPClientRequest(url: "")
    request.method = method
    request.headers = fields
    request.body = body
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

extension RepositorySender {
  /// Sends a request once whose body takes long.
  ///
  /// The network library's limits don't apply while a server takes nothing of a body. Therefore, the
  /// body is sent in pieces, and the request ends if none was taken for the time of the policy.
  ///
  /// - Throws: ``Failure``, or ``ModelRepositoryClientError`` for a redirect that isn't followed.
  func sendLong(
    _ method: HTTPMethod, _ path: String, _ fields: HTTPHeaders, body: ByteBuffer,
    deadline: NIODeadline
  ) async throws -> HTTPClientResponse {
    let pieces = BodyPieces(body)
    let stall = client.policy.stall
    return try await withThrowingTaskGroup(of: HTTPClientResponse?.self) { group in
      group.addTask {
        let body = HTTPClientRequest.Body.stream(
          pieces, length: .known(Int64(body.readableBytes)))
        return try await send(method, path, fields, body, deadline).response
      }
      group.addTask {
        while let taken = pieces.lastTaken {
          try await Task.sleep(until: taken + stall, clock: .continuous)
          guard pieces.lastTaken != taken else {
            throw Failure(error: HTTPClientError.writeTimeout, address: server.appending(path))
          }
        }
        return nil
      }
      defer { group.cancelAll() }
      while let response = try await group.next() {
        if let response { return response }
      }
      throw CancellationError()
    }
  }
}

/// The body of a request in pieces, which notes when the network library took the last one.
private final class BodyPieces: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  private static let size = 256 << 10

  private let bytes: ByteBuffer
  /// When a piece was taken; nil after the last one.
  private let taken = Mutex<ContinuousClock.Instant?>(.now)

  init(_ bytes: ByteBuffer) { self.bytes = bytes }

  /// When a piece was taken; nil after the last one.
  var lastTaken: ContinuousClock.Instant? { taken.withLock { $0 } }

  struct AsyncIterator: AsyncIteratorProtocol {
    let pieces: BodyPieces
    var rest: ByteBuffer

    mutating func next() async -> ByteBuffer? {
      let piece = rest.readSlice(length: Swift.min(BodyPieces.size, rest.readableBytes))
      let isOver = rest.readableBytes == 0
      pieces.taken.withLock { $0 = isOver ? nil : .now }
      return piece?.readableBytes == 0 ? nil : piece
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self, rest: bytes) }
}

/// The certificate authorities that are trusted for encrypted connections.
enum TrustedAuthorities {
  /// The environment variable that names a file of authorities to trust instead of the system's.
  ///
  /// OpenSSL uses the same variable.
  private static let variable = "SSL_CERT_FILE"

  /// The certificates of a file, and the file's status when it was read.
  private struct Contents {
    let status: FileStatus
    let certificates: [NIOSSLCertificate]
  }

  /// The files that were read, by their paths.
  ///
  /// Each update of a model needs the certificates.
  private static let known = Mutex<[String: Contents]>([:])

  /// Returns the TLS configuration that also trusts the authorities in a PEM file, or nil if only
  /// the system's are trusted.
  ///
  /// - Throws: `TensorIOError` if a file can't be used.
  static func configuration(adding file: String?) throws -> TLSConfiguration? {
    let replacement = ProcessInfo.processInfo.environment[variable].flatMap {
      $0.isEmpty ? nil : $0
    }
    guard file != nil || replacement != nil else { return nil }
    var configuration = TLSConfiguration.makeClientConfiguration()
    if let replacement {
      configuration.trustRoots = .certificates(
        try certificates(in: replacement, "the file that \(variable) names"))
    }
    if let file {
      configuration.additionalTrustRoots = [
        .certificates(try certificates(in: file, "the file of trusted authorities"))
      ]
    }
    return configuration
  }

  /// Returns the certificates of a file, which is read again after it changed.
  private static func certificates(
    in file: String, _ what: String
  ) throws -> [NIOSSLCertificate] {
    // Reading a file without a status gives the error.
    guard let status = try? FileStatus(of: file) else { return try read(file, what) }
    if let last = known.withLock({ $0[file] }), last.status == status { return last.certificates }
    let certificates = try read(file, what)
    known.withLock { $0[file] = Contents(status: status, certificates: certificates) }
    return certificates
  }

  private static func read(_ file: String, _ what: String) throws -> [NIOSSLCertificate] {
    let bytes: [UInt8]
    do {
      bytes = Array(try FileSystem.read(file))
    } catch var error as TensorIOError {
      error.message =
        "\(what.prefix(1).uppercased() + what.dropFirst()) cannot be used. "
        + error.message
      throw error
    }
    let certificates: [NIOSSLCertificate]
    do {
      certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
    } catch {
      certificates = []
    }
    guard !certificates.isEmpty else {
      throw TensorIOError(
        .unreadableFile,
        "'\(file)', \(what), contains no certificate. Expected PEM, which begins with "
          + "'-----BEGIN CERTIFICATE-----'.")
    }
    return certificates
  }
}
#endif
