// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Foundation
package import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Explains to people why a server couldn't be reached.
package enum ConnectionFault {
  /// The time limit for making a connection, in seconds.
  ///
  /// Including the time to start and to explain the failure, a command answers within five seconds.
  package static let connectSeconds = 4

  /// Returns the end of a sentence that starts with the server's address.
  ///
  /// If the server's certificate was refused, this connects again to find out why.
  ///
  /// - Parameters:
  ///   - error: The error that the network library threw.
  ///   - address: The server's address.
  /// - Returns: What happened and what to check, without a period at the end.
  package static func reason(for error: any Error, at address: String) -> EventLoopFuture<String> {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    guard isRefusedCertificate(error), let components = URLComponents(string: address),
      let host = components.host
    else { return loop.makeSucceededFuture(reason(for: error)) }
    let name = host.trimmingCharacters(in: ["[", "]"])
    let usual = reason(for: error)
    return ServerCertificate.fault(ofHost: name, port: components.port ?? 443)
      .map { $0 ?? usual }
  }

  /// Returns the end of a sentence that starts with the server's address.
  ///
  /// - Parameter error: The error that the network library threw.
  /// - Returns: What happened and what to check, without a period at the end.
  package static func reason(for error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError: return reason(for: error)
    case let error as IOError: return reason(for: error)
    case let error as HTTPClientError where error == .connectTimeout:
      return
        "could not be reached within \(connectSeconds) seconds; check the address and the network"
    case let error as HTTPClientError where error == .readTimeout || error == .deadlineExceeded:
      return "accepted the connection, but didn't respond in time"
    case let error as HTTPClientError where error == .tlsHandshakeTimeout:
      return
        "accepted the connection, but didn't complete the TLS handshake; check whether the address "
        + "begins with https or http"
    case let error as HTTPClientError where error == .remoteConnectionClosed:
      return closed
    default: return otherReason(for: error)
    }
  }

  private static func reason(for error: NIOConnectionError) -> String {
    let failures = error.connectionErrors.map(\.error)
    if let refused = failures.compactMap({ $0 as? IOError }).first { return reason(for: refused) }
    guard let first = failures.first else {
      return "has an unknown host name; check the address"
    }
    return reason(for: first)
  }

  private static func reason(for error: IOError) -> String {
    switch error.errnoCode {
    case ECONNREFUSED: "refused the connection; check the address, and that the server is running"
    case ENETUNREACH, EHOSTUNREACH: "is on a network that this machine can't reach"
    case ECONNRESET, EPIPE: closed
    default: "could not be reached: \(String(cString: strerror(error.errnoCode)))"
    }
  }

  private static let closed =
    "closed the connection without a response; check the port, and whether the address begins with "
    + "https or http"

  /// Returns whether a retry would fail in the same way, because the certificate was refused.
  static func isLasting(_ error: any Error) -> Bool {
    isRefusedCertificate(error) || error as? NIOSSLExtraError == .failedToValidateHostname
  }

  private static func isRefusedCertificate(_ error: any Error) -> Bool {
    let text = "\(error)"
    return text.contains("CERTIFICATE_VERIFY_FAILED")
      || text.contains("unableToValidateCertificate")
  }

  /// Recognizes errors by their text, because the TLS and HTTP libraries throw some errors whose
  /// types aren't public.
  private static func otherReason(for error: any Error) -> String {
    if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
      return
        "has a certificate for another host; use the name in the certificate, or give the server a "
        + "certificate for this name"
    }
    let text = "\(error)"
    if isRefusedCertificate(error) {
      return
        "has a certificate from an authority that this machine doesn't trust; set SSL_CERT_FILE to "
        + "a file with the authority's certificate, or pass the file with --ca if the command "
        + "has that option"
    }
    if text.contains("handshakeFailed") || text.contains("WRONG_VERSION_NUMBER")
      || text.contains("uncleanShutdown")
    {
      return "does not speak TLS; check the port, and whether the address begins with https or http"
    }
    if text.contains("invalidHeader") || text.contains("HTTPParserError")
      || error is HTTPParserError
    {
      return
        "does not speak HTTP; check the port, and whether the address begins with https or http"
    }
    return "doesn't respond: \(text)"
  }
}
#endif
