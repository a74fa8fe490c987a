// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
package import HummingbirdCore
import HummingbirdTLS
package import NIOCore
import NIOSSL

/// How a server of this package listens.
package enum WebServer {
  /// A certificate or its key that cannot be used; the message says which, and why.
  package struct CertificateError: Error {
    /// What people read.
    package let message: String
  }

  /// Makes an HTTP/1.1 server.
  ///
  /// - Parameters:
  ///   - certificate: The files of a certificate and its key, in PEM; nil serves without TLS.
  ///   - idleTime: After how long a silent connection is closed, and one that takes nothing.
  ///   - limits: How many connections there may be; nil for one that only this machine's monitors ask.
  ///   - handlers: What sees a connection's requests before the server does, as NIOHTTP1 reads them.
  /// - Returns: The server.
  /// - Throws: ``CertificateError``.
  package static func builder(
    certificate: (chain: String, key: String)?, idleTime: TimeAmount, limits: ConnectionLimits?,
    handlers: @escaping @Sendable () -> [any RemovableChannelHandler] = { [] }
  ) throws -> HTTPServerBuilder {
    let plain = HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(
        // What the first handlers answer themselves does not reach the limits' handler.
        additionalChannelHandlers: [
          WriteStallHandler(idleTime),
          PreCodecHandlers(
            handlers() + (limits.map { [ConnectionLimitHandler($0)] } ?? [])),
        ],
        idleTimeout: idleTime))
    guard let certificate else { return plain }
    let configuration = try configuration(of: certificate)
    do {
      return try .tls(plain, tlsConfiguration: configuration)
    } catch {
      throw Self.mismatch(certificate)
    }
  }

  /// Limits what a server accepts: more than ``ConnectionLimits`` let in, because these close others
  /// for it.
  package static func delegate(_ limits: ConnectionLimits) -> MaximumAvailableConnections {
    MaximumAvailableConnections(limits.total + ConnectionLimits.spare)
  }

  // MARK: - Certificates

  /// Checks that a certificate and its key can be used, and belong together.
  ///
  /// - Parameter certificate: The files, in PEM.
  /// - Throws: ``CertificateError``.
  package static func check(_ certificate: (chain: String, key: String)) throws {
    let configuration = try configuration(of: certificate)
    do {
      _ = try NIOSSLContext(configuration: configuration)
    } catch {
      throw mismatch(certificate)
    }
  }

  private static func configuration(
    of certificate: (chain: String, key: String)
  ) throws(CertificateError) -> TLSConfiguration {
    for (path, what) in [
      (certificate.chain, "certificate"), (certificate.key, "certificate's key"),
    ] {
      guard FileManager.default.isReadableFile(atPath: path) else {
        let isThere = FileManager.default.fileExists(atPath: path)
        throw CertificateError(
          message: "The \(what) '\(path)' "
            + (isThere ? "cannot be read. Check its permissions." : "is not there. Check the path.")
        )
      }
    }
    guard let chain = try? NIOSSLCertificate.fromPEMFile(certificate.chain), !chain.isEmpty else {
      throw CertificateError(
        message: "'\(certificate.chain)' has no certificate in PEM, which begins with "
          + "'-----BEGIN CERTIFICATE-----'. Name a file that has one.")
    }
    guard let key = try? NIOSSLPrivateKey(file: certificate.key, format: .pem) else {
      throw CertificateError(
        message:
          "'\(certificate.key)' has no private key in PEM that can be read. Name a file that "
          + "has one, without a passphrase.")
    }
    return .makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
  }

  private static func mismatch(_ certificate: (chain: String, key: String)) -> CertificateError {
    CertificateError(
      message: "The key '\(certificate.key)' does not belong to the certificate "
        + "'\(certificate.chain)'. Name the key that the certificate was made with.")
  }

  /// The address that people are told.
  ///
  /// - Parameters:
  ///   - host: What the server listens on; of all addresses of the machine one that others can know
  ///     is named.
  ///   - port: The port.
  ///   - isEncrypted: Whether there is a certificate.
  /// - Returns: As in `http://127.0.0.1:8080/`.
  package static func address(host: String, port: Int, isEncrypted: Bool) -> String {
    let host = ["0.0.0.0", "::"].contains(host) ? reachableAddress : host
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isEncrypted ? "https" : "http")://\(name):\(port)/"
  }

  /// The first address of this machine that others can know.
  private static var reachableAddress: String {
    // Where the system does not tell, this machine's own is true as well.
    let addresses = ((try? System.enumerateDevices()) ?? []).compactMap(\.address)
    return addresses.first { address in
      guard case .v4 = address, let number = address.ipAddress else { return false }
      return !number.hasPrefix("127.")
    }?.ipAddress ?? "127.0.0.1"
  }
}
#endif
