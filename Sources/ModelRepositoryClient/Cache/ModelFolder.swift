// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
import Foundation
import ModelRepositoryAPI
import TensorIO

/// A model's folder in the cache.
///
/// Change its contents only while you hold its lock.
struct ModelFolder: Sendable {
  let cache: CacheFolder
  let model: RepositoryName
  /// The folder of an installation's models, which contains this folder.
  let models: String

  var path: String { "\(models)/\(BlobDigest(of: model.text.utf8).hexadecimal)" }
  var versions: String { path + "/versions" }
  var attempts: String { path + "/attempts" }
  private var stateFile: String { path + "/state.json" }

  /// Reads the model's state.
  ///
  /// A damaged state counts as an empty one. The store still has the blobs, so the next download
  /// has little to fetch.
  ///
  /// - Throws: ``FileError`` if reading may succeed later.
  func readState() throws -> ModelState {
    guard let bytes = try CacheFile.contents(of: stateFile, upTo: Self.maximumBytes),
      let state = try? RepositoryJSON.decode(ModelState.self, from: Data(bytes)), state.layout == 1,
      state.model == model
    else { return ModelState(model: model) }
    return state
  }

  /// The maximum size of a state, in bytes.
  static let maximumBytes = 64 << 20

  /// Changes the state under the folder's lock and saves it.
  ///
  /// - Throws: ``FileError``, or the errors of the work. If the work throws, nothing is saved.
  func withState<Result>(_ work: (inout ModelState) throws -> Result) throws -> Result {
    for folder in [path, versions, attempts] { try CacheFolder.makeFolder(folder) }
    let lock = try FileLock.waiting(on: path)
    defer { withExtendedLifetime(lock) {} }
    var state = try readState()
    let before = state
    let result = try work(&state)
    if state != before {
      try cache.replace(stateFile, with: RepositoryJSON.encode(state))
      // The new state is on the disk. Files that can't be removed now are removed after the next
      // change.
      do { try removeUnnamed(by: state) } catch is FileError {} catch is CocoaError {
      } catch is TensorIOError {}
    }
    return result
  }

  // MARK: - Versions

  func path(of entry: ModelState.Entry) -> String { "\(versions)/\(entry.name)" }

  /// Returns whether a version's files match its manifest.
  ///
  /// If they don't, but the store has its blobs, the version is built again.
  ///
  /// The caller must hold the lock.
  ///
  /// - Throws: ``FileError`` if the version can't be built again, or if a file temporarily can't
  ///   be read.
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
    // A file that the manifest doesn't name could change the model's behavior.
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

  /// Builds a version from blobs that the caller has verified.
  ///
  /// The version gets its name only when it is complete. The caller must hold the lock.
  ///
  /// - Throws: ``FileError``.
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
        try FileOperations.flush(folder)
      }
    } else {
      for file in manifest.files { try place(file, at: staging) }
    }
    try cache.environment.reached(.stagingFlushed)
    if manifest.format == .bundle { try retire(path(of: entry)) }
    try FileOperations.rename(staging, to: path(of: entry))
    try cache.environment.reached(.versionRenamed)
    try FileOperations.flush(versions)
    try cache.environment.reached(.versionDurable)
  }

  /// Creates a hard link to a blob, or a copy if the file system doesn't support hard links.
  private func place(_ file: VersionManifest.File, at path: String) throws {
    let blob = cache.blob(file.digest)
    do {
      try FileOperations.link(blob, to: path)
    } catch {
      guard error.isUnsupported else { throw error }
      let copy = try CacheFile.writing(path, truncates: true)
      try CacheFile.reading(blob).forEachPart(copy.write)
      try copy.makeReadOnly()
      try copy.flush()
    }
    try cache.environment.reached(.fileLinked)
  }

  // MARK: - Removing

  /// Removes the versions that a state doesn't name and no process uses, and the files of processes
  /// that crashed.
  ///
  /// The caller must hold the lock.
  ///
  /// - Throws: ``FileError``.
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

  /// Removes a version, renaming it first so that no partly removed version has a valid name.
  private func retire(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    let old = "\(versions)/.\(UUID().uuidString)"
    try FileOperations.rename(path, to: old)
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
      // The item is already gone.
    }
  }
}
#endif
