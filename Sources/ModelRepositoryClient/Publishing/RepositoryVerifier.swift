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

/// Fetches everything that a channel gives and verifies every byte.
///
/// Nothing is saved. The report says whether clients could use the channel.
public struct RepositoryVerifier: Sendable {
  private let connection: RepositoryConnection
  private let trust: RepositoryTrust

  /// The result of verifying a channel.
  public struct Report: Sendable {
    /// The channel's document, whose signature is valid.
    public var document: ChannelDocument
    /// The number of blobs that were fetched.
    public var blobs: Int
    /// The number of bytes that they had.
    public var bytes: Int
    /// The problems that were found, one sentence each.
    public var faults: [String]
  }

  /// Prepares a verifier.
  ///
  /// - Parameters:
  ///   - server: The server's address.
  ///   - token: A token, if the server requires one for reading.
  ///   - keys: The trusted keys.
  /// - Throws: ``PublishingError`` if the address is invalid.
  public init(server: String, token: String?, keys: [VerificationKey]) throws {
    try self.init(server: server, token: token, trust: RepositoryTrust(keys: keys))
  }

  /// Prepares a verifier that trusts keys or a root document.
  package init(
    server: String, token: String?, trust: RepositoryTrust, certificateAuthorities: String? = nil
  ) throws {
    connection = try RepositoryConnection(
      server: server, token: token, certificateAuthorities: certificateAuthorities)
    self.trust = trust
  }

  /// Checks a channel.
  ///
  /// - Parameters:
  ///   - channel: The channel's name.
  ///   - model: The model's name.
  /// - Returns: The report.
  /// - Throws: ``PublishingError`` if a request fails, or `RepositoryError` if no trusted key
  ///   signed the document.
  public func verify(
    _ channel: RepositoryName, of model: RepositoryName
  ) async throws -> Report {
    let signed = try await fetch(channel, of: model)
    var trust = trust
    try await trust.follow { version in
      let answer = try await connection.send(.GET, "/v1/root/\(version)", accepting: [200, 404])
      return answer.status == 200 ? try answer.decode(SignedDocument.self) : nil
    }
    let keys = try trust.keys(at: .now)
    let document: ChannelDocument
    do {
      document = try signed.verified(by: keys)
    } catch let error as RepositoryError where error.code == .untrusted {
      // The keys may have been replaced after the document was fetched. A new key signs the next
      // one.
      document = try await fetch(channel, of: model).verified(by: keys)
    }
    var report = Report(document: document, blobs: 0, bytes: 0, faults: [])
    if document.model != model || document.channel != channel {
      report.faults.append(
        "The document belongs to channel '\(document.channel)' of '\(document.model)'.")
    }
    if document.root ?? 0 > trust.version {
      report.faults.append(
        "The document was signed under root document \(document.root ?? 0), but the newest one "
          + "that the server sends is \(trust.version).")
    }
    do {
      try document.times.check(at: .now, "The document")
    } catch let error as RepositoryError {
      report.faults.append(error.message)
    }
    var seen: Set<BlobDigest> = []
    for release in document.releases where seen.insert(release.manifest.digest).inserted {
      guard let bytes = await fetch(release.manifest, keeping: true, into: &report),
        let manifest = Self.manifest(bytes, of: release, model, into: &report)
      else { continue }
      for file in manifest.files where seen.insert(file.digest).inserted {
        _ = await fetch(file.blob, keeping: false, into: &report)
      }
    }
    return report
  }

  private func fetch(
    _ channel: RepositoryName, of model: RepositoryName
  ) async throws -> SignedDocument {
    try await connection.send(.GET, "/v1/models/\(model)/channels/\(channel)")
      .decode(SignedDocument.self)
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
          "The manifest of '\(release.version)' describes version '\(manifest.version)' of "
            + "'\(manifest.model)' with \(manifest.size) bytes.")
        return nil
      }
      return manifest
    } catch {
      report.faults.append("The manifest of '\(release.version)' can't be used: \(error)")
      return nil
    }
  }

  /// Fetches a blob and verifies it.
  ///
  /// Returns nil if the blob is wrong. Otherwise it returns the bytes if `keeping` is true, or
  /// empty data.
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
        "\(blob.digest) should have \(blob.size) bytes, but the server sent \(count) bytes with "
          + "the digest \(found).")
      return nil
    }
    return kept
  }
}
#endif
