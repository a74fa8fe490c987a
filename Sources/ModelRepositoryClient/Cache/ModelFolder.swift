// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI
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

/// A model's folder in the cache.
///
/// Only who holds its lock changes anything in it.
struct ModelFolder: Sendable {
  let cache: CacheFolder
  let model: RepositoryName
  /// The folder of an installation's models, which it lies in.
  let models: String

  var path: String { "\(models)/\(BlobDigest(of: model.text.utf8).hexadecimal)" }
  var versions: String { path + "/versions" }
  var attempts: String { path + "/attempts" }
  private var stateFile: String { path + "/state.json" }

  /// What is known of the model.
  ///
  /// A state that cannot be read counts as none: the store still has the blobs, so that the next
  /// download has little to fetch.
  ///
  /// - Throws: ``FileFailure`` when it could be read in another moment.
  func readState() throws -> ModelState {
    guard let bytes = try CacheFile.contents(of: stateFile, upTo: Self.maximumBytes),
      let state = try? RepositoryJSON.decode(ModelState.self, from: Data(bytes)), state.layout == 1,
      state.model == model
    else { return ModelState(model: model) }
    return state
  }

  /// The most bytes that a state may have.
  static let maximumBytes = 64 << 20

  /// Works with the state while nobody else does, and keeps what was changed.
  ///
  /// - Throws: ``FileFailure``; what the work throws, and then nothing is kept.
  func withState<Result>(_ work: (inout ModelState) throws -> Result) throws -> Result {
    for folder in [path, versions, attempts] { try CacheFolder.makeFolder(folder) }
    let lock = try FileLock.waiting(on: path)
    defer { withExtendedLifetime(lock) {} }
    var state = try readState()
    let before = state
    let result = try work(&state)
    if state != before {
      try cache.replace(stateFile, with: RepositoryJSON.encode(state))
      // What was decided is on the disk; what cannot be removed now is, after the next change.
      do { try removeUnnamed(by: state) } catch is FileFailure {} catch is CocoaError {
      } catch is TensorIOError {}
    }
    return result
  }

  // MARK: - Versions

  func path(of entry: ModelState.Entry) -> String { "\(versions)/\(entry.name)" }

  /// Whether a version is on disk as its manifest says, every byte; if it is not, but its blobs
  /// are, it is made again.
  ///
  /// The caller holds the lock.
  ///
  /// - Throws: ``FileFailure`` when it cannot be made again.
  func verify(_ entry: ModelState.Entry) throws -> Bool {
    guard let manifest = try cache.manifest(entry.release.manifest), manifest.model == model,
      manifest.format == entry.format
    else { return false }
    if try isWhole(manifest, at: path(of: entry)) { return true }
    guard try manifest.files.allSatisfy({ try cache.hasBlob($0.blob) }) else { return false }
    try make(entry, manifest)
    return true
  }

  private func isWhole(_ manifest: VersionManifest, at path: String) throws -> Bool {
    guard manifest.format == .bundle else {
      return try manifest.files.allSatisfy { try cache.hasBytes($0.blob, at: path) }
    }
    // What the manifest does not name could change what the model does.
    var names = Set(manifest.files.map(\.path))
    for file in manifest.files {
      var folder = FileSystem.folder(of: file.path)
      while folder != "." {
        names.insert(folder)
        folder = FileSystem.folder(of: folder)
      }
    }
    guard FileSystem.isFolder(path),
      try Set(FileManager.default.subpathsOfDirectory(atPath: path)) == names
    else { return false }
    return try manifest.files.allSatisfy {
      try cache.hasBytes($0.blob, at: "\(path)/\($0.path)")
    }
  }

  /// Makes a version out of blobs that the caller verified.
  ///
  /// It has its name when it is whole. The caller holds the lock.
  ///
  /// - Throws: ``FileFailure``.
  func make(_ entry: ModelState.Entry, _ manifest: VersionManifest) throws {
    let staging = versions + "/.new"
    try removeItem(staging)
    if manifest.format == .bundle {
      try CacheFolder.makeFolder(staging)
      try cache.environment.reached(.stagingMade)
      for file in manifest.files {
        try CacheFolder.makeFolder(FileSystem.folder(of: "\(staging)/\(file.path)"))
        try place(file, at: "\(staging)/\(file.path)")
      }
      for folder in Set(manifest.files.map { FileSystem.folder(of: "\(staging)/\($0.path)") }) {
        try CacheFolder.flushFolder(folder)
      }
    } else {
      for file in manifest.files { try place(file, at: staging) }
    }
    try cache.environment.reached(.stagingFlushed)
    if manifest.format == .bundle { try retire(path(of: entry)) }
    try CacheFolder.rename(staging, to: path(of: entry))
    try cache.environment.reached(.versionRenamed)
    try CacheFolder.flushFolder(versions)
    try cache.environment.reached(.versionDurable)
  }

  /// A second name for the blob's bytes; a copy where the file system has no such thing.
  private func place(_ file: VersionManifest.File, at path: String) throws {
    let blob = cache.blob(file.digest)
    if link(blob, path) != 0 {
      guard [EXDEV, EPERM, EMLINK, ENOTSUP, ENOSYS].contains(errno) else {
        throw FileFailure("linked to '\(path)'", blob)
      }
      let copy = try CacheFile(writing: path, truncating: true)
      try CacheFile(reading: blob).forEachPart(copy.write)
      try copy.makeReadOnly()
      try copy.flush()
    }
    try cache.environment.reached(.fileLinked)
  }

  // MARK: - Removing

  /// Removes the versions that a state does not name and no process uses, and what dead processes
  /// left.
  ///
  /// The caller holds the lock.
  ///
  /// - Throws: ``FileFailure``.
  func removeUnnamed(by state: ModelState) throws {
    let named = Set(state.entries.map(\.name))
    for name in try names(in: versions) where !named.contains(name) {
      let path = "\(versions)/\(name)"
      guard let lock = try FileLock.trying(on: path) else { continue }
      defer { withExtendedLifetime(lock) {} }
      try name.hasPrefix(".") ? removeItem(path) : retire(path)
    }
    let running = Set(state.attempts.values.flatMap(\.running))
    for name in try names(in: attempts) where !running.contains(name) {
      if try FileLock.trying(on: "\(attempts)/\(name)") != nil {
        try removeItem("\(attempts)/\(name)")
        try cache.environment.reached(.attemptRemoved)
      }
    }
  }

  /// Takes a version's name away before its files: no half of a version has the name of a whole one.
  private func retire(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    let old = "\(versions)/.\(UUID().uuidString)"
    try CacheFolder.rename(path, to: old)
    try cache.environment.reached(.oldVersionMarked)
    try removeItem(old)
    try cache.environment.reached(.oldVersionRemoved)
  }

  private func names(in folder: String) throws -> [String] {
    FileSystem.isFolder(folder) ? try FileSystem.contents(of: folder).sorted() : []
  }

  private func removeItem(_ path: String) throws {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch let error as CocoaError where error.code == .fileNoSuchFile {
      // That is how it should be.
    }
  }
}
#endif
