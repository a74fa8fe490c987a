// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NIOSSL
import TestSupport
import Testing
import WebClient

@testable import NetRunnerWeb

/// Tests encryption with a certificate that is made for the test.
@Suite struct BundleDownloadEncryptionTests {
  private static let openssl = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.enabled(if: openssl != nil, "OpenSSL isn't installed."))
  func `a server's certificate must be trusted and match the host name`() async throws {
    let files = try TestFolder()
    let folder = files.path
    let process = try ChildProcess(
      try #require(Self.openssl),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", folder + "/key.pem", "-out", folder + "/certificate.pem", "-days", "2",
        "-subj", "/CN=bundles.example", "-addext", "subjectAltName=DNS:bundles.example",
      ])
    let result = await process.finish()
    try #require(result.status == 0, "\(result.error)")
    let certificates = try NIOSSLCertificate.fromPEMFile(folder + "/certificate.pem")
    let key = try NIOSSLPrivateKey(file: folder + "/key.pem", format: .pem)
    let context = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key)))
    let server = try await ScriptedServer(tls: context) { _ in .reply("200 OK", body: [1, 2, 3]) }
    var download = BundleDownload(rules: AddressRules(allowsPrivateAddresses: true))
    download.resolver = HostResolver { _ in ["127.0.0.1"].compactMap { IPAddress($0) } }

    let file = folder + "/x.zip"
    func fetch(_ host: String) async throws {
      try await download.download("https://\(host):\(server.port)/x.zip", to: file)
    }
    // The system doesn't trust this certificate.
    var error = await #expect(throws: ImportError.self) { try await fetch("bundles.example") }
    #expect(error?.code == .connectionFailed)
    #expect(error?.message.contains("certificate") == true, "\(error?.message ?? "")")

    var trust = TLSConfiguration.makeClientConfiguration()
    trust.trustRoots = .certificates(certificates)
    download.tlsConfiguration = trust
    try await fetch("bundles.example")
    #expect(FileManager.default.contents(atPath: file) == Data([1, 2, 3]))
    try FileManager.default.removeItem(atPath: file)

    error = await #expect(throws: ImportError.self) { try await fetch("other.example") }
    #expect(error?.code == .connectionFailed)
    #expect(!FileManager.default.fileExists(atPath: file))
  }
}
#endif
