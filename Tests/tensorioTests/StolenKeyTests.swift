// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

@testable import ModelRepositoryAPI

/// The story of a stolen signing key from Documentation/ModelHosting.md, with the commands that it
/// names.
///
/// The server, the client and the thief are separate processes.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct StolenKeyTests {
  private static let digits = CommandRunner.packageFolder.path + "/Demo/digits.tiobundle"
  private static let int8 = CommandRunner.packageFolder.path + "/Demo/digits-int8.tiobundle"

  /// A process that listens on a port until it is ended.
  private final class Server {
    let port: String
    private let process: ChildProcess

    /// The repository's server.
    init(data: String, port: String, _ environment: [String: String]) throws {
      process = try ChildProcess(
        CommandRunner.binary.path, ["repository", "serve", "--data", data, "--port", port],
        environment: ProcessInfo.processInfo.environment.merging(environment) { _, own in own })
      self.port = Self.port(process)
    }

    /// The thief's server, which serves the files of a folder.
    init(thief folder: String, port: String) throws {
      process = try ChildProcess(
        try #require(Python.path), ["-u", "-c", Self.script, folder, port])
      self.port = Self.port(process)
    }

    private static func port(_ process: ChildProcess) -> String {
      let line = String(decoding: process.output.availableData, as: UTF8.self)
      return String(line.split(separator: ":").last ?? "").filter(\.isNumber)
    }

    func end(_ signal: Int32 = SIGKILL) async {
      kill(process.identifier, signal)
      _ = await process.finish()
    }

    private static let script = """
      import functools, http.server, sys
      handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
      server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), handler)
      print("port:", server.server_port, flush=True)
      server.serve_forever()
      """
  }

  private let folder: TemporaryFolder
  private var environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    environment = [
      "XDG_STATE_HOME": folder.path + "/state", "XDG_CACHE_HOME": folder.path + "/cache",
    ]
  }

  private var data: String { folder.path + "/models-data" }

  @discardableResult
  private func run(
    _ arguments: String..., status: Int32 = 0, cache: String = "cache",
    location: SourceLocation = #_sourceLocation
  ) async throws -> (output: String, error: String) {
    var environment = environment
    environment["XDG_CACHE_HOME"] = folder.path + "/" + cache
    let result = try await CommandRunner.run(
      ["repository"] + arguments, environment: environment)
    #expect(
      result.status == status, "\(arguments): \(result.output)\(result.error)",
      sourceLocation: location)
    return (result.output, result.error)
  }

  /// Pulls the newest version, and returns the output, or the error if the pull must fail.
  private func pull(
    _ key: String, status: Int32 = 0, cache: String = "cache",
    location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let (output, error) = try await run(
      "pull", "digits", "--key", key, "-o", folder.path + "/out-" + cache, "--force",
      status: status, cache: cache, location: location)
    return status == 0 ? output : error
  }

  /// Writes the files that a server with the stolen key sends: a different model, and a document
  /// with the highest version.
  private func makeLoot(_ key: SigningKey, in loot: String) throws {
    func write(_ bytes: Data, to path: String) throws {
      let file = URL(filePath: loot + path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: file)
    }
    let names = try FileManager.default.subpathsOfDirectory(atPath: Self.int8)
      .filter { FileSystem.isFile(Self.int8 + "/" + $0) }
    let model = try #require(RepositoryName("digits"))
    let version = try #require(RepositoryName("6.6.6"))
    let files = try names.map { name in
      let bytes = try Data(FileSystem.read(Self.int8 + "/" + name))
      let digest = BlobDigest(of: bytes)
      try write(bytes, to: "/v1/blobs/\(digest)")
      return VersionManifest.File(path: name, digest: digest, size: bytes.count)
    }
    let manifest = VersionManifest(model: model, version: version, format: .bundle, files: files)
    let bytes = try RepositoryJSON.encode(manifest)
    let reference = BlobReference(digest: BlobDigest(of: bytes), size: bytes.count)
    try write(bytes, to: "/v1/blobs/\(reference.digest)")
    let document = ChannelDocument(
      model: model, channel: .stable, documentVersion: ChannelDocument.maximumVersion,
      issued: .now, expires: .now + 300 * 24 * 3600,
      release: ChannelDocument.Release(
        version: version, sequence: 1_000_000, manifest: reference, size: manifest.size),
      minimumSafeSequence: 1_000_000)
    try write(
      RepositoryJSON.encode(SignedDocument(document, by: [key])),
      to: "/v1/models/digits/channels/stable")
  }

  @Test func `a stolen key is replaced, and clients recover without an update`() async throws {
    var copy = self
    try await copy.story()
  }

  private mutating func story() async throws {
    let (made, _) = try await run(
      "token", "create", "me", "--scope", "publish", "--scope", "rollout", "--data", data)
    environment["TENSORIO_REPOSITORY_TOKEN"] = made.trimmingCharacters(in: .newlines)
    var server = try Server(data: data, port: "0", environment)
    let port = server.port
    environment["TENSORIO_REPOSITORY"] = "http://127.0.0.1:\(port)"
    try await run("push", Self.digits, "--model", "digits", "--as", "1.0", "--channel", "stable")
    let key = try await run("keys").output.trimmingCharacters(in: .newlines)
    #expect(try await pull(key).contains("digits 1.0"))

    // The thief has the key and takes the server's place.
    let loot = folder.path + "/loot"
    let stolen = try SigningKey(
      String(contentsOfFile: data + "/keys/signing.key", encoding: .utf8)
        .trimmingCharacters(in: .newlines))
    try makeLoot(stolen, in: loot)
    await server.end(SIGTERM)
    var thief = try Server(thief: loot, port: port)
    #expect(try await pull(key).contains("digits 6.6.6"))
    await thief.end()

    // The real server is back, but clients no longer trust it.
    server = try Server(data: data, port: port, environment)
    #expect(try await pull(key, status: 65).contains("has already seen version"))

    // The operator's commands, while the server runs.
    let root = folder.path + "/root.key"
    try await run("keys", "rotate", "--stolen", "--root-key", root, "--data", data, status: 65)
    try await run("keys", "create", "--root", root, "--data", data)
    let (before, _) = try await run("verify", "digits", "--key", key)
    let rotated = try await run(
      "keys", "rotate", "--stolen", "--root-key", root, "--data", data
    ).output
    #expect(rotated.contains("keys that sign: ") && rotated.contains("revoked keys: " + key))
    // The server looks for a new key once a second, then signs new versions of its documents.
    let isReplaced = try await eventually {
      try await run("verify", "digits", "--key", key).output != before
    }
    #expect(isReplaced)

    // The same client, with the same built-in key.
    #expect(try await pull(key).contains("digits 1.0"))
    try await run("verify", "digits", "--key", key)
    let (list, _) = try await run("keys", "list", "--data", data)
    #expect(list.contains("revoked") && list.contains("signing-2"), "\(list)")
    let rootKey = try await run("keys", "--data", data).output.trimmingCharacters(in: .newlines)
    for pinned in [key, rootKey] {
      #expect(
        try await pull(pinned, cache: "new-" + pinned.prefix(4)).contains("digits 1.0"))
    }

    // The thief comes back, with a forged root document as well.
    await server.end(SIGTERM)
    thief = try Server(thief: loot, port: port)
    #expect(try await pull(key, status: 65).contains("no valid signature"))
    let forged = RootDocument(
      version: 3, issued: .now, expires: .now + 24 * 3600,
      root: RootDocument.RootRole(threshold: 1, keys: [SigningKey().verificationKey]),
      channels: RootDocument.ChannelRole(
        keys: [RootDocument.ChannelKey(stolen.verificationKey)]))
    try FileManager.default.createDirectory(
      atPath: loot + "/v1/root", withIntermediateDirectories: true)
    try RepositoryJSON.encode(SignedDocument(forged, by: [stolen]))
      .write(to: URL(filePath: loot + "/v1/root/3"))
    _ = try await pull(key, status: 65)
    await thief.end()

    // The next change works as usual, even if the server is killed in between.
    server = try Server(data: data, port: port, environment)
    try await run("push", Self.int8, "--model", "digits", "--as", "2.0")
    await server.end(SIGKILL)
    try await run("keys", "rotate", "--root-key", root, "--data", data)
    server = try Server(data: data, port: port, environment)
    try await run("channel", "digits", "--set", "2.0")
    #expect(try await pull(key).contains("digits 2.0"))
    await server.end(SIGTERM)
    try await run("fsck", "--data", data)
  }

  @Test func `a lost or readable key stops the server with the command that fixes it`() async throws
  {
    try await run("token", "create", "me", "--scope", "admin", "--data", data)
    let path = data + "/keys/signing.key"
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let (_, readable) = try await run("serve", "--data", data, "--port", "0", status: 65)
    #expect(readable.contains("chmod 600"), "\(readable)")
    try await run("serve", "--data", data, "--document-days", "401", status: 64)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let rootKey = folder.path + "/root.key"
    try await run("keys", "create", "--root", rootKey, "--data", data)
    try await run("keys", "create", "--root", rootKey, "--data", data, status: 65)
    try FileManager.default.removeItem(atPath: path)
    let (_, lost) = try await run("serve", "--data", data, "--port", "0", status: 65)
    #expect(lost.contains("keys rotate --data"), "\(lost)")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: rootKey)
    let (_, exposed) = try await run(
      "keys", "rotate", "--root-key", rootKey, "--data", data, status: 65)
    #expect(exposed.contains("chmod 600"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: rootKey)
    try await run("keys", "rotate", "--root-key", rootKey, "--data", data)
    let (list, _) = try await run("keys", "list", "--data", data, "--json")
    let records = try RepositoryJSON.decode([KeyRecord].self, from: Data(list.utf8))
    #expect(records.map(\.state) == [.trusted, .signing])
    // A key can be added and retired.
    try await run("keys", "create", "more", "--root-key", rootKey, "--data", data)
    try await run("keys", "retire", "more", "--root-key", rootKey, "--data", data)
    try await run("keys", "retire", "signing-2", "--root-key", rootKey, "--data", data, status: 65)
    try await run("keys", "renew", "--days", "400", "--root-key", rootKey, "--data", data)
    try await run(
      "keys", "renew", "--days", "401", "--root-key", rootKey, "--data", data, status: 64)
  }
}
#endif
