// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import AsyncHTTPClient
import Crypto
import Foundation
import ModelRepositoryAPI
import NIOCore
import TensorIO

/// The version from which a round's clients start, which is fetched by the digests in the task.
struct BaseVersion: Sendable {
  let connection: RepositoryConnection
  let task: RoundTask

  /// Fetches the files into a folder, and checks every byte.
  ///
  /// - Returns: The path of the bundle.
  func fetch(into folder: String) async throws -> String {
    let reference = task.base.manifest
    let file = folder + "/manifest.json"
    try await fetch(reference, to: file)
    let manifest = try RepositoryJSON.decode(
      VersionManifest.self, from: Data(contentsOf: URL(filePath: file)))
    try manifest.validate()
    guard manifest.model == task.model, manifest.version == task.base.version,
      manifest.size == task.base.size, manifest.format == .bundle
    else {
      throw RepositoryError(
        .invalidManifest,
        "The base version '\(task.base.version)' of '\(task.model)' isn't a bundle, or its manifest "
          + "describes another version. A federated round needs a .tiobundle.")
    }
    let bundle = folder + "/base.tiobundle"
    for entry in manifest.files {
      let path = bundle + "/" + entry.path
      try FileManager.default.createDirectory(
        atPath: FileSystem.folder(of: path), withIntermediateDirectories: true)
      try await fetch(entry.blob, to: path)
    }
    return bundle
  }

  private func fetch(_ blob: BlobReference, to path: String) async throws {
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw TensorIOError(.unwritableFile, "'\(path)' can't be created.")
    }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    var hash = SHA256()
    var count = 0
    for try await part in try await connection.body(of: "/v1/blobs/\(blob.digest)") {
      count += part.readableBytes
      guard count <= blob.size else { break }
      let data = Data(part.readableBytesView)
      hash.update(data: data)
      try file.write(contentsOf: data)
    }
    guard count == blob.size, BlobDigest(hash.finalize()) == blob.digest else {
      throw RepositoryError(
        .untrusted,
        "The server sent other bytes for \(blob.digest) than the task's base version has.")
    }
  }
}
#endif
