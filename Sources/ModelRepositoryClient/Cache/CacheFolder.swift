// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto
import Files
import Foundation
import ModelRepositoryAPI
import Synchronization
import TensorIO

/// The cache's folder for blobs, incomplete files and models.
///
/// All of them are named by digests.
final class CacheFolder: Sendable {
  let path: String
  let environment: ClientEnvironment
  /// The digests that this process has computed.
  ///
  /// Hard links to a file have the same identity.
  private let verified = Mutex<[FileStatus: BlobDigest]>([:])

  /// Opens a cache, or creates it.
  ///
  /// - Throws: ``FileError``.
  convenience init(_ path: String, _ environment: ClientEnvironment) throws {
    self.init(unmade: path, environment)
    for folder in [self.path, store, partial, models] { try Self.makeFolder(folder) }
  }

  /// Uses a folder that may not exist yet, and makes nothing in it.
  init(unmade path: String, _ environment: ClientEnvironment) {
    // Make the path absolute, because a process may change its working directory.
    self.path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    self.environment = environment
  }

  var store: String { path + "/store" }
  var partial: String { path + "/partial" }
  /// The folder of models for the first installation that used the cache.
  var models: String { path + "/models" }
  /// The parent folder of the other installations' model folders.
  var installations: String { path + "/installations" }
  /// The folder of the newest root documents.
  var trust: String { path + "/trust" }

  func blob(_ digest: BlobDigest) -> String { "\(store)/\(digest.hexadecimal)" }

  /// Creates a folder and its missing parents, unless it exists.
  ///
  /// - Throws: ``FileError``.
  static func makeFolder(_ path: String) throws {
    guard !FileSystem.isFolder(path) else { return }
    let parent = FileSystem.folder(of: path)
    if parent != path { try makeFolder(parent) }
    do {
      try FileOperations.makeFolder(path, permissions: 0o700)
    } catch  where error.isPresent {
      // Another process created it.
    }
    try FileOperations.flush(parent)
  }

  // MARK: - Blobs

  /// Returns whether a file has the bytes of a blob.
  ///
  /// Each process hashes a file once, and again after the file changes.
  ///
  /// - Throws: ``FileError`` if the file temporarily can't be read.
  func hasBytes(_ blob: BlobReference, at path: String) throws -> Bool {
    let result = try CacheFile.unlessTransient {
      let identity = try CacheFile.reading(path).status
      guard identity.size == blob.size else { return false }
      if verified.withLock({ $0[identity] }) == blob.digest { return true }
      guard try BlobReference(of: CacheFile.reading(path)) == blob else { return false }
      noteVerified(identity, blob.digest)
      return true
    }
    return result ?? false
  }

  /// Returns whether the store has a blob and the blob is intact.
  ///
  /// - Throws: ``FileError`` if the file temporarily can't be read.
  func hasBlob(_ blob: BlobReference) throws -> Bool {
    try hasBytes(blob, at: self.blob(blob.digest))
  }

  /// Records a file's digest, so that the file isn't hashed again.
  func noteVerified(_ identity: FileStatus, _ digest: BlobDigest) {
    verified.withLock { $0[identity] = digest }
  }

  /// Returns a manifest, or nil if it is missing, invalid, or doesn't match its digest.
  ///
  /// - Throws: ``FileError`` if the file temporarily can't be read.
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

  /// Returns the installation's identifier, which the first process that asks creates.
  ///
  /// - Throws: ``FileError``.
  func installationID() throws -> String {
    let lock = try FileLock.waiting(on: path)
    defer { withExtendedLifetime(lock) {} }
    let file = path + "/installation-id"
    // A transient failure throws here, because a new identifier would change the versions that this
    // installation gets.
    if let bytes = try CacheFile.contents(of: file, upTo: 1024),
      let id = UUID(uuidString: String(decoding: bytes, as: UTF8.self))
    {
      return id.uuidString
    }
    let id = UUID().uuidString
    try replace(file, with: Data(id.utf8))
    return id
  }

  /// Returns the folder of an installation's models.
  ///
  /// All installations share the blobs.
  ///
  /// The first installation that uses a cache has the folder `models`. That also holds for a cache
  /// from a release that supported only one installation.
  ///
  /// - Throws: ``FileError``.
  func models(of installation: String) throws -> String {
    let name = BlobDigest(of: installation.utf8).hexadecimal
    guard try name != firstInstallation(orElse: name) else { return models }
    let folder = "\(installations)/\(name)"
    try Self.makeFolder(folder)
    return folder
  }

