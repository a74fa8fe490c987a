// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import ModelRepositoryAPI
import ModelRepositoryClient
import ModelRepositoryServer
import NIOCore
import Synchronization
import TensorIO
import Testing

@testable import NetRunnerWeb

/// A running model repository with its own folder for one test.
final class RepositoryFixture: Sendable {
  private let files: TestFolder
  var folder: String { files.path }
  private let token = Mutex("")
  private let address = Mutex("")
  private let serving = Mutex<Task<Void, any Error>?>(nil)
  private let isPrivate: Bool

  /// Starts the server.
  ///
  /// - Parameter isPrivate: Whether reading needs a token.
  /// - Throws: An error if the server can't start.
  init(isPrivate: Bool = false) async throws {
    self.isPrivate = isPrivate
    files = try TestFolder()
    let request = TokenRequest(name: "all", scopes: [.admin])
    let made = try await RepositoryStore(ModelRepositoryOptions(dataFolder: data))
      .makeToken(request)
    token.withLock { $0 = made.secret }
    try await start()
  }

  deinit { serving.withLock { $0?.cancel() } }

  /// The server's folder, which a test can replace while the server is stopped.
  var data: String { folder + "/data" }
  var cache: String { folder + "/cache" }
  /// Returns the path of a blob's file.
  func blob(_ digest: BlobDigest) -> String {
    "\(data)/blobs/sha256/\(digest.hexadecimal.prefix(2))/\(digest.hexadecimal)"
  }

  var place: String { address.withLock { $0 } }

  /// Starts the server at its previous address, if it had one.
  func start() async throws {
    var options = ModelRepositoryOptions(dataFolder: data)
    options.requiresTokenToRead = isPrivate
    let former = Int(place.split(separator: ":").last ?? "")
    for _ in 0..<50 {
      // The port isn't an ephemeral one, which another program could get after a stop.
      options.port = former ?? .random(in: 15_000..<32_000)
      if try await listens(options) { return }
      try await Task.sleep(for: .milliseconds(200))
    }
    Issue.record("The repository server didn't start.")
  }

  private func listens(_ options: ModelRepositoryOptions) async throws -> Bool {
    let server = try ModelRepositoryServer(
      options, logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
    let (starts, start) = AsyncStream<String>.makeStream()
    let task = Task {
      defer { start.finish() }
      try await server.run { start.yield($0) }
    }
    serving.withLock { $0 = task }
    for await text in starts {
      address.withLock { $0 = text.hasSuffix("/") ? String(text.dropLast()) : text }
      return true
    }
    _ = await task.result
    return false
  }

  /// Stops the server and releases its folder.
  func stop() async throws {
    let task = serving.withLock { $0 }
    task?.cancel()
    _ = await task?.result
  }

  /// A token with all permissions.
  var secret: String { token.withLock { $0 } }

  var publisher: ModelRepositoryPublisher {
    get throws { try ModelRepositoryPublisher(server: place, token: token.withLock { $0 }) }
  }

  /// Returns a client's configuration, with the server's keys unless others are given.
  func configuration(keys: [VerificationKey]? = nil) async throws -> ModelRepositoryConfiguration {
    let known = try await publisher.keys().map { try VerificationKey($0.key) }
    var configuration = ModelRepositoryConfiguration(
      server: place, keys: keys ?? known, folder: cache)
    configuration.retries = 1
    configuration.retryDelay = .milliseconds(5)
    return configuration
  }

  /// Publishes a version and points the stable channel at it.
  func publish(
    _ path: String, as model: String = "hosted", _ version: String, details: String? = nil
  ) async throws {
    let name = try #require(RepositoryName(model))
    let version = try #require(RepositoryName(version))
    let publisher = try publisher
    _ = try await publisher.publish(path, as: name, version: version, details: details)
    try await publisher.changeChannel(.stable, of: name) { $0.version = version }
  }

  /// Copies a shipped bundle and changes its identifier.
  ///
  /// - Returns: The path of the copy.
  func bundle(_ demo: String = "digits", id: String = "hosted") throws -> String {
    let path = "\(folder)/bundles/\(UUID())/\(id).tiobundle"
    try FileManager.default.createDirectory(
      atPath: FileSystem.folder(of: path), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: "\(WebFixture.demo)/\(demo).tiobundle", toPath: path)
    let json = path + "/model.json"
    let text = String(decoding: try FileSystem.read(json), as: UTF8.self)
    try text.replacing("\"id\": \"\(demo)\"", with: "\"id\": \"\(id)\"")
      .write(toFile: json, atomically: true, encoding: .utf8)
    return path
  }

  /// Makes a Net Runner server that imports from this repository.
  func netRunner(keys: [VerificationKey]? = nil) async throws -> WebFixture {
    let fixture = try WebFixture()
    fixture.options.repository = try await configuration(keys: keys)
    return fixture
  }
}

extension TestClientProtocol {
  /// Imports a model and waits for the import to end.
  ///
  /// - Returns: The JSON of the import.
  func importModel(
    _ model: String = "hosted", replaces: Bool = false,
    location: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let started = try await send(
      .post, "imports", json: ["repository_model": model, "replace": replaces], expects: 202,
      location: location
    ).json
    let id = try #require(started["import"]["id"].text, sourceLocation: location)
    return try await endOfImport(id)
  }

  /// Waits for an import to end.
  func endOfImport(_ id: String) async throws -> JSONValue {
    for _ in 0..<15_000 {
      let job = try await send(.get, "imports/" + id).json["import"]
      if !["downloading", "checking"].contains(job["state"].text) { return job }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw TensorIOError(.internalFault, "The import does not end.")
  }

  /// Returns the entry for a model in the repository's list.
  func listed(
    _ model: String = "hosted", location: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let list = try await send(.get, "repository", location: location).json["repository"]
    return list["models"].elements.first { $0["name"].text == model } ?? .null
  }
}
#endif
