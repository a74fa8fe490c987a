// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI
import Synchronization
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where blobs, incomplete files and models lie; everything in it is named by digests.
final class CacheFolder: Sendable {
  let path: String
  let environment: ClientEnvironment
  /// What this process hashed: a file under a second name is the same file.
  private let verified = Mutex<[CacheFile.Identity: BlobDigest]>([:])

  /// Opens a cache, or makes it.
  ///
  /// - Throws: ``FileFailure``.
  init(_ path: String, _ environment: ClientEnvironment) throws {
    // A process may change the folder that relative paths begin at.
    self.path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    self.environment = environment
    for folder in [self.path, store, partial, models] { try Self.makeFolder(folder) }
  }

  var store: String { path + "/store" }
  var partial: String { path + "/partial" }
  /// The models of the installation that used the cache first.
  var models: String { path + "/models" }
  /// A folder of models for each further installation.
  var installations: String { path + "/installations" }
  /// The newest root documents.
  var trust: String { path + "/trust" }

  func blob(_ digest: BlobDigest) -> String { "\(store)/\(digest.hexadecimal)" }

  /// Makes a folder, and those that it lies in; one that is there is no error.
  ///
  /// - Throws: ``FileFailure``.
  static func makeFolder(_ path: String) throws {
    guard !FileSystem.isFolder(path) else { return }
    let parent = FileSystem.folder(of: path)
    if parent != path { try makeFolder(parent) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileFailure("made", path) }
    try flushFolder(parent)
  }

  /// Brings the names in a folder to the disk.
  ///
  /// - Throws: ``FileFailure``.
  static func flushFolder(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure("opened", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileFailure("flushed", path) }
  }

  /// Gives a file or a folder another name in one step; a file of that name is replaced.
  ///
  /// - Throws: ``FileFailure``.
  static func rename(_ old: String, to new: String) throws {
    guard systemRename(old, new) == 0 else { throw FileFailure("renamed to '\(new)'", old) }
  }

  // MARK: - Blobs

  /// Whether a file has the bytes of a blob.
  ///
  /// Each file is hashed once a process, and again when it changed.
  ///
  /// - Throws: ``FileFailure`` when nobody can tell.
  func hasBytes(_ blob: BlobReference, at path: String) throws -> Bool {
    let result = try CacheFile.unlessTransient {
      let identity = try CacheFile(reading: path).identity
      guard identity.size == blob.size else { return false }
      if verified.withLock({ $0[identity] }) == blob.digest { return true }
      guard try CacheFile.reference(of: path) == blob else { return false }
      noteVerified(identity, blob.digest)
      return true
    }
    return result ?? false
  }

  /// Whether a blob is in the store, whole.
  ///
  /// - Throws: ``FileFailure`` when nobody can tell.
  func hasBlob(_ blob: BlobReference) throws -> Bool {
    try hasBytes(blob, at: self.blob(blob.digest))
  }

  /// Nobody need hash this file again.
  func noteVerified(_ identity: CacheFile.Identity, _ digest: BlobDigest) {
    verified.withLock { $0[identity] = digest }
  }

  /// The manifest of a version.
  ///
  /// - Returns: nil when it is not there, or is not what its digest says.
  /// - Throws: ``FileFailure`` when nobody can tell.
  func manifest(_ reference: BlobReference) throws -> VersionManifest? {
    guard
      let bytes = try CacheFile.contents(
        of: blob(reference.digest), upTo: VersionManifest.maximumBytes),
      bytes.count == reference.size, BlobDigest(of: bytes) == reference.digest,
      let manifest = try? RepositoryJSON.decode(VersionManifest.self, from: Data(bytes)),
      (try? manifest.validate()) != nil
    else { return nil }
    return manifest
  }

  // MARK: - Installation

  /// What tells this installation from others: made by the first process that asks.
  ///
  /// - Throws: ``FileFailure``.
  func installationID() throws -> String {
    let lock = try FileLock.waiting(on: path)
    defer { withExtendedLifetime(lock) {} }
    let file = path + "/installation-id"
    // Throws where it could be read in another moment: a new one would change what is got.
    if let bytes = try CacheFile.contents(of: file, upTo: 1024),
      let id = UUID(uuidString: String(decoding: bytes, as: UTF8.self))
    {
      return id.uuidString
    }
    let id = UUID().uuidString
    try replace(file, with: Data(id.utf8))
    return id
  }

  /// The folder of an installation's models, whose blobs all installations share.
  ///
  /// The first one to use a cache has the folder `models`, whether it was made now or by a release that
  /// knew only one installation.
  ///
  /// - Throws: ``FileFailure``.
  func models(of installation: String) throws -> String {
    let name = BlobDigest(of: installation.utf8).hexadecimal
    guard try name != firstInstallation(orElse: name) else { return models }
    let folder = "\(installations)/\(name)"
    try Self.makeFolder(folder)
    return folder
  }

  /// The digest of the installation that the folder `models` belongs to.
  private func firstInstallation(orElse name: String) throws -> String {
    let lock = try FileLock.waiting(on: path)
    defer { withExtendedLifetime(lock) {} }
    let file = path + "/first-installation"
    if let bytes = try CacheFile.contents(of: file, upTo: 1024), bytes.count == name.utf8.count {
      return String(decoding: bytes, as: UTF8.self)
    }
    let made = try CacheFile.contents(of: path + "/installation-id", upTo: 1024)
    let first = made.map { BlobDigest(of: $0).hexadecimal } ?? name
    do {
      try replace(file, with: Data(first.utf8))
    } catch let error as FileFailure where error.isDiskFull || error.isReadOnly {
      // What was proven is still served; another process takes note.
    }
    return first
  }

  /// The folders of all installations' models.
  ///
  /// - Throws: `TensorIOError`.
  func allModels() throws -> [String] {
    guard FileSystem.isFolder(installations) else { return [models] }
    return try [models] + FileSystem.contents(of: installations).map { "\(installations)/\($0)" }
  }

  /// Writes a file, the old one being there until the new one is complete.
  ///
  /// The caller holds a lock.
  ///
  /// - Throws: ``FileFailure``.
  func replace(_ path: String, with bytes: Data) throws {
    let fresh = try CacheFile(writing: path + ".new", truncating: true)
    try bytes.withUnsafeBytes(fresh.write)
    try environment.reached(.stateWritten)
    try fresh.flush()
    try environment.reached(.stateFlushed)
    try Self.rename(fresh.path, to: path)
    try environment.reached(.stateRenamed)
    try Self.flushFolder(FileSystem.folder(of: path))
    try environment.reached(.stateDurable)
  }
}

private func systemRename(_ old: String, _ new: String) -> CInt { rename(old, new) }
#endif
