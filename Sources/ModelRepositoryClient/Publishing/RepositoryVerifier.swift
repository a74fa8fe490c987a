// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Crypto
import Foundation
public import ModelRepositoryAPI
import NIOCore
import NIOHTTP1

/// Fetches all that a channel gives, and checks every byte of it.
///
/// Nothing is kept: it tells whether clients would be served.
public struct RepositoryVerifier: Sendable {
  private let connection: RepositoryConnection
  private let trust: RepositoryTrust

  /// What a channel gives.
  public struct Report: Sendable {
    /// The channel's document, whose signature is good.
    public var document: ChannelDocument
    /// How many blobs were fetched.
    public var blobs: Int
    /// How many bytes they had.
    public var bytes: Int
    /// What is wrong, a sentence each; empty where nothing is.
    public var faults: [String]
  }

  /// Prepares a verifier.
  ///
  /// - Parameters:
  ///   - server: The server's address.
  ///   - token: A token, where the server wants one for reading.
  ///   - keys: The keys that are trusted.
  /// - Throws: ``PublishingError`` for what is no address.
  public init(server: String, token: String?, keys: [VerificationKey]) throws {
    try self.init(server: server, token: token, trust: RepositoryTrust(keys: keys))
  }

  /// Prepares a verifier.
  ///
  /// - Parameters:
  ///   - server: The server's address.
  ///   - token: A token, where the server wants one for reading.
  ///   - trust: What is trusted.
  ///   - certificateAuthorities: A PEM file of authorities that are trusted besides the system's.
  /// - Throws: ``PublishingError`` for what is no address; `TensorIOError` for a file of authorities
  ///   that cannot be used.
  public init(
    server: String, token: String?, trust: RepositoryTrust, certificateAuthorities: String? = nil
  ) throws {
    connection = try RepositoryConnection(
      server: server, token: token, certificateAuthorities: certificateAuthorities)
    self.trust = trust
  }

  /// Checks a channel.
  ///
  /// - Parameters:
  ///   - channel: The channel.
  ///   - model: The model.
  /// - Returns: What was found.
  /// - Throws: ``PublishingError`` without an answer; `RepositoryError` for a document that nobody
  ///   trusted signed.
  public func verify(
    _ channel: RepositoryName, of model: RepositoryName
  ) async throws -> Report {
    let answer = try await connection.send(.GET, "/v1/models/\(model)/channels/\(channel)")
    let trust = try await newestTrust()
    let document = try answer.decode(SignedDocument.self).verified(by: trust.keys(at: .now))
    var report = Report(document: document, blobs: 0, bytes: 0, faults: [])
    if document.model != model || document.channel != channel {
      report.faults.append("The document is about '\(document.channel)' of '\(document.model)'.")
    }
    if document.root ?? 0 > trust.version {
      report.faults.append(
        "The document was signed under root document \(document.root ?? 0), and the newest that "
          + "the server sends is \(trust.version).")
    }
    do {
      try document.times.check(at: .now, "The document")
    } catch let error as RepositoryError {
      report.faults.append(error.message)
    }
    var seen: Set<BlobDigest> = []
    let releases =
      [document.release].compactMap { $0 } + (document.experiment?.arms.map(\.release) ?? [])
    for release in releases where seen.insert(release.manifest.digest).inserted {
      guard let bytes = await fetch(release.manifest, keeping: true, into: &report),
        let manifest = Self.manifest(bytes, of: release, model, into: &report)
      else { continue }
      for file in manifest.files where seen.insert(file.digest).inserted {
        _ = await fetch(file.blob, keeping: false, into: &report)
      }
    }
    return report
  }

  /// Follows the server's root documents to the newest.
  private func newestTrust() async throws -> RepositoryTrust {
    var trust = trust
    var version = trust.version
    while version < trust.version + 256 {
      version += 1
      let answer = try await connection.send(
        .GET, "/v1/root/\(version)", accepting: [200, 404])
      guard answer.status == 200 else { break }
      do {
        try trust.accept(answer.decode(SignedDocument.self))
      } catch let error as RepositoryError where error.code == .untrusted && trust.root == nil {
        // One of the keys may sign a later one.
      }
    }
    return trust
  }

  private static func manifest(
    _ bytes: Data, of release: ChannelDocument.Release, _ model: RepositoryName,
    into report: inout Report
  ) -> VersionManifest? {
    do {
      let manifest = try RepositoryJSON.decode(VersionManifest.self, from: bytes)
      try manifest.validate()
      guard manifest.model == model, manifest.version == release.version,
        manifest.size == release.size
      else {
        report.faults.append(
          "The manifest of '\(release.version)' is that of '\(manifest.version)' of "
            + "'\(manifest.model)', with \(manifest.size) bytes.")
        return nil
      }
      return manifest
    } catch {
      report.faults.append("The manifest of '\(release.version)' cannot be used: \(error)")
      return nil
    }
  }

  /// Fetches a blob; its bytes are returned where they are to be kept, and good.
  private func fetch(
    _ blob: BlobReference, keeping: Bool, into report: inout Report
  ) async -> Data? {
    report.blobs += 1
    var hash = SHA256()
    var count = 0
    var kept = Data()
    do {
      for try await part in try await connection.body(of: "/v1/blobs/\(blob.digest)") {
        count += part.readableBytes
        guard count <= blob.size else { break }
        part.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        if keeping { kept.append(contentsOf: part.readableBytesView) }
      }
    } catch {
      report.faults.append("\(blob.digest) cannot be fetched: \(error)")
      return nil
    }
    report.bytes += count
    let found = BlobDigest(hash.finalize())
    guard count == blob.size, found == blob.digest else {
      report.faults.append(
        "\(blob.digest) has \(blob.size) bytes, and what came has \(count) and is \(found).")
      return nil
    }
    return kept
  }
}
#endif
