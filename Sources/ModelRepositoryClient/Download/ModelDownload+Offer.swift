// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Foundation
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import TensorIO

extension ModelDownload {
  /// Returns the version that a download would fetch, verified in the same way, without writing
  /// anything.
  ///
  /// - Throws: ``ModelRepositoryClientError``, ``FileError`` or `CancellationError`.
  func offer() async throws -> ModelOffer {
    let document = try await offeredDocument().content
    let state = try folder.readState()
    let present = Set([state.active, state.pending].compactMap { $0?.digest })
    let assignment = document.assignment(for: installationID, having: present)
    guard let release = assignment.release else { throw noVersion }
    let manifest = try await offeredManifest(release)
    return ModelOffer(
      model: model, release: release, documentVersion: document.documentVersion,
      format: manifest.format, details: manifest.details)
  }

  private func offeredManifest(_ release: Release) async throws -> VersionManifest {
    let reference = release.manifest
    let stored = try await BlockingWork.run { try cache.manifest(reference) }
    if let stored { return stored }
    let path = "/v1/blobs/\(reference.digest)"
    let bytes = try await exchange.retrying {
      let response = try await exchange.get(path, ["accept": "application/octet-stream"])
      return try await exchange.body(of: response, path, upTo: reference.size)
    }
    let found = BlobDigest(of: bytes.readableBytesView)
    guard found == reference.digest else {
      var error = ModelRepositoryClientError(
        .corrupt,
        "The manifest of '\(model)' \(release.version) should have the digest \(reference.digest), "
          + "but the server sent one with the digest \(found).")
      error.digests = (reference.digest, found)
      throw error
    }
    return try manifest(Data(bytes.readableBytesView), of: release)
  }
}
#endif
