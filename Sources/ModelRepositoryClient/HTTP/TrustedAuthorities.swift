// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import NIOSSL
import TensorIO

/// The certificate authorities that are trusted for encrypted connections.
enum TrustedAuthorities {
  /// The environment variable that names a file of authorities to trust instead of the system's.
  ///
  /// OpenSSL uses the same variable.
  private static let variable = "SSL_CERT_FILE"

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

  private static func certificates(
    in file: String, _ what: String
  ) throws -> [NIOSSLCertificate] {
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
