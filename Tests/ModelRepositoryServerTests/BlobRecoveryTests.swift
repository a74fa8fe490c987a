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
import Testing

@testable import ModelRepositoryServer

/// Tests how lost and damaged blobs are fetched again from a mirror.
@Suite struct BlobRecoveryTests {
  /// A mirror that stores files by digest, as a mounted backup does.
  private struct FolderMirror: BlobMirror {
    let folder: String
    var name: String { folder }

    func download(_ blob: BlobReference, to file: String) async throws {
      try FileManager.default.copyItem(
        atPath: "\(folder)/\(blob.digest.hexadecimal)", toPath: file)
    }
  }

  @Test func `a damaged blob is replaced only by the correct bytes`() async throws {
    let fixture = try await TestRepository()
    let mirror = FolderMirror(folder: fixture.folder + "-mirror")
    try FileSystem.makeFolder(mirror.folder)
    defer { try? FileManager.default.removeItem(atPath: mirror.folder) }
    let (logger, lines) = LineHandler.makeLogger()
    try await fixture.serve { client in
      let bytes = sampleBytes(300_000)
      let blob = try await client.upload(bytes)
      let path = "/v1/blobs/\(blob.digest)"
      let recovery = BlobRecovery(repository: client.repository, mirror: mirror, logger: logger)
      let hexadecimal = blob.digest.hexadecimal
      let file = fixture.file(of: blob.digest)
      try Data(bytes.dropLast()).write(to: URL(filePath: file))
      try await client.send(.get, path, expects: 500, code: "blob_damaged")

      let copy = URL(filePath: "\(mirror.folder)/\(hexadecimal)")
      #expect(await !recovery.recover(blob.digest))
      for wrong in [Data(), Data(bytes.reversed()), Data(bytes.dropLast())] {
        try wrong.write(to: copy)
        #expect(await !recovery.recover(blob.digest))
        try await client.send(.get, path, expects: 500, code: "blob_damaged")
      }
      #expect(lines.withLock { $0 }.count { $0.contains("cannot be fetched again") } == 4)

      try Data(bytes).write(to: copy)
      let task = Task { await recovery.run() }
      var found: [UInt8] = []
      for _ in 0..<10_000 {
        try await Task.sleep(for: .milliseconds(20))
        guard !client.repository.damagedBlobs.contains(blob.digest) else { continue }
        found = try await client.send(.get, path).bytes
        if found == bytes { break }
      }
      task.cancel()
      await task.value
      #expect(found == bytes)
      #expect(try FileSystem.names(in: fixture.folder + "/uploads").isEmpty)
      #expect(try await RepositoryStore(client.repository).fsck(rehash: true).isSound)
    }
  }

  @Test func `a missing blob that a version references is recovered`() async throws {
    let fixture = try await TestRepository()
    let mirror = FolderMirror(folder: fixture.folder + "-mirror")
    defer { try? FileManager.default.removeItem(atPath: mirror.folder) }
    let digest = try await fixture.serve { try await $0.publish("1.0").manifest.digest }
    let hexadecimal = digest.hexadecimal
    let file = fixture.file(of: digest)
    try FileSystem.makeFolder(mirror.folder)
    try FileSystem.rename(file, to: "\(mirror.folder)/\(hexadecimal)")
    #expect(try await RepositoryStore(fixture.open()).fsck().lost == ["\(digest)"])
    let repository = try await fixture.open()
    #expect(repository.missing.map(\.digest) == ["\(digest)"])
    let recovery = BlobRecovery(
      repository: repository, mirror: mirror, logger: Logger(label: "test"))
    #expect(await recovery.recover(digest))
    #expect(try await RepositoryStore(repository).fsck(rehash: true).isSound)
  }
}
#endif
