// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
public import ModelRepositoryAPI
import NIOHTTP1
import TensorIO

/// Publishes models in a repository, and says who gets which version.
///
/// ```swift
/// let publisher = try ModelRepositoryPublisher(server: "https://models.example.com", token: token)
/// let record = try await publisher.publish("pets.tiobundle", as: "pets", version: "2.0")
/// try await publisher.changeChannel("stable", of: "pets") { $0.version = record.version }
/// ```
public struct ModelRepositoryPublisher: Sendable {
  let connection: RepositoryConnection
  private let uploader: BlobUploader

  /// How far a publication is.
  public struct Progress: Sendable, Hashable {
    /// Bytes that the server has.
    public var sentBytes: Int
    /// All bytes of the version.
    public var totalBytes: Int
  }

  /// A channel as it is now.
  public struct Channel: Sendable {
    /// What the server signed; nobody verified it here.
    public var signed: SignedDocument
    /// What the document says.
    public var document: ChannelDocument
    /// What the server knows this state by.
    public var tag: String
  }

  /// Prepares a publisher.
  ///
  /// - Parameters:
  ///   - server: The server's address.
  ///   - token: A token for what is to be done.
  ///   - memory: A folder in which uploads are remembered, so that another process can go on.
  ///   - certificateAuthorities: A PEM file of authorities that are trusted besides the system's.
  /// - Throws: ``PublishingError`` for what is no address; `TensorIOError` for a file of authorities
  ///   that cannot be used.
  public init(
    server: String, token: String?, memory: String? = nil, certificateAuthorities: String? = nil
  ) throws {
    connection = try RepositoryConnection(
      server: server, token: token, certificateAuthorities: certificateAuthorities)
    uploader = BlobUploader(connection: connection, memory: memory)
  }

  /// Publishes a version; nobody gets it before a channel says so.
  ///
  /// What the server has already is not sent again.
  ///
  /// - Parameters:
  ///   - path: A `.tiobundle` folder or a `.tflite` file.
  ///   - model: The model's name.
  ///   - version: The version's name.
  ///   - details: What people should know of it.
  ///   - onProgress: Told how far it is.
  /// - Returns: The version.
  /// - Throws: ``PublishingError``; `RepositoryError` and `TensorIOError` for a model that cannot be
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

  /// The manifest of a model on this machine, and where its files lie.
  private static func manifest(
    _ path: String, _ model: RepositoryName, _ version: RepositoryName, _ details: String?
  ) throws -> (VersionManifest, [String: String]) {
    var files: [String: String] = [:]
    let isBundle = FileSystem.isFolder(path)
    if isBundle {
      // What is not valid here will not be valid anywhere.
      _ = try ModelBundle(path)
      // Net Runner keeps in `.origin.json` what version of which repository a bundle was.
      for file in FileManager.default.subpaths(atPath: path) ?? []
      where FileSystem.isFile(path + "/" + file) && !file.hasSuffix(".DS_Store")
        && file != ".origin.json"
      {
        files[file] = path + "/" + file
      }
      guard !files.isEmpty else {
        throw TensorIOError(
          .invalidBundle,
          "There are no files in '\(path)' that could be published. Pass a .tiobundle folder with a "
            + "model.json.")
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
        "'\(file)' is not a regular file, so it cannot be published. Put a copy of what it stands for in "
          + "its place.")
    }
    let manifest = VersionManifest(
      model: model, version: version, format: isBundle ? .bundle : .tflite,
      files: try files.map { name, file in
        let blob = try BlobReference(ofFile: file)
        return VersionManifest.File(path: name, digest: blob.digest, size: blob.size)
      }, details: details)
    try manifest.validate()
    return (manifest, files)
  }

  /// The models.
  public func models() async throws -> [ModelList.Model] {
    try await connection.get(ModelList.self, "/v1/models").models
  }

  /// The versions of a model, the newest first.
  public func versions(of model: RepositoryName) async throws -> [VersionRecord] {
    try await connection.get(VersionList.self, "/v1/models/\(model)/versions").versions
  }

  /// The channels of a model.
  public func channels(of model: RepositoryName) async throws -> [ChannelList.Channel] {
    try await connection.get(ChannelList.self, "/v1/models/\(model)/channels").channels
  }

  /// The state of a channel; nil where there is none.
  public func channel(_ channel: RepositoryName, of model: RepositoryName) async throws -> Channel?
  {
    let answer = try await connection.send(
      .GET, Self.path(channel, model), accepting: [200, 404])
    guard answer.status == 200 else { return nil }
    return try Self.channel(answer)
  }

  /// Changes a channel; when somebody else changes it meanwhile, the change is made anew.
  ///
  /// - Parameters:
  ///   - channel: The channel, which is made where there is none.
  ///   - model: The model.
  ///   - change: Changes what the channel is to be.
  /// - Returns: The new state.
  /// - Throws: ``PublishingError``, and what `change` throws.
  @discardableResult
  public func changeChannel(
    _ channel: RepositoryName, of model: RepositoryName,
    _ change: @Sendable (inout ChannelContent) throws -> Void
  ) async throws -> Channel {
    for _ in 0..<20 {
      let present = try await self.channel(channel, of: model)
      var content = present.map { ChannelContent($0.document) } ?? ChannelContent(version: nil)
      try change(&content)
      let condition = present.map { ("If-Match", $0.tag) } ?? ("If-None-Match", "*")
      let answer = try await connection.send(
        .PUT, Self.path(channel, model),
        headers: [condition, ("Content-Type", "application/json")],
        body: RepositoryJSON.encode(content), accepting: [200, 201, 412])
      if answer.status != 412 { return try Self.channel(answer) }
    }
    throw PublishingError(
      "conflict", status: 412, "Channel '\(channel)' of '\(model)' is changed all the time.")
  }

  /// Gives everybody what the channel gave before its last change.
  ///
  /// - Throws: ``PublishingError``.
  @discardableResult
  public func rollBack(_ channel: RepositoryName, of model: RepositoryName) async throws -> Channel
  {
    guard let present = try await self.channel(channel, of: model) else {
      throw PublishingError(
        "channel_not_found", status: 404, "'\(model)' has no channel '\(channel)'.")
    }
    return try await Self.channel(
      connection.send(
        .POST, Self.path(channel, model) + "/rollback", headers: [("If-Match", present.tag)]))
  }

  /// Lets nobody get a version any more.
  ///
  /// - Throws: ``PublishingError``, where a channel still gives it.
  public func withdraw(_ version: RepositoryName, of model: RepositoryName) async throws {
    _ = try await connection.send(
      .POST, "/v1/models/\(model)/versions/\(version)/withdraw")
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
      throw PublishingError("invalid_answer", "The channel's document cannot be read: \(error)")
    }
    return Channel(
      signed: signed, document: document, tag: answer.headers.first(name: "ETag") ?? "")
  }
}
#endif
