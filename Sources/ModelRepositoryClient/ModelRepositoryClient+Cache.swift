// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Files
import Foundation
public import ModelRepositoryAPI
import Synchronization
import TensorIO

extension ModelRepositoryClient {
  /// Returns whether a version of a model was downloaded, without verifying its files.
  public func isDownloaded(_ model: RepositoryName) -> Bool {
    let folder = folder(of: model)
    return (try? folder.readState())?.entries.contains {
      FileManager.default.fileExists(atPath: folder.path(of: $0))
    } ?? false
  }

  /// Returns the models in the cache without verifying, activating or counting anything.
  ///
  /// - Returns: The models, sorted by name.
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite`.
  public func models() throws -> [InstalledModel.State] {
    try ModelRepositoryClientError.converting {
      try folders(in: modelsFolder).map { folder in
        let state = try folder.readState()
        let versions = state.channels.compactMap { name, channel in
          RepositoryName(name).map { ($0, channel.documentVersion) }
        }
        return InstalledModel.State(
          model: state.model, active: state.active.map { InstalledModel.Version($0) },
          previous: state.previous.map { InstalledModel.Version($0) },
          pending: state.pending.map { InstalledModel.Version($0) },
          quarantined: state.quarantined.map(\.manifest.digest),
          documentVersions: Dictionary(versions) { first, _ in first })
      }
    }
  }

  /// Deletes all versions of a model that this installation has, and forgets their failures.
  ///
  /// A running download of the model is cancelled.
  ///
  /// The cache still remembers which documents it has seen, so nobody can replay an old one
  /// afterwards. Files that another process uses are removed after that process ends.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite`.
  public func delete(_ model: RepositoryName) throws {
    downloads.cancel(model)
    chosen.withLock { chosen in
      if let digest = chosen.choices[model]?.entry?.digest { chosen.failed.remove(digest) }
      chosen.choices[model] = nil
    }
    try ModelRepositoryClientError.converting {
      try folder(of: model).withState { state in
        var fresh = ModelState(model: model)
        fresh.channels = state.channels
        for digest in state.quarantined.map(\.manifest.digest) + state.entries.map(\.digest) {
          chosen.withLock { _ = $0.failed.remove(digest) }
        }
        state = fresh
      }
    }
    _ = try removeUnused()
  }

  /// Removes blobs that no model uses and incomplete files that are too old to resume.
  ///
  /// Every download ends with this call. While a download is running, nothing is removed.
  ///
  /// - Returns: The total size of the removed files, in bytes.
  /// - Throws: ``ModelRepositoryClientError`` with `.cannotWrite`.
  public func removeUnused() throws -> Int {
    try ModelRepositoryClientError.converting {
      guard let claim = try FileLock.trying(on: cache.store) else { return 0 }
      defer { withExtendedLifetime(claim) {} }
      var used: Set<String> = []
      for folder in try cache.allModels().flatMap(folders) {
        try folder.withState { state in
          try folder.removeUnnamed(by: state)
          for entry in state.entries {
            used.insert(entry.digest.hexadecimal)
            let files = try cache.manifest(entry.release.manifest)?.files ?? []
            used.formUnion(files.map(\.digest.hexadecimal))
          }
        }
      }
      var freed = 0
      for name in try FileSystem.contents(of: cache.store) where !used.contains(name) {
        freed += try removeFile("\(cache.store)/\(name)")
        try cache.environment.reached(.unusedBlobRemoved)
      }
      for name in try FileSystem.contents(of: cache.partial) {
        // Only downloads hold these locks, and no download is running.
        let isLock = name.hasSuffix(".lock")
        let digest = String(name.prefix { $0 != "." })
        guard isLock || used.contains(digest) || isOld("\(cache.partial)/\(name)") else { continue }
        freed += try removeFile("\(cache.partial)/\(name)")
      }
      return freed
    }
  }

  // MARK: - Files

  /// Returns the folders of all models of an installation.
  private func folders(in models: String) throws -> [ModelFolder] {
    try FileSystem.contents(of: models)
      .compactMap { name in
        let file = "\(models)/\(name)/state.json"
        guard let bytes = try CacheFile.contents(of: file, upTo: ModelFolder.maximumBytes),
          let state = try? RepositoryJSON.decode(ModelState.self, from: Data(bytes))
        else { return nil }
        let folder = ModelFolder(cache: cache, model: state.model, models: models)
        return FileSystem.name(of: folder.path) == name ? folder : nil
      }
      .sorted { $0.model < $1.model }
  }

  private func removeFile(_ path: String) throws -> Int {
    let size = (try? CacheFile.reading(path).status.size) ?? 0
    try FileSystem.remove(path)
    return size
  }

  private func isOld(_ path: String) -> Bool {
    guard let status = try? CacheFile.reading(path).status else { return false }
    let age = cache.environment.now().timeIntervalSince1970 - Double(status.seconds)
    return age > Double(configuration.partialLifetime.components.seconds)
  }
}
#endif