  /// Returns the digest of the installation that owns the folder `models`.
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
    } catch let error as FileError where error.isDiskFull || error.isReadOnly {
      // Proven versions can still be used. Another process can write the file later.
    }
    return first
  }

  /// Returns the folders of all installations' models.
  ///
  /// - Throws: `TensorIOError`.
  func allModels() throws -> [String] {
    guard FileSystem.isFolder(installations) else { return [models] }
    return try [models] + FileSystem.contents(of: installations).map { "\(installations)/\($0)" }
  }

  /// Replaces a file atomically: the old file stays until the new one is complete.
  ///
  /// The caller must hold a lock.
  ///
  /// - Throws: ``FileError``.
  func replace(_ path: String, with bytes: Data) throws {
    let fresh = try CacheFile.writing(path + ".new", truncates: true)
    try bytes.withUnsafeBytes(fresh.write)
    try environment.reached(.stateWritten)
    try fresh.flush()
    try environment.reached(.stateFlushed)
    try FileOperations.rename(fresh.path, to: path)
    try environment.reached(.stateRenamed)
    try FileOperations.flush(FileSystem.folder(of: path))
    try environment.reached(.stateDurable)
  }
}

extension BlobReference {
  /// Computes the digest and size of a whole file.
  ///
  /// - Throws: ``FileError``.
  init(of file: OpenFile) throws {
    var hash = SHA256()
    var size = 0
    try file.forEachPart { part in
      hash.update(bufferPointer: part)
      size += part.count
    }
    self.init(digest: BlobDigest(hash.finalize()), size: size)
  }
}

/// The parts of the system that a client depends on, which tests can replace.
struct ClientEnvironment: Sendable {
  /// Returns the current time.
  var now: @Sendable () -> Date = { Date() }
  /// Returns the free space of the file system that contains a folder, in bytes.
  var availableBytes: @Sendable (_ folder: String) throws -> Int = {
    try FileOperations.room(at: $0).free
  }
  /// The computer's power and network.
  var device = DeviceConditions()
  /// Called after each step.
  ///
  /// Tests throw from it to simulate a crash.
  var reached: @Sendable (FailurePoint) throws -> Void = { _ in }
}

/// The steps after which a process may crash.
///
/// Tests stop a client at each step and check that a new client recovers the cache. A step's name
/// says what was just done.
enum FailurePoint: String, CaseIterable, Sendable {
  case documentFetched, stateWritten, stateFlushed, stateRenamed, stateDurable
  case partialOpened, partialWritten, partialComplete, partialFlushed, blobRenamed, blobDurable
  case corruptBlobRemoved
  case stagingMade, fileLinked, stagingFlushed, versionRenamed, versionDurable
  case versionVerified, attemptMade, attemptRemoved
  case oldVersionMarked, oldVersionRemoved, unusedBlobRemoved
}

/// The regular files of the cache, which are never opened through a symbolic link.
enum CacheFile {
  /// Opens a file for reading.
  ///
  /// - Throws: ``FileError``, also if the path isn't a regular file.
  static func reading(_ path: String) throws(FileError) -> OpenFile {
    try OpenFile(reading: path, followsLinks: false)
  }

  /// Opens a file for writing, and creates it if it is missing.
  ///
  /// - Throws: ``FileError``, also if the path isn't a regular file.
  static func writing(_ path: String, truncates: Bool = false) throws(FileError) -> OpenFile {
    try OpenFile(writing: path, truncates: truncates, permissions: 0o600)
  }

  /// Returns the bytes of a small file, or nil if it is missing, exceeds the limit, or permanently
  /// can't be read.
  ///
  /// - Throws: ``FileError`` if reading may succeed later.
  static func contents(of path: String, upTo limit: Int) throws -> [UInt8]? {
    try unlessTransient {
      let file = try reading(path)
      guard try file.status.size <= limit else { return nil }
      var bytes: [UInt8] = []
      try file.forEachPart { bytes.append(contentsOf: $0) }
      return bytes.count <= limit ? bytes : nil
    }
  }

  /// Runs an operation on a file, and returns nil if the file is missing or damaged.
  ///
  /// - Throws: ``FileError`` if the failure is transient. An intact file must not be discarded
  ///   because the process has too many files open.
  static func unlessTransient<Result>(_ work: () throws -> Result?) throws -> Result? {
    do {
      return try work()
    } catch let failure as FileError where !failure.isTransient {
      return nil
    }
  }
}
#endif
