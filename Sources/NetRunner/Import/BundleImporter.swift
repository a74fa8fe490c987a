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
/// ```swift
/// let importer = BundleImporter(folder: "models")
/// let bundle = try importer.importBundle(fromZip: "digits.tiobundle.zip")
/// print(bundle.manifest.name)
/// ```
public struct BundleImporter: Sendable {
  private let folder: String
  private let limits: ArchiveLimits
  private let isProtected: @Sendable (_ name: String) -> Bool

  /// Makes an importer.
  ///
  /// - Parameters:
  ///   - folder: The models folder.
  ///   - limits: What a zip file may hold at most.
  ///   - isProtected: Whether the folder of that name, such as `X.tiobundle`, is never replaced.
  public init(
    folder: String, limits: ArchiveLimits = ArchiveLimits(),
    isProtected: @escaping @Sendable (_ name: String) -> Bool = { _ in false }
  ) {
    self.folder = folder
    self.limits = limits
    self.isProtected = isProtected
  }

  /// Unpacks the bundle of a zip file, checks it, and gives it its place in the models folder.
  ///
  /// A bundle of that name is replaced. The work blocks its thread; several imports may run at once.
  ///
  /// - Parameters:
  ///   - path: The zip file; it stays.
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
    fromZip path: String, check: (ModelBundle) throws -> Void = { _ in },
    until isOver: () -> Bool = { false }, onProgress: (Double) -> Void = { _ in }
  ) throws -> ModelBundle {
    let archive = try BundleArchive(path, limits: limits)
    try begin(archive.name)
    return try archive.withUnpackedBundle(in: folder, until: isOver, onProgress: onProgress) {
      try place($0, nil, check: check, until: isOver)
    }
  }

  /// Copies a bundle that a repository gave, checks it, and gives it its place in the models folder.
  ///
  /// Whatever a zip file must not have, it must not have either.
  ///
  /// - Parameters:
  ///   - path: The bundle's files; they stay.
  ///   - name: The name of its folder, such as `X.tiobundle`.
  ///   - origin: Where it came from; older than that of the bundle that is there, it is refused.
  ///   - check: What the program asks of a model beyond being one with a picture as its only input.
  ///   - isOver: Asked now and then; true ends the import.
  /// - Returns: The bundle in the models folder.
  /// - Throws: ``ImportError``; the models folder is as it was then.
  package func importBundle(
    fromFolder path: String, as name: String, origin: BundleOrigin,
    check: (ModelBundle) throws -> Void = { _ in }, until isOver: () -> Bool = { false }
  ) throws -> ModelBundle {
    let source = try BundleFolder(path, as: name, limits: limits)
    try begin(name)
    return try source.withCopy(in: folder, until: isOver) {
      try place($0, origin, check: check, until: isOver)
    }
  }

  private func begin(_ name: String) throws {
    guard FileSystem.isFolder(folder) else {
      throw ImportError(.cannotWrite, "There is no models folder. Make it, and import again.")
    }
    // Asked before anything is unpacked, and again when nothing can come between.
    try refuseProtected(name)
  }

  private func place(
    _ fresh: String, _ origin: BundleOrigin?, check: (ModelBundle) throws -> Void,
    until isOver: () -> Bool
  ) throws -> ModelBundle {
    let name = FileSystem.name(of: fresh)
    let destination = "\(folder)/\(name)"
    try writing(name) { try BundleOrigin.replace(in: fresh, with: origin) }
    let bundle = try open(fresh)
    try checkInput(of: bundle)
    try run(check, on: bundle)
    guard !isOver() else { throw ImportError.cancelled }
    return try writing(name) {
      try FileSystem.whileLocked(folder) {
        try refuseProtected(name)
        try refuseSameID(as: bundle, beside: name)
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
    var found = "\(inputs.count) inputs"
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

  private func refuseProtected(_ name: String) throws {
    // Where 'A' is 'a', the folder of another spelling would be replaced.
    let existing = try writing(name) { try FileSystem.contents(of: folder) }
    let spellings = existing.filter { $0.lowercased() == name.lowercased() }
    guard let shipped = ([name] + spellings).first(where: isProtected) else { return }
    throw ImportError(
      .modelIsShipped,
      "'\(shipped)' came with the program and is not replaced. Give your bundle another name.")
  }

  private func refuseSameID(as bundle: ModelBundle, beside name: String) throws {
    let library = try ModelLibrary(scanning: folder)
    for other in library.bundles where other.manifest.id == bundle.manifest.id {
      let otherName = FileSystem.name(of: other.path)
      guard otherName != name else { continue }
      throw ImportError(
        .sameID,
        "'\(otherName)' has a model with the identifier '\(bundle.manifest.id)' already. Delete it,"
          + " or change \"id\" in the new bundle's model.json.")
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
