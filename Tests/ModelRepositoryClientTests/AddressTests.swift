// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryClient

@Suite struct ModelRepositoryAddressTests {
  private func address(_ text: String, insecure: Bool = false) throws -> RepositoryAddress {
    try RepositoryAddress(server: text, allowsInsecureConnections: insecure)
  }

  @Test(arguments: [
    "", "models.example.com", "ftp://models.example.com", "https://", "https:///x",
    "https://user@models.example.com", "https://user:secret@models.example.com",
    "https://models.example.com?x=1", "https://models.example.com#x",
    "http://models.example.com", "http://127.0.0.1.example.com", "http://127.1.2",
    "http://localhost.example.com", "http://10.0.0.1", "http://[::2]", "file:///etc",
  ])
  func `an invalid or unsafe address is rejected`(_ text: String) {
    let error = #expect(throws: ModelRepositoryClientError.self) { try address(text) }
    #expect(error?.code == .invalidConfiguration)
  }

  @Test(arguments: [
    "https://models.example.com", "https://models.example.com:8443/base/", "http://127.0.0.1:80",
    "http://localhost:8080", "http://[::1]:8080/", "HTTPS://models.example.com", "http://127.9.9.9",
  ])
  func `HTTPS is allowed everywhere, and HTTP only on this computer`(_ text: String) throws {
    _ = try address(text)
  }

  @Test func `appending a path keeps the origin`() throws {
    let server = try address("https://Models.example.com/base/")
    let resource = server.appending("/v1/blobs/sha256:00")
    #expect(resource.shown == "https://Models.example.com/base/v1/blobs/sha256:00")
    #expect(resource.origin == server.origin)
    #expect(server.origin == "https://models.example.com:443")
    #expect(try address("http://models.example.com", insecure: true).origin.hasSuffix(":80"))
  }

  @Test func `redirections keep encryption or stay on this computer`() throws {
    func redirected(
      _ from: String, _ to: String, insecure: Bool = false
    ) throws -> String {
      try address(from, insecure: insecure)
        .redirected(to: to, allowsInsecureConnections: insecure).shown
    }
    #expect(try redirected("https://a.example/x", "https://b.example/y") == "https://b.example/y")
    #expect(try redirected("https://a.example/x/y", "z") == "https://a.example/x/z")
    #expect(try redirected("http://127.0.0.1/x", "http://[::1]/y") == "http://[::1]/y")
    #expect(
      try redirected("http://a.example/", "http://b.example/", insecure: true)
        == "http://b.example/")
    for (from, to, insecure) in [
      ("https://a.example/", "http://b.example/", false),
      ("https://a.example/", "http://b.example/", true),
      ("https://a.example/", "http://127.0.0.1/", false),
      ("http://127.0.0.1/", "http://b.example/", false),
      ("http://127.0.0.1/", "https://b.example/", false),
      ("https://a.example/", "https://user:pw@b.example/", false),
      ("https://a.example/", "data:,x", false),
    ] {
      #expect(throws: ModelRepositoryClientError.self) {
        try redirected(from, to, insecure: insecure)
      }
    }
  }

  @Test func `invalid configurations are rejected`() throws {
    let key = SigningKey().verificationKey
    let folder = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID())").path
    let good = ModelRepositoryConfiguration(
      server: "https://models.example.com", keys: [key], folder: folder)
    let changes: [(inout ModelRepositoryConfiguration) -> Void] = [
      { $0.keys = [] }, { $0.folder = "" }, { $0.server = "x" }, { $0.retries = -1 },
      { $0.stallTimeout = .zero }, { $0.connectTimeout = .seconds(-1) },
      { $0.retryDelay = .seconds(-1) }, { $0.installationID = "" },
      { $0.installationID = String(repeating: "x", count: 201) },
    ]
    for change in changes {
      var configuration = good
      change(&configuration)
      let error = #expect(throws: ModelRepositoryClientError.self) {
        try ModelRepositoryClient(configuration)
      }
      #expect(error?.code == .invalidConfiguration)
    }
    #expect(!FileManager.default.fileExists(atPath: folder))
    var nowhere = good
    nowhere.folder = "/proc/no/folder"
    let error = #expect(throws: ModelRepositoryClientError.self) {
      try ModelRepositoryClient(nowhere)
    }
    #expect(error?.code == .cannotWrite)
  }
}
#endif
