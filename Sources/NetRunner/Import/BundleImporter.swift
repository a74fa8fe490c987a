// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Imports models into a models folder from zip files that people send.
///
/// A zip file is treated as hostile until every check has passed; see ``ArchiveLimits`` and
/// ``ImportError/Code/unsafeZip``. Nothing is written outside the models folder. A model is
/// imported completely or not at all.
///
/// A model is identified by its id. An existing model is replaced only on request. No other model
/// is changed, whatever the folders are called.
///
/// ```swift
/// let importer = BundleImporter(folder: "models")
/// let bundle = try importer.importBundle(fromZip: "digits.tiobundle.zip")
/// print(bundle.manifest.name)
/// ```
package struct BundleImporter: Sendable {
  let folder: String
  private let limits: ArchiveLimits
  let isShipped: @Sendable (_ id: String) -> Bool

  /// Creates an importer.
  ///
  /// - Parameters:
  ///   - folder: The models folder.
  ///   - limits: The limits on the content of a zip file.
  ///   - isShipped: Whether the model with the given id came with the program. Such a model is
  ///     never replaced.
  package init(
    folder: String, limits: ArchiveLimits = ArchiveLimits(),
    isShipped: @escaping @Sendable (_ id: String) -> Bool = { _ in false }
  ) {
    self.folder = folder
    self.limits = limits
    self.isShipped = isShipped
  }

  /// Unpacks a zip file's bundle, checks it and moves it into the models folder.
  ///
  /// The bundle keeps its folder name unless that name is taken. The call blocks its thread.
  /// Several imports can run at once.
  ///
  /// - Parameters:
  ///   - path: The zip file, which is kept.
  ///   - replaces: Whether a model with the same id is replaced. If false, such a model is an
  ///     error.
  ///   - check: The program's own check, for example that the model can be loaded. The importer
  ///     itself requires a model whose only input is a colour image. The bundle is moved after the
  ///     check, so the check must not leave any of its files open. An error becomes the reason of
  ///     an `invalidBundle`, except for an ``ImportError``, which is rethrown.
  ///   - isOver: Called now and then. If it returns true, the import is cancelled.
  ///   - onProgress: Called with the fraction that has been unpacked, from 0 to 1.
  /// - Returns: The bundle in the models folder.
  /// - Throws: ``ImportError``. The models folder is then unchanged.
  @discardableResult
  package func importBundle(
    fromZip path: String, replaces: Bool = false,
    check: (ModelBundle) throws -> Void = { _ in },
    until isOver: () -> Bool = { false }, onProgress: (Double) -> Void = { _ in }
  ) throws -> ModelBundle {
    let archive = try BundleArchive(path, limits: limits)
    try requireFolder()
    return try archive.withUnpackedBundle(in: folder, until: isOver, onProgress: onProgress) {
      try place($0, nil, over: nil, replaces: replaces, check: check, until: isOver)
    }
  }

  /// Copies a bundle from a repository, checks it and moves it into the models folder.
  ///
  /// The same restrictions apply as for a zip file.
  ///
  /// - Parameters:
  ///   - path: The folder with the bundle's files, which are kept.
  ///   - name: The name of the bundle's folder, such as `X.tiobundle`.
  ///   - former: The folder in the models folder that the bundle updates, or nil for a new model.
  ///   - origin: Where the bundle came from. The import fails if the existing bundle's origin is
  ///     newer.
  ///   - replaces: Whether another model with the same id is replaced. If false, such a model is an
  ///     error.
  ///   - check: The program's own check. The importer itself requires a model whose only input is
  ///     an image.
  ///   - isOver: Called now and then. If it returns true, the import is cancelled.
  /// - Returns: The bundle in the models folder.
  /// - Throws: ``ImportError``. The models folder is then unchanged.
  package func importBundle(
    fromFolder path: String, as name: String, over former: String? = nil, origin: BundleOrigin,
    replaces: Bool = false, check: (ModelBundle) throws -> Void = { _ in },
    until isOver: () -> Bool = { false }
  ) throws -> ModelBundle {
    let source = try BundleFolder(path, as: name, limits: limits)
    try requireFolder()
    return try source.withCopy(in: folder, until: isOver) {
      try place($0, origin, over: former, replaces: replaces, check: check, until: isOver)
    }
  }

  private func requireFolder() throws {
    guard FileSystem.isFolder(folder) else {
      throw ImportError(.cannotWrite, "The models folder is missing. Create it, and import again.")
    }
  }

  private func place(
    _ fresh: String, _ origin: BundleOrigin?, over former: String?, replaces: Bool,
    check: (ModelBundle) throws -> Void, until isOver: () -> Bool
  ) throws -> ModelBundle {
    let name = FileSystem.name(of: fresh)
    try writing(name) { try BundleOrigin.replace(in: fresh, with: origin) }
    let bundle = try open(fresh)
    try checkInput(of: bundle)
    // The destination is checked early because trying the model takes time. It is checked again
    // while the folder is locked.
    _ = try destination(of: bundle, over: former, replaces: replaces)
    try run(check, on: bundle)
    guard !isOver() else { throw ImportError.cancelled }
    return try writing(name) {
      let lock = try FileLock.waiting(on: folder)
      defer { withExtendedLifetime(lock) {} }
      let destination = try destination(of: bundle, over: former, replaces: replaces)
      try origin?.refuseOlder(than: BundleOrigin(ofBundle: destination))
      try FileSystem.move(fresh, over: destination)
      try FileSystem.flush(folder)
      return try open(destination)
    }
  }

  /// A path in the models folder for an archive that will be unpacked later.
  package var temporaryFile: String {
    "\(folder)/\(BundleArchive.freshPrefix)\(UUID().uuidString).zip"
  }

  /// Removes the leftovers of imports that were killed.
  ///
  /// Call it before the first import.
  ///
  /// - Throws: ``ImportError`` with the code `cannotWrite`.
  package func removeLeftovers() throws {
    try writing("The models folder") {
      for name in try FileSystem.contents(of: folder)
      where name.hasPrefix(BundleArchive.freshPrefix) {
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    }
  }
}

// MARK: - Checks

extension BundleImporter {
  private func open(_ path: String) throws -> ModelBundle {
    do {
      return try ModelBundle(path)
    } catch let error as TensorIOError {
      // The user knows the bundle, but not the folders of this computer.
      let message = error.message.replacing("\(FileSystem.folder(of: path))/", with: "")
      throw ImportError(.invalidBundle, message, cause: error)
    }
  }

  private func checkInput(of bundle: ModelBundle) throws {
    let inputs = bundle.manifest.inputs
    var found = counted(inputs.count, "input")
    if let input = inputs.first, inputs.count == 1 {
      guard case .imageInput(let shape, _) = input.kind else {
        throw notAVisionModel(bundle, found: "'\(input.name)', which isn't an image")
      }
      if shape.channels == 3, shape.format != .gray { return }
      found = "'\(input.name)', an image with the format \(shape.format.rawValue)"
    }
    throw notAVisionModel(bundle, found: found)
  }

  private func notAVisionModel(_ bundle: ModelBundle, found: String) -> ImportError {
    ImportError(
      .notAVisionModel,
      "Net Runner runs models with one input, an image with the format RGB or BGR,"
        + " but '\(bundle.manifest.name)' has \(found). Run it with 'tensorio run'.")
  }

  private func run(_ check: (ModelBundle) throws -> Void, on bundle: ModelBundle) throws {
    do {
      try check(bundle)
    } catch let error as ImportError {
      throw error
    } catch is CancellationError {
      throw ImportError.cancelled
    } catch {
      let name = FileSystem.name(of: bundle.path)
      let reason = "\(error)".replacing("\(FileSystem.folder(of: bundle.path))/", with: "")
      throw ImportError(.invalidBundle, "'\(name)' cannot be used: \(reason)", cause: error)
    }
  }

  private func writing<Result>(_ name: String, _ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as ImportError {
      throw error
    } catch {
      throw ImportError(
        .cannotWrite, "'\(name)' cannot be written: \(reason(for: error)).", cause: error)
    }
  }

  private func reason(for error: any Error) -> String {
    let cause = (error as? TensorIOError)?.cause ?? error
    if cause is TensorIOError { return "the models folder cannot be used" }
    return FileSystem.reason(for: cause)
  }
}
