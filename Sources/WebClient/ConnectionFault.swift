// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Explains why a server couldn't be reached, or why its response couldn't be read.
package struct ConnectionFault: Sendable {
  /// What happened.
  package enum Kind: Hashable, Sendable {
    case cancelled
    /// There was no connection in time.
    case noConnection
    case noHandshake
    /// The server sent or received nothing for too long.
    case stalled
    /// The response didn't arrive by its deadline.
    case late
    case closed
    case notHTTP
    case notTLS
    case tooLarge
    case untrustedCertificate
    case certificateOfAnotherHost
    case unknownHost
    /// The connection reached a different machine than ``WebClient/Policy/only`` allows.
    case wrongComputer
    /// A system call failed with this error.
    case system(CInt)
    case other
  }

  /// The time limit that commands set for making a connection, in seconds.
  ///
  /// Including the time to start and to explain the failure, a command answers within five seconds.
  package static let connectSeconds = 4

  package let kind: Kind
  /// Whether there was no connection, so that another address of the server may work.
  package let isUnconnected: Bool
  private let text: String

  /// Examines an error that the network library threw.
  package init(_ error: any Error) {
    kind = Self.kind(of: error)
    isUnconnected =
      error is IOError || error is NIOConnectionError || error is ChannelError
      || error as? HTTPClientError == .connectTimeout
    text = "\(error)"
  }

  /// Whether a retry would fail in the same way, because of the server's certificate.
  package var isLasting: Bool {
    kind == .untrustedCertificate || kind == .certificateOfAnotherHost
  }

  // MARK: - Kinds

  private static func kind(of error: any Error) -> Kind {
    switch error {
    case is CancellationError: .cancelled
    case let error as HTTPClientError: kind(of: error)
    case let error as NIOConnectionError: kind(of: error)
    case let error as IOError:
      [ECONNRESET, EPIPE].contains(error.errnoCode) ? .closed : .system(error.errnoCode)
    case let error as ChannelError where Self.closed.contains(error): .closed
    case is HTTPParserError: .notHTTP
    case is NIOTooManyBytesError: .tooLarge
    case is WebClient.WrongComputer: .wrongComputer
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      .certificateOfAnotherHost
    default: kind(ofText: "\(error)")
    }
  }

  /// What the network library throws after the server has closed the connection.
  private static let closed: [ChannelError] = [
    .eof, .inputClosed, .outputClosed, .ioOnClosedChannel, .alreadyClosed,
  ]

  private static func kind(of error: HTTPClientError) -> Kind {
    switch error {
    case .cancelled: .cancelled
    case .connectTimeout, .getConnectionFromPoolTimeout: .noConnection
    case .tlsHandshakeTimeout: .noHandshake
    case .readTimeout, .writeTimeout: .stalled
    case .deadlineExceeded: .late
    case .remoteConnectionClosed: .closed
    default: kind(ofText: "\(error)")
    }
  }

  private static func kind(of error: NIOConnectionError) -> Kind {
    let failures = error.connectionErrors.map(\.error)
    guard let first = failures.first(where: { $0 is IOError }) ?? failures.first else {
      return .unknownHost
    }
    return kind(of: first)
  }

  /// Recognizes errors by their text, because the TLS and HTTP libraries throw some errors whose
  /// types aren't public.
  private static func kind(ofText text: String) -> Kind {
    func has(_ words: String...) -> Bool { words.contains { text.contains($0) } }
    if has("CERTIFICATE_VERIFY_FAILED", "unableToValidateCertificate") {
      return .untrustedCertificate
    }
    if has("handshakeFailed", "WRONG_VERSION_NUMBER", "uncleanShutdown") { return .notTLS }
    return has("invalidHeader", "HTTPParserError") ? .notHTTP : .other
  }

  // MARK: - Words

  /// Returns a clause for a sentence that already says what failed.
  ///
  /// - Parameters:
  ///   - server: What the server is called, such as "the server".
  ///   - host: The server's host, which its certificate should prove.
  ///   - policy: The policy of the client that failed.
  /// - Returns: What happened, such as "the server closed the connection early".
  package func clause(
    _ server: String, _ host: String, _ policy: WebClient.Policy
  ) -> String {
    switch kind {
    case .noConnection, .noHandshake: "\(server) didn't respond within \(policy.connect)"
    case .stalled:
      "\(server) \(policy.limitsSending ? "sent and received" : "sent") nothing for \(policy.stall)"
    case .late: "\(server) didn't respond in time"
    case .closed: "\(server) closed the connection early"
    case .notHTTP: "\(server)'s response isn't valid HTTP, or it ended too early"
    case .tooLarge: "\(server)'s response is too large"
    case .untrustedCertificate, .certificateOfAnotherHost:
      "\(server)'s certificate doesn't prove that it is '\(host)'"
    case .unknownHost: "\(server)'s host name is unknown"
    case .wrongComputer:
      "the connection reached a different server than the one that was checked"
    case .system(let code): String(cString: strerror(code)).lowercased()
    case .cancelled, .notTLS, .other: text
    }
  }

  /// Returns the end of a sentence that starts with the server's address.
  ///
  /// If the server's certificate was refused, this connects again to find out why.
  ///
  /// - Returns: What happened and what to check, without a period at the end.
  package func advice(at address: String) async -> String {
    guard kind == .untrustedCertificate, let url = URL(string: address), let host = url.host()
    else { return advice }
    // If this fails, only the reason stays unknown.
    let reason = try? await ServerCertificate.fault(
      ofHost: host.filter { !"[]".contains($0) }, port: url.port ?? 443
    ).get()
    return reason.flatMap { $0 } ?? advice
  }

  private var advice: String {
    let scheme = "whether the address begins with https or http"
    return switch kind {
    case .noConnection:
      "could not be reached within \(Self.connectSeconds) seconds; check the address and the "
        + "network"
    case .noHandshake:
      "accepted the connection, but didn't complete the TLS handshake; check \(scheme)"
    case .stalled, .late: "accepted the connection, but didn't respond in time"
    case .closed: "closed the connection without a response; check the port, and \(scheme)"
    case .notHTTP: "does not speak HTTP; check the port, and \(scheme)"
    case .notTLS: "does not speak TLS; check the port, and \(scheme)"
    case .untrustedCertificate:
      "has a certificate from an authority that this machine doesn't trust; set SSL_CERT_FILE to "
        + "a file with the authority's certificate, or pass the file with --ca if the command "
        + "has that option"
    case .certificateOfAnotherHost:
      "has a certificate for another host; use the name in the certificate, or give the server a "
        + "certificate for this name"
    case .unknownHost: "has an unknown host name; check the address"
    case .system(ECONNREFUSED):
      "refused the connection; check the address, and that the server is running"
    case .system(ENETUNREACH), .system(EHOSTUNREACH):
      "is on a network that this machine can't reach"
    case .system(let code): "could not be reached: \(String(cString: strerror(code)))"
    case .cancelled, .tooLarge, .wrongComputer, .other: "doesn't respond: \(text)"
    }
  }
}
#endif
