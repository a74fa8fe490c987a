// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import Synchronization
import TestSupport

@testable import ModelRepositoryAPI
@testable import ModelRepositoryClient

/// A repository with a cache for its clients.
///
/// Its server is honest unless a test makes it lie.
final class TestRepository: Sendable {
  typealias Server = ScriptedRepositoryServer
  typealias Release = ChannelDocument.Release

  private struct Content {
    var blobs: [String: [UInt8]] = [:]
    var documents: [String: (bytes: [UInt8], etag: String)] = [:]
    var versions: [String: Int] = [:]
    var script: (@Sendable (Server.Request) -> Server.Answer?)?
  }

  /// When documents are issued and expire, in whole seconds, which is what documents store.
  static let issued = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded() - 100)
  static let expires = issued + 300 * 24 * 3600

  let key = SigningKey()
  let server: Server
  /// The folder of the cache.
  let folder = FileManager.default.temporaryDirectory.appending(path: "repository-\(UUID())").path
  private let content: SharedContent

  private final class SharedContent: Sendable {
    let state = Mutex(Content())
  }

  init() async throws {
    let content = SharedContent()
    self.content = content
    server = try await Server { request in
      let script = content.state.withLock { $0.script }
      return script?(request) ?? content.state.withLock { Self.answer(request, $0) }
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Changes the server's responses, which stay honest wherever the script returns nil.
  func answers(_ script: (@Sendable (Server.Request) -> Server.Answer?)?) {
    content.state.withLock { $0.script = script }
  }

  // MARK: - Publishing

  /// Publishes a version.
  @discardableResult
  func publish(
    _ version: String, _ sequence: Int, _ files: [String: [UInt8]],
    model: RepositoryName = .digits, format: VersionManifest.Format = .bundle
  ) throws -> Release {
    let entries = files.map { path, bytes in
      VersionManifest.File(path: path, digest: BlobDigest(of: bytes), size: bytes.count)
    }
    let manifest = VersionManifest(
      model: model, version: .named(version), format: format, files: entries)
    let bytes = Array(try RepositoryJSON.encode(manifest))
    content.state.withLock { content in
      for blob in files.values { content.blobs[BlobDigest(of: blob).hexadecimal] = blob }
      content.blobs[BlobDigest(of: bytes).hexadecimal] = bytes
    }
    return Release(
      version: manifest.version, sequence: sequence,
      manifest: BlobReference(digest: BlobDigest(of: bytes), size: bytes.count),
      size: manifest.size)
  }

  /// Points the channel at a release in a document with the next version.
  @discardableResult
  func point(
    to release: Release?, model: RepositoryName = .digits, by keys: [SigningKey]? = nil,
    _ change: (inout ChannelDocument) -> Void = { _ in }
  ) throws -> SignedDocument {
    let version = content.state.withLock { content in
      content.versions[model.text, default: 0] += 1
      return content.versions[model.text] ?? 0
    }
    var document = ChannelDocument(
      model: model, channel: .stable, documentVersion: version,
      issued: Self.issued, expires: Self.expires, release: release)
    change(&document)
    let signed = try SignedDocument(document, by: keys ?? [key])
    try serve(signed, as: model)
    return signed
  }

  /// Serves a document without checking it.
  func serve(_ signed: SignedDocument, as model: RepositoryName = .digits) throws {
    try serve(Array(RepositoryJSON.encode(signed)), as: model)
  }

  func serve(_ bytes: [UInt8], as model: RepositoryName = .digits) throws {
    content.state.withLock {
      $0.documents["/v1/models/\(model)/channels/stable"] = (
        bytes, "\"\(BlobDigest(of: bytes).hexadecimal.prefix(16))\""
      )
    }
  }

  /// Serves only these root documents, starting with the first.
  func serve(roots: [SignedDocument]) throws {
    let bodies = try roots.map { Array(try RepositoryJSON.encode($0)) }
    content.state.withLock { content in
      content.documents = content.documents.filter { !$0.key.hasPrefix("/v1/root") }
      for (index, body) in bodies.enumerated() {
        content.documents["/v1/root/\(index + 1)"] = (body, "\"\(index + 1)\"")
      }
    }
  }

  /// Serves bytes instead of the first root document.
  func serve(root bytes: [UInt8]) {
    content.state.withLock { $0.documents["/v1/root/1"] = (bytes, "\"1\"") }
  }

  /// The file with a client's state of the model.
  var stateFile: String {
    "\(folder)/models/\(BlobDigest(of: "digits".utf8).hexadecimal)/state.json"
  }

  /// Publishes a version of two files and points the channel at it.
  @discardableResult
  func ship(_ version: String, _ sequence: Int, size: Int = 1000) throws -> Release {
    let release = try publish(version, sequence, Self.files(version, size: size))
    try point(to: release)
    return release
  }

  static func files(_ version: String, size: Int = 1000) -> [String: [UInt8]] {
    let first = version.utf8.reduce(0) { $0 &+ Int($1) }
    let pattern = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ first) }
    return [
      "model.json": Array("{\"id\": \"\(version)\"}".utf8),
      "assets/model.tflite": repeating(pattern, count: size),
    ]
  }

  // MARK: - Clients

  var configuration: ModelRepositoryConfiguration {
    var configuration = ModelRepositoryConfiguration(
      server: "http://127.0.0.1:\(server.port)", keys: [key.verificationKey], folder: folder)
    configuration.installationID = "installation-1"
    configuration.retryDelay = .milliseconds(2)
    configuration.stallTimeout = longestWait
    configuration.retries = 2
    return configuration
  }

  /// Makes a client that looks like another process to the cache.
  func client(
    _ environment: ClientEnvironment = ClientEnvironment(),
    _ change: (inout ModelRepositoryConfiguration) -> Void = { _ in }
  ) throws -> ModelRepositoryClient {
    var configuration = configuration
    change(&configuration)
    return try ModelRepositoryClient(configuration, environment)
  }

  /// Downloads the channel's version, activates it and reports that it works.
  @discardableResult
  func use() async throws -> String? {
    let client = try client()
    _ = try await client.update(.digits)
    return try proven()
  }

  /// Loads the version that a new process gets, and reports that it works.
  func proven() throws -> String? {
    let client = try client()
    let model = try client.installed(.digits)
    try client.markLoaded(model)
    return model.version?.text
  }

  /// Returns the path of a blob's file in the store.
  func stored(_ bytes: [UInt8]) -> String { "\(folder)/store/\(BlobDigest(of: bytes).hexadecimal)" }

  func names(in subfolder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(subfolder)")) ?? [])
      .sorted()
  }

  // MARK: - Honest responses

  private static func answer(_ request: Server.Request, _ content: Content) -> Server.Answer {
    if let document = content.documents[request.path] {
      let fields = ["ETag: \(document.etag)"]
      if request.fields["if-none-match"] == document.etag {
        return .bytes(Server.Answer.head("304 Not Modified", fields), closes: false)
      }
      return .reply("200 OK", fields, body: document.bytes)
    }
    let digits = request.path.split(separator: ":").last.map(String.init) ?? ""
    guard request.path.hasPrefix("/v1/blobs/sha256:"), let bytes = content.blobs[digits] else {
      let code = request.path.contains("channels") ? "channel_not_found" : "blob_not_found"
      return .reply(
        "404 Not Found", ["Content-Type: application/problem+json"],
        body: Array(#"{"code":"\#(code)","status":404,"title":"There is none."}"#.utf8))
    }
    return blob(bytes, request)
  }

  /// Returns an honest server's response for a blob.
  static func blob(_ bytes: [UInt8], _ request: Server.Request) -> Server.Answer {
    let etag = "\"\(BlobDigest(of: bytes))\""
    guard let range = request.fields["range"], request.fields["if-range"] ?? etag == etag,
      let start = Int(range.dropFirst("bytes=".count).dropLast())
    else { return .reply("200 OK", ["ETag: \(etag)"], body: bytes) }
    guard start < bytes.count else {
      return .reply("416 Range Not Satisfiable", ["Content-Range: bytes */\(bytes.count)"])
    }
    return .reply(
      "206 Partial Content",
      ["ETag: \(etag)", "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)"],
      body: Array(bytes[start...]))
  }
}

extension RepositoryName {
  static let digits = RepositoryName.named("digits")

  /// Makes a name from text that a test wrote and that must be valid.
  static func named(_ text: String) -> RepositoryName {
    guard let name = RepositoryName(text) else { preconditionFailure("'\(text)' is no name") }
    return name
  }
}

extension InstalledModel {
  /// All files with their bytes.
  var files: [String: [UInt8]] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    var result: [String: [UInt8]] = [:]
    for name in names {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
      if !isFolder.boolValue {
        result[name] = FileManager.default.contents(atPath: "\(path)/\(name)").map { Array($0) }
      }
    }
    return result
  }
}

/// Counts from 1.
final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
#endif
