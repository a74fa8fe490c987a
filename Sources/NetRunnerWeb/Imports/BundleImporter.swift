// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import TensorIO

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
struct BundleImporter: Sendable {
  let folder: String
  private let limits: ArchiveLimits
  let isShipped: @Sendable (_ id: String) -> Bool

  /// Creates an importer for a models folder, in which shipped models are never replaced.
  init(
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
  ///     itself requires a model that the page can show. The bundle is moved after the
  ///     check, so the check must not leave any of its files open. An error becomes the reason of
  ///     an `invalidBundle`, except for an ``ImportError``, which is rethrown.
  ///   - isOver: Called now and then. If it returns true, the import is cancelled.
  ///   - onProgress: Called with the fraction that has been unpacked, from 0 to 1.
  /// - Returns: The bundle in the models folder.
  /// - Throws: ``ImportError``. The models folder is then unchanged.
  @discardableResult
  func importBundle(
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
  ///   - check: The program's own check. The importer itself requires a model that the page can
  ///     show.
  ///   - isOver: Called now and then. If it returns true, the import is cancelled.
  /// - Returns: The bundle in the models folder.
  /// - Throws: ``ImportError``. The models folder is then unchanged.
  func importBundle(
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

  /// Makes a bundle with a closure, checks it and moves it into the models folder.
  ///
  /// - Parameters:
  ///   - name: The name of the bundle's folder, such as `X.tiobundle`.
  ///   - replaces: Whether a model with the same id is replaced. If false, such a model is an
  ///     error.
  ///   - check: The program's own check.
  ///   - make: Writes the bundle to a path that doesn't exist.
  /// - Returns: The bundle in the models folder.
  /// - Throws: ``ImportError``. The models folder is then unchanged.
  func importBundle(
    as name: String, replaces: Bool, check: (ModelBundle) throws -> Void,
    make: (_ path: String) throws -> Void
  ) throws -> ModelBundle {
    try requireFolder()
    return try BundleArchive.withHiddenFolder(in: folder, for: name) { fresh in
      let path = "\(fresh)/\(name)"
      do {
        try make(path)
      } catch {
        let message = (error as? TensorIOError)?.naming(FileSystem.name(of:)).message ?? "\(error)"
        throw ImportError(.invalidBundle, message, cause: error)
      }
      return try place(path, nil, over: nil, replaces: replaces, check: check) { false }
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
    try ImportError.writing(name) { try BundleOrigin.replace(in: fresh, with: origin) }
    let bundle = try open(fresh)
    try checkInput(of: bundle)
    // The destination is checked early because trying the model takes time. It is checked again
    // while the folder is locked.
    _ = try destination(of: bundle, over: former, replaces: replaces)
    do {
      try check(bundle)
    } catch let error as ImportError {
      throw error
    } catch is CancellationError {
      throw ImportError.cancelled
    } catch {
      let known = (error as? TensorIOError)?.about(fresh).naming(FileSystem.name(of:))
      let reason = known?.message ?? "\(error)"
      throw ImportError(.invalidBundle, "'\(name)' cannot be used: \(reason)", cause: error)
    }
    guard !isOver() else { throw ImportError.cancelled }
    return try ImportError.writing(name) {
      let lock = try FileLock.waiting(on: folder)
      defer { withExtendedLifetime(lock) {} }
      let destination = try destination(of: bundle, over: former, replaces: replaces)
      try origin?.refuseOlder(than: BundleOrigin(ofBundle: destination))
      try FileSystem.move(fresh, over: destination)
      try FileSystem.flush(folder)
      return try open(destination)
    }
  }

  /// A path in the models folder for a file that will be imported later.
  func temporaryFile(_ fileExtension: String) -> String {
    "\(folder)/\(BundleArchive.freshPrefix)\(UUID().uuidString).\(fileExtension)"
  }

  /// Removes the leftovers of imports that were killed; call it before the first import.
  func removeLeftovers() throws {
    try ImportError.writing("The models folder") {
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
      let message = error.about(path).naming(FileSystem.name(of:)).message
      throw ImportError(.invalidBundle, message, cause: error)
    }
  }

  private func checkInput(of bundle: ModelBundle) throws {
    guard ModelSubject(of: bundle.manifest) == nil else { return }
    throw ImportError(
      .notAServedModel,
      "Net Runner runs models with one image, one recording, or any number of numbers and texts, but"
        + " '\(bundle.manifest.name)' has \(counted(bundle.manifest.inputs.count, "input"))"
        + (bundle.manifest.inputs.isEmpty ? "." : ", of which one is an image or a recording.")
        + " Run it with 'tensorio run'.")
  }
}

extension BundleImporter {
  /// Chooses a bundle's path in the models folder: an unused path, the path of the model to
  /// replace, or that of the folder `former` that the bundle updates.
  func destination(
    of bundle: ModelBundle, over former: String?, replaces: Bool
  ) throws -> String {
    let id = bundle.manifest.id
    guard !isShipped(id) else {
      throw ImportError(
        .modelIsShipped,
        "The id '\(id)' belongs to a model that came with the program and can't be replaced. "
          + "Change \"id\" in the new bundle's model.json.")
    }
    let present = try ModelLibrary(scanning: folder).bundles.filter { $0.manifest.id == id }
    let others = present.filter { FileSystem.name(of: $0.path) != former }
    if let other = others.first {
      // An update of one model must not replace another model as well.
      guard replaces, former == nil else { throw Self.sameID(other) }
      return other.path
    }
    if let former { return "\(folder)/\(former)" }
    return "\(folder)/\(try freeName(for: bundle))"
  }

  private static func sameID(_ other: ModelBundle) -> ImportError {
    let manifest = other.manifest
    let version = manifest.version.isEmpty ? "" : ", version \(manifest.version)"
    return ImportError(
      .sameID,
      "A model with the id '\(manifest.id)' is already here: '\(manifest.name)'\(version). Replace "
        + "it, or change \"id\" in the new bundle's model.json.")
  }

  /// Returns an unused folder name: the bundle's own name, or one derived from its id.
  private func freeName(for bundle: ModelBundle) throws -> String {
    // Some file systems treat 'A' and 'a' as the same.
    let taken = Set(try FileSystem.contents(of: folder).map { $0.lowercased() })
    let own = FileSystem.name(of: bundle.path)
    guard taken.contains(own.lowercased()) else { return own }
    let plain = bundle.manifest.id.unicodeScalars.prefix(100).map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        ? Character(scalar) : "-"
    }
    let base = plain.isEmpty ? "model" : String(plain)
    var name = "\(base).tiobundle"
    var number = 1
    while taken.contains(name.lowercased()) {
      number += 1
      name = "\(base)-\(number).tiobundle"
    }
    return name
  }
}
#endif
