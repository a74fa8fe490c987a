// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why a server could not be reached, in words for people.
package enum ConnectionFault {
  /// How long a connection may take to be made, in seconds.
  package static let connectSeconds = 5

  /// The end of a sentence that begins with the server's address.
  ///
  /// - Parameter error: What the network library threw.
  /// - Returns: What happened and what to check, without a full stop.
  package static func reason(for error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError: return reason(for: error)
    case let error as IOError: return reason(for: error)
    case let error as HTTPClientError where error == .connectTimeout:
      return
        "could not be reached within \(connectSeconds) seconds; check the address and the network"
    case let error as HTTPClientError where error == .readTimeout || error == .deadlineExceeded:
      return "accepted the connection, but did not answer in time"
    case let error as HTTPClientError where error == .tlsHandshakeTimeout:
      return
        "accepted the connection, but did not answer as a server with TLS does; check whether the "
        + "address begins with https or http"
    case let error as HTTPClientError where error == .remoteConnectionClosed:
      return "closed the connection without an answer"
    default: return otherReason(for: error)
    }
  }

  private static func reason(for error: NIOConnectionError) -> String {
    let failures = error.connectionErrors.map(\.error)
    if let refused = failures.compactMap({ $0 as? IOError }).first { return reason(for: refused) }
    guard let first = failures.first else {
      return "has a host name that is not known; check the address"
    }
    return reason(for: first)
  }

  private static func reason(for error: IOError) -> String {
    switch error.errnoCode {
    case ECONNREFUSED: "refused the connection; check the address, and that the server is running"
    case ENETUNREACH, EHOSTUNREACH: "is on a network that this machine cannot reach"
    case ECONNRESET, EPIPE: "closed the connection without an answer"
    default: "could not be reached: \(String(cString: strerror(error.errnoCode)))"
    }
  }

  /// The libraries for TLS and HTTP throw errors whose types are not all public.
  private static func otherReason(for error: any Error) -> String {
    let text = "\(error)"
    if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate") {
      return
        "has a certificate that this machine does not trust: it is self-signed, expired, or for "
        + "another host"
    }
    if text.contains("handshakeFailed") || text.contains("WRONG_VERSION_NUMBER") {
      return "does not speak TLS; check whether the address begins with https or http"
    }
    if text.contains("invalidHeader") || text.contains("HTTPParserError") {
      return "does not speak HTTP; check the port"
    }
    return "does not answer: \(text)"
  }
}
