// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

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
  ///   - handlers: What sees a connection's requests before the server does, as NIOHTTP1 reads them.
  /// - Returns: The server.
  /// - Throws: ``CertificateError``.
  package static func builder(
    certificate: (chain: String, key: String)?, idleTime: TimeAmount,
    handlers: @escaping @Sendable () -> [any RemovableChannelHandler] = { [] }
  ) throws -> HTTPServerBuilder {
    let plain = HTTPServerBuilder.http1(
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [PatienceHandler(idleTime), FirstHandlers(handlers())],
        idleTimeout: idleTime))
    guard let (chain, key) = certificate else { return plain }
    do {
      let certificates = try NIOSSLCertificate.fromPEMFile(chain)
      let configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: certificates.map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
      return try .tls(plain, tlsConfiguration: configuration)
    } catch {
      throw CertificateError(
        message:
          "The certificate '\(chain)' and the key '\(key)' cannot be used: \(error). Both must be PEM."
      )
    }
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
