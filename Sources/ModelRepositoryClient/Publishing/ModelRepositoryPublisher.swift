// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
package import Foundation
public import ModelRepositoryAPI
import NIOHTTP1
import TensorIO

/// Publishes models in a repository, and sets which version each channel gives.
///
/// ```swift
/// let publisher = try ModelRepositoryPublisher(server: "https://models.example.com", token: token)
/// let record = try await publisher.publish("pets.tiobundle", as: "pets", version: "2.0")
/// try await publisher.changeChannel("stable", of: "pets") { $0.version = record.version }
/// ```
public struct ModelRepositoryPublisher: Sendable {
  let connection: RepositoryConnection
  private let uploader: BlobUploader

  /// The progress of publishing a version.
  public struct Progress: Sendable, Hashable {
    /// The number of bytes that the server has.
    public var sentBytes: Int
    /// The total size of the version's files, in bytes.
    public var totalBytes: Int
  }

  /// The current state of a channel.
  public struct Channel: Sendable {
    /// The document as the server signed it, which isn't verified here.
    public var signed: SignedDocument
    /// The decoded document.
    public var document: ChannelDocument
    /// The ETag of this state.
    public var tag: String
  }

  /// Prepares a publisher.
  ///
  /// - Parameters:
  ///   - server: The server's address.
  ///   - token: A token with the scopes that the calls need.
  ///   - memory: A folder in which unfinished uploads are remembered, so that another process can
  ///     resume them.
  ///   - certificateAuthorities: A PEM file of authorities to trust in addition to the system's.
  /// - Throws: ``PublishingError`` if the address is invalid, or `TensorIOError` if the file of
  ///   authorities can't be used.
  public init(
    server: String, token: String?, memory: String? = nil, certificateAuthorities: String? = nil
  ) throws {
    connection = try RepositoryConnection(
      server: server, token: token, certificateAuthorities: certificateAuthorities)
    uploader = BlobUploader(connection: connection, memory: memory)
  }

