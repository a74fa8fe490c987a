// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The command line with servers that can't be reached or whose certificates are private.
@Suite(
  .enabled(if: TestCertificates.openssl != nil, "The program openssl is missing."))
struct RepositoryConnectionTests {
  private static let digits = CommandRunner.packageFolder.path + "/Demo/digits.tiobundle"

  /// The error of a command that can't reach its server.
  ///
  /// The command reports it within five seconds, apart from the start of the program. On a busy machine
  /// a single run may take longer, so slow runs are repeated.
  private static func fault(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> String {
    let run = {
      try await CommandRunner.run(arguments, environment: environment.mapValues(Optional.some))
    }
    let clock = ContinuousClock()
    let start = clock.now
    let result = try await run()
    var fastest = clock.now - start
    for _ in 0..<2 where fastest > .seconds(5) {
      fastest = min(fastest, try await clock.measure { _ = try await run() })
    }
    if fastest > .seconds(5) {
      let alone = try await clock.measure {
        _ = try await CommandRunner.run(["repository", "--help"])
      }
      #expect(fastest < .seconds(5) + alone * 5, "\(arguments) took \(fastest)")
    }
    #expect(result.status == 65, "\(arguments): \(result.output)\(result.error)")
    #expect(result.error.hasPrefix("error: ") && result.error.count < 500, "\(result.error)")
    for raw in ["NIO", "HTTPClientError", "Error(", "sslError", "OPENSSL"] {
      #expect(!result.error.contains(raw), "\(result.error)")
    }
    return result.error
  }

  /// The client commands with all arguments except the server.
  private static func commands(_ folder: String, key: String) -> [[String]] {
    [
      ["models"], ["keys"], ["audit"], ["token", "list"], ["channel", "digits"],
      ["rollout", "promote", "digits"], ["verify", "digits", "--key", key],
      ["pull", "digits", "--key", key, "-o", folder],
      ["push", digits, "--model", "digits", "--as", "1.0", "--no-check"],
    ].map { ["repository"] + $0 }
  }

  @Test func `every command trusts a private authority that is passed with --ca`() async throws {
    let certificates = try TestCertificates()
    let repository = try await RunningRepository(
      ["--cert", certificates.chain, "--key", certificates.key],
      variables: ["SSL_CERT_FILE": certificates.authority])
    let folder = try TemporaryFolder()
    #expect(repository.address.hasPrefix("https://"))
    try await repository.run(
      "push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    #expect(try await repository.pull("digits", into: folder.path) == "1.0")
    for command in Self.commands(folder.path + "/other", key: repository.key) {
      let server = ["--server", repository.address]
      let refusal = try await Self.fault(command + server)
      #expect(refusal.contains("'\(repository.address)"), "\(refusal)")
      #expect(refusal.contains("--ca") && refusal.contains("SSL_CERT_FILE"), "\(refusal)")
      var arguments = command + server + ["--ca", certificates.authority]
      arguments.removeFirst()
      let (output, error) = try await repository.run(
        arguments, status: command.contains("promote") ? 64 : 0,
        without: ["SSL_CERT_FILE"])
      #expect(!error.contains("certificate"), "\(output)\(error)")
    }
  }

  @Test func `an expired certificate and one for another host are reported as such`()
    async throws
  {
    for (certificates, words) in [
      (try TestCertificates(names: "DNS:models.example.com"), "for another host"),
      (try TestCertificates(days: "-1"), "expired on"),
    ] {
      let repository = try await RunningRepository(
        ["--cert", certificates.chain, "--key", certificates.key], asksForKey: false)
      for command in Self.commands("/tmp", key: "N/EwkvhEUXk6iY70jnDBbpwB8wjqLB8AMpBcO/dcgSM=") {
        let refusal = try await Self.fault(
          command + ["--server", repository.address, "--ca", certificates.authority])
        #expect(refusal.contains(words), "\(refusal)")
        #expect(refusal.contains("'\(repository.address)"), "\(refusal)")
      }
    }
  }

  @Test func `http instead of https, and the reverse, is reported`() async throws {
    let certificates = try TestCertificates()
    let plain = try await RunningRepository(asksForKey: false)
    let secure = try await RunningRepository(
      ["--cert", certificates.chain, "--key", certificates.key], asksForKey: false)
    for address in [
      plain.address.replacing("http:", with: "https:"),
      secure.address.replacing("https:", with: "http:"),
    ] {
      for command in Self.commands("/tmp", key: "N/EwkvhEUXk6iY70jnDBbpwB8wjqLB8AMpBcO/dcgSM=") {
        let refusal = try await Self.fault(command + ["--server", address])
        #expect(refusal.contains("begins with https or http"), "\(refusal)")
        #expect(refusal.contains("'\(address)"), "\(refusal)")
      }
    }
  }

  @Test(arguments: [
    ("http://127.0.0.1:9", "refused the connection"),
    ("https://nobody.invalid:8090", "host name"),
  ])
  func `an unreachable server is reported within five seconds`(address: String, words: String)
    async throws
  {
    for command in Self.commands("/tmp", key: "N/EwkvhEUXk6iY70jnDBbpwB8wjqLB8AMpBcO/dcgSM=") {
      let refusal = try await Self.fault(command + ["--server", address])
      #expect(refusal.contains("'\(address)") && refusal.contains(words), "\(refusal)")
    }
  }

  @Test func `files that aren't certificates are refused and named`() async throws {
    let folder = try TemporaryFolder()
    let text = folder.path + "/text.pem"
    try Data("no certificate".utf8).write(to: URL(filePath: text))
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    for (file, words) in [
      (text, "contains no certificate"), (pipe, "is a pipe"), (folder.path, "is a folder"),
      ("/dev/zero", "is a device"),
    ] {
      for command in Self.commands("/tmp", key: "N/EwkvhEUXk6iY70jnDBbpwB8wjqLB8AMpBcO/dcgSM=") {
        let refusal = try await Self.fault(
          command + ["--server", "https://127.0.0.1:9", "--ca", file])
        #expect(refusal.contains(words) && refusal.contains(file), "\(refusal)")
      }
      let refusal = try await Self.fault(
        ["repository", "models", "--server", "https://127.0.0.1:9"],
        environment: ["SSL_CERT_FILE": file])
      #expect(refusal.contains(words) && refusal.contains(file), "\(refusal)")
    }
  }

  @Test func `Net Runner trusts a root document and a private authority`() async throws {
    let certificates = try TestCertificates()
    let repository = try await RunningRepository(
      ["--cert", certificates.chain, "--key", certificates.key],
      variables: ["SSL_CERT_FILE": certificates.authority])
    let folder = try TemporaryFolder()
    try await repository.run(
      "push", Self.digits, "--model", "hosted", "--as", "1.0", "--channel", "stable")
    try await repository.run(
      "keys", "create", "--root", folder.path + "/root.key", "--data", repository.data)
    let root = repository.data + "/roots/1.json"
    #expect(FileSystem.isFile(root))
    let server = try RunningServer([
      "--repository", repository.address, "--root", root, "--ca", certificates.authority,
    ])
    let curl = try ChildProcess(
      "/usr/bin/env",
      ["curl", "-sS", "--max-time", "300", server.address + "api/v1/repository"])
    let list = await curl.finish().output
    #expect(list.contains(#""name":"hosted""#) && list.contains(#""state":"new""#), "\(list)")
    for arguments in [["--root", root, "--repository-key", repository.key], []] {
      let result = try await CommandRunner.run(
        ["netrunner", "--no-browser", "--repository", repository.address] + arguments)
      #expect(result.status == 64 && result.error.contains("--repository-root"))
    }
  }
}

/// A private authority and a server certificate that it signed.
struct TestCertificates {
  static let openssl = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private let folder: TemporaryFolder
  var authority: String { folder.path + "/ca.pem" }
  var chain: String { folder.path + "/server.pem" }
  var key: String { folder.path + "/server.key" }

  init(names: String = "IP:127.0.0.1,DNS:localhost", days: String = "30") throws {
    folder = try TemporaryFolder()
    try Data("subjectAltName=\(names)\n".utf8)
      .write(to: URL(filePath: folder.path + "/names"))
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for arguments in [
      ["req", "-x509", "-subj", "/CN=Test authority", "-keyout", "ca.key", "-out", "ca.pem"] + key,
      ["req", "-subj", "/CN=Test server", "-keyout", "server.key", "-out", "server.csr"] + key,
      [
        "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", days,
        "-CAcreateserial", "-extfile", "names", "-out", "server.pem",
      ],
    ] {
      let process = try ChildProcess(
        try #require(Self.openssl), arguments, in: folder.path)
      try #require(process.wait() == 0)
    }
  }
}
#endif
