// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import NIOSSL
import TensorIO
import TestSupport
import Testing

@testable import ModelRepositoryClient

@Suite struct TrustedAuthoritiesTests {
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBdTCCARugAwIBAgIUIUp11fHPunW8OquVnjkZvKDsxpUwCgYIKoZIzj0EAwIw
    DzENMAsGA1UEAwwEVGVzdDAgFw0yNjExMjgxMzU5NDVaGA8yMTI2MTEwNDEzNTk0
    NVowDzENMAsGA1UEAwwEVGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJ/4
    0do9PHBLh2+Vq4p9OYkQ0ZUGHtZjkw6sidpiP+ZiyEdnhkSj1/GntYysPrRypUbh
    VWJH4zwfzMuckci9yMWjUzBRMB0GA1UdDgQWBBS9q0fRLZa9iU1zTHwSZDAQoyt+
    FTAfBgNVHSMEGDAWgBS9q0fRLZa9iU1zTHwSZDAQoyt+FTAPBgNVHRMBAf8EBTAD
    AQH/MAoGCCqGSM49BAMCA0gAMEUCIGa+xsez4ZWKUH22NtsYluTaJdLvnKR7nURP
    p0ju2spUAiEAqQRm6CYBCcqfy83YfCetC+sFth0zw6NeOvgO3za6q+w=
    -----END CERTIFICATE-----

    """

  @Test func `a file of authorities is read again after it changed`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "authorities-\(UUID()).pem")
    defer { try? FileManager.default.removeItem(at: file) }
    func count() throws -> Int {
      let configuration = try TrustedAuthorities.configuration(adding: file.path)
      guard case .certificates(let certificates) = configuration?.additionalTrustRoots.first else {
        return 0
      }
      return certificates.count
    }
    #expect(throws: TensorIOError.self) { try count() }
    try Data(Self.certificate.utf8).write(to: file)
    for _ in 0..<2 { try #expect(count() == 1) }
    try Data((Self.certificate + Self.certificate).utf8).write(to: file)
    for _ in 0..<2 { try #expect(count() == 2) }
    try Data("no certificate".utf8).write(to: file)
    for _ in 0..<2 { #expect(throws: TensorIOError.self) { try count() } }
    try FileManager.default.removeItem(at: file)
    #expect(throws: TensorIOError.self) { try count() }
  }
}
#endif