  /// Publishes a version, which no installation gets until a channel gives it.
  ///
  /// Blobs that the server already has aren't sent again.
  ///
  /// - Parameters:
  ///   - path: The path of a `.tiobundle` folder or a `.tflite` file.
  ///   - model: The model's name.
  ///   - version: The version's name.
  ///   - details: A description of the version for people.
  ///   - onProgress: Called with the progress.
  /// - Returns: The published version.
  /// - Throws: ``PublishingError``, or `RepositoryError` or `TensorIOError` if the model can't be
  ///   published.
  public func publish(
    _ path: String, as model: RepositoryName, version: RepositoryName, details: String? = nil,
    onProgress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> VersionRecord {
    let (manifest, files) = try Self.manifest(path, model, version, details)
    let document = try RepositoryJSON.encode(manifest)
    var sent = 0
    for file in manifest.files {
      let before = sent
      try await uploader.upload(files[file.path] ?? "", as: file.blob) { count in
        onProgress(Progress(sentBytes: before + count, totalBytes: manifest.size))
      }
      sent += file.size
    }
    let blob = BlobReference(digest: BlobDigest(of: document), size: document.count)
    let temporary = FileManager.default.temporaryDirectory.appending(
      path: "manifest-\(UUID().uuidString)")
    try document.write(to: temporary)
    defer { try? FileManager.default.removeItem(at: temporary) }
    try await uploader.upload(temporary.path, as: blob) { _ in }
    return try await connection.send(
      .POST, "/v1/models/\(model)/versions", VersionPublication(manifest: blob.digest),
      as: VersionRecord.self)
  }

  /// Creates the manifest of a model on this machine, and maps its files to their paths.
  private static func manifest(
    _ path: String, _ model: RepositoryName, _ version: RepositoryName, _ details: String?
  ) throws -> (VersionManifest, [String: String]) {
    var files: [String: String] = [:]
    let isBundle = FileSystem.isFolder(path)
    if isBundle {
      // A bundle that isn't valid here isn't valid on other machines either.
      _ = try ModelBundle(path)
      // Net Runner keeps the repository and version that a bundle came from in `.origin.json`.
      for file in FileManager.default.subpaths(atPath: path) ?? []
      where FileSystem.isFile(path + "/" + file) && !file.hasSuffix(".DS_Store")
        && file != ".origin.json"
      {
        files[file] = path + "/" + file
      }
      guard !files.isEmpty else {
        throw TensorIOError(
          .invalidBundle,
          "'\(path)' contains no files to publish. Pass a .tiobundle folder with a model.json.")
      }
    } else {
      guard FileSystem.isFile(path) else {
        throw TensorIOError(.fileNotFound, "There is no file or folder '\(path)'.")
      }
      files["model.tflite"] = path
    }
    for file in files.values where FileSystem.byteCount(of: file) == nil {
      throw TensorIOError(
        .unreadableFile,
        "'\(file)' isn't a regular file, so it can't be published. Replace it with a copy of the "
          + "file that it refers to.")
    }
    let manifest = VersionManifest(
      model: model, version: version, format: isBundle ? .bundle : .tflite,
      files: try files.map { name, file in
        guard let opened = try? OpenFile(reading: file) else {
          throw TensorIOError(.unreadableFile, "'\(file)' cannot be read.")
        }
        return VersionManifest.File(path: name, try BlobReference(of: opened))
      }, details: details)
    try manifest.validate()
    return (manifest, files)
  }

  /// Returns the models of the repository.
  public func models() async throws -> [ModelList.Model] {
    try await connection.get(ModelList.self, "/v1/models").models
  }

  /// Returns the versions of a model, the newest first.
  public func versions(of model: RepositoryName) async throws -> [VersionRecord] {
    try await connection.get(VersionList.self, "/v1/models/\(model)/versions").versions
  }

  /// Returns the channels of a model.
  public func channels(of model: RepositoryName) async throws -> [ChannelList.Channel] {
    try await connection.get(ChannelList.self, "/v1/models/\(model)/channels").channels
  }

  /// Returns the state of a channel, or nil if there is no such channel.
  public func channel(_ channel: RepositoryName, of model: RepositoryName) async throws -> Channel?
  {
    let answer = try await connection.send(.GET, Self.path(channel, model), accepting: [200, 404])
    guard answer.status == 200 else { return nil }
    return try Self.channel(answer)
  }

  /// Changes a channel.
  ///
  /// If someone else changes it at the same time, the change is retried on the new state.
  ///
  /// - Parameters:
  ///   - channel: The channel's name. A missing channel is created.
  ///   - model: The model's name.
  ///   - change: A closure that changes the channel's content. It may be called several times.
  /// - Returns: The new state.
  /// - Throws: ``PublishingError``, or the errors of `change`.
  @discardableResult
  public func changeChannel(
    _ channel: RepositoryName, of model: RepositoryName,
    _ change: @Sendable (inout ChannelContent) throws -> Void
  ) async throws -> Channel {
    for _ in 0..<20 {
      let present = try await self.channel(channel, of: model)
      var content = ChannelContent(present?.document)
      try change(&content)
      let condition = present.map { ("If-Match", $0.tag) } ?? ("If-None-Match", "*")
      let answer = try await connection.send(
        .PUT, Self.path(channel, model),
        headers: [condition, ("Content-Type", "application/json")],
        body: RepositoryJSON.encode(content), accepting: [200, 201, 412])
      if answer.status != 412 { return try Self.channel(answer) }
    }
    throw PublishingError(
      .conflict, status: 412,
      "Channel '\(channel)' of '\(model)' keeps changing, so it could not be set. Try again "
        + "later.")
  }

  /// Returns a channel to its content before the last change.
  ///
  /// - Throws: ``PublishingError``.
  @discardableResult
  public func rollBack(_ channel: RepositoryName, of model: RepositoryName) async throws -> Channel
  {
    guard let present = try await self.channel(channel, of: model) else {
      throw PublishingError(
        .channelNotFound, status: 404, "'\(model)' has no channel '\(channel)'.")
    }
    return try await Self.channel(
      connection.send(
        .POST, Self.path(channel, model) + "/rollback", headers: [("If-Match", present.tag)]))
  }

  /// Withdraws a version, so that no channel can give it any more.
  ///
  /// - Throws: ``PublishingError``, also if a channel still gives the version.
  public func withdraw(_ version: RepositoryName, of model: RepositoryName) async throws {
    _ = try await connection.send(.POST, "/v1/models/\(model)/versions/\(version)/withdraw")
  }

  private static func path(_ channel: RepositoryName, _ model: RepositoryName) -> String {
    "/v1/models/\(model)/channels/\(channel)"
  }

  private static func channel(_ answer: RepositoryConnection.Answer) throws -> Channel {
    let signed = try answer.decode(SignedDocument.self)
    let document: ChannelDocument
    do {
      document = try RepositoryJSON.decode(ChannelDocument.self, from: signed.document)
    } catch {
      throw PublishingError(.invalidAnswer, "The channel's document cannot be read: \(error)")
    }
    return Channel(
      signed: signed, document: document, tag: answer.headers.first(name: "ETag") ?? "")
  }
}

extension ModelRepositoryPublisher {
  /// Returns the keys that the server signs with.
  ///
  /// To pin these keys, compare them with keys from another source, because a malicious server can
  /// also lie about its keys.
  package func keys() async throws -> [KeyList.Key] {
    try await connection.get(KeyList.self, "/v1/keys").keys
  }

