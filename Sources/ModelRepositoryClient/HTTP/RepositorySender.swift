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
