// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes models of a models folder out of zip files that people send.
///
/// A zip file is taken for an attack until it is known to be none: see ``ArchiveLimits`` and
/// ``ImportError/Code/unsafeZip``. Nothing is written outside the models folder, and a model is there
/// when it is whole or not at all.
///
/// A model is known by its id. One that is there is replaced only on request, and no other model is
/// touched, whatever the folders are called.
///
/// ```swift
/// let importer = BundleImporter(folder: "models")
/// let bundle = try importer.importBundle(fromZip: "digits.tiobundle.zip")
/// print(bundle.manifest.name)
/// ```
public struct BundleImporter: Sendable {
  let folder: String
  private let limits: ArchiveLimits
  let isShipped: @Sendable (_ id: String) -> Bool

  /// Makes an importer.
  ///
  /// - Parameters:
  ///   - folder: The models folder.
  ///   - limits: What a zip file may hold at most.
  ///   - isShipped: Whether a model of that id came with the program; it is never replaced.
  public init(
    folder: String, limits: ArchiveLimits = ArchiveLimits(),
    isShipped: @escaping @Sendable (_ id: String) -> Bool = { _ in false }
  ) {
    self.folder = folder
    self.limits = limits
    self.isShipped = isShipped
  }

  /// Unpacks the bundle of a zip file, checks it, and gives it its place in the models folder.
  ///
  /// The bundle keeps its folder's name where that is free. The work blocks its thread; several imports
  /// may run at once.
  ///
  /// - Parameters:
  ///   - path: The zip file; it stays.
  ///   - replaces: Whether a model with the same id is replaced; otherwise it is an error.
  ///   - check: What the program asks of a model beyond being one with a picture in colour as its only
  ///     input, such as that it can be loaded. The bundle lies elsewhere when the import is done, so
  ///     nothing of it is to stay open. What it throws is the reason of an `invalidBundle`, but for an
  ///     ``ImportError``, which is passed on.
  ///   - isOver: Asked now and then; true ends the import.
  ///   - onProgress: Told how much is unpacked, from 0 to 1.
  /// - Returns: The bundle in the models folder.
  /// - Throws: ``ImportError``; the models folder is as it was then.
  @discardableResult
  public func importBundle(
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

  /// Copies a bundle that a repository gave, checks it, and gives it its place in the models folder.
  ///
  /// Whatever a zip file must not have, it must not have either.
  ///
  /// - Parameters:
  ///   - path: The bundle's files; they stay.
  ///   - name: The name of its folder, such as `X.tiobundle`.
  ///   - former: The folder in the models folder that it updates; nil for a new model.
  ///   - origin: Where it came from; older than that of the bundle that is there, it is refused.
  ///   - replaces: Whether another model with the same id is replaced; otherwise it is an error.
  ///   - check: What the program asks of a model beyond being one with a picture as its only input.
  ///   - isOver: Asked now and then; true ends the import.
  /// - Returns: The bundle in the models folder.
  /// - Throws: ``ImportError``; the models folder is as it was then.
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
      throw ImportError(.cannotWrite, "There is no models folder. Make it, and import again.")
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
    // Asked before the model is tried, which takes time, and again when nothing can come between.
    _ = try destination(of: bundle, over: former, replaces: replaces)
    try run(check, on: bundle)
    guard !isOver() else { throw ImportError.cancelled }
    return try writing(name) {
      try FileSystem.whileLocked(folder) {
        let destination = try destination(of: bundle, over: former, replaces: replaces)
        try origin?.refuseOlder(than: BundleOrigin(ofBundle: destination))
        try FileSystem.move(fresh, over: destination)
        try FileSystem.flush(folder)
        return try open(destination)
      }
    }
  }

  /// A file of the models folder that an archive may be kept in until it is unpacked.
  package var temporaryFile: String {
    "\(folder)/\(BundleArchive.freshPrefix)\(UUID().uuidString).zip"
  }

  /// Removes what imports left that were killed; call it before the first import.
  ///
  /// - Throws: ``ImportError`` with the code `cannotWrite`.
  public func removeLeftovers() throws {
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
      // A person knows the bundle, not the folders of this computer.
      let message = error.message.replacing("\(FileSystem.folder(of: path))/", with: "")
      throw ImportError(.invalidBundle, message, cause: error)
    }
  }

  private func checkInput(of bundle: ModelBundle) throws {
    let inputs = bundle.manifest.inputs
    var found = counted(inputs.count, "input")
    if let input = inputs.first, inputs.count == 1 {
      guard case .imageInput(let shape, _) = input.kind else {
        throw notAVisionModel(bundle, found: "'\(input.name)', which is no image")
      }
      if shape.channels == 3, shape.format != .gray { return }
      found = "'\(input.name)', an image with the format \(shape.format.rawValue)"
    }
    throw notAVisionModel(bundle, found: found)
  }

  private func notAVisionModel(_ bundle: ModelBundle, found: String) -> ImportError {
    ImportError(
      .notAVisionModel,
      "Net Runner runs models with one input, an image with the format RGB or BGR;"
        + " '\(bundle.manifest.name)' has \(found). Run it with 'tensorio run'.")
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