  /// Returns the newest root document without verifying that it is trusted, or nil if there is
  /// none.
  package func root() async throws -> RootDocument? {
    let answer = try await connection.send(.GET, "/v1/root", accepting: [200, 404])
    guard answer.status == 200 else { return nil }
    let signed = try answer.decode(SignedDocument.self)
    do {
      return try signed.selfSignedRoot()
    } catch let error as RepositoryError {
      throw PublishingError(.invalidAnswer, status: answer.status, error.message)
    }
  }

  /// Creates a token.
  ///
  /// Its secret is returned only this once.
  package func makeToken(_ request: TokenRequest) async throws -> NewToken {
    try await connection.send(.POST, "/v1/tokens", request, as: NewToken.self)
  }

  /// Returns all tokens without their secrets.
  package func tokens() async throws -> [TokenRecord] {
    try await connection.get(TokenList.self, "/v1/tokens").tokens
  }

  package func revokeToken(_ id: String) async throws {
    guard let name = RepositoryName(id) else {
      throw PublishingError(.invalidTokenID, "'\(id.prefix(100))' isn't a token's ID.")
    }
    _ = try await connection.send(.DELETE, "/v1/tokens/\(name)")
  }

  /// Returns the audit log's records with numbers below `before`, the newest first.
  package func auditLog(
    before: Int? = nil, since: Date? = nil, limit: Int = 100
  ) async throws -> [AuditRecord] {
    var (records, before): ([AuditRecord], Int?) = ([], before)
    while records.count < limit {
      let count = min(limit - records.count, 1000)
      var path = "/v1/audit?limit=\(count)"
      if let before { path += "&before=\(before)" }
      if let since { path += "&since=\(since.formatted(.iso8601))" }
      let page = try await connection.get(AuditLog.self, path).records
      records += page
      guard page.count == count, let last = page.last?.id, last < before ?? .max else { break }
      before = last
    }
    return records
  }

  /// Deletes blobs that no version uses.
  package func collectGarbage() async throws -> CollectionReport {
    try await connection.send(.POST, "/v1/gc").decode(CollectionReport.self)
  }
}
#endif
