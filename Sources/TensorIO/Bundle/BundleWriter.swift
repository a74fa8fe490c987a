// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes a bundle's folder completely or not at all.
package struct BundleWriter {
  package static let fileExtension = ".tiobundle"

  /// The folder to write.
  package let destination: String
  private let replaces: Bool

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - destination: The folder to write.
  ///   - replaces: Whether an existing folder is replaced, with everything in it.
  package init(destination: String, replaces: Bool = false) {
    self.destination =
      destination.count > 1 && destination.hasSuffix("/")
      ? String(destination.dropLast()) : destination
    self.replaces = replaces
  }

  /// The folder's name without its extension.
  package var name: String {
    String(FileSystem.name(of: destination).dropLast(Self.fileExtension.count))
  }

  private var parent: String { FileSystem.folder(of: destination) }

  /// Checks that the destination can be written.
  ///
  /// - Throws: ``TensorIOError``. If the destination already exists, the code is
  ///   ``TensorIOError/Code/fileExists``.
  package func checkDestination() throws {
    guard FileSystem.name(of: destination).hasSuffix(Self.fileExtension) else {
      throw TensorIOError(
        .invalidBundle,
        "A bundle's name must end with \(Self.fileExtension), but '\(destination)' doesn't.")
    }
    guard FileSystem.isFolder(parent) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(parent)' to put the bundle into.")
    }
    if FileSystem.isFile(destination) {
      throw TensorIOError(.fileExists, "'\(destination)' is a file, and only folders are replaced.")
    }
    if FileSystem.isFolder(destination), !replaces {
      throw TensorIOError(.fileExists, "'\(destination)' already exists.")
    }
    guard FileManager.default.isWritableFile(atPath: parent) else {
      throw TensorIOError(.unwritableFile, "The folder '\(parent)' cannot be written.")
    }
  }

  /// Writes a bundle next to the destination, checks it, and moves it to the destination.
  ///
  /// - Parameters:
  ///   - fill: Writes the files into an empty folder.
  ///   - check: Checks the written bundle.
  /// - Throws: ``TensorIOError``. Nothing is left behind then.
  package func write(
    _ fill: (_ folder: String) throws -> Void, check: (ModelBundle) throws -> Void = { _ in }
  ) throws {
    try checkDestination()
    try FileSystem.writeAtomically(destination) { fresh in
      try FileManager.default.createDirectory(
        atPath: fresh, withIntermediateDirectories: false)
      try fill(fresh)
      try check(open(fresh))
    } move: { fresh in
      try checkDestination()
      try FileSystem.move(fresh, over: destination)
    }
  }

  private func open(_ folder: String) throws -> ModelBundle {
    do {
      return try ModelBundle(folder)
    } catch let error as TensorIOError {
      let found = error.issues.filter { $0.severity == .error }.map(\.description)
      throw TensorIOError(
        .unsupportedModel,
        "A model.json cannot describe this model: \(found.joined(separator: " "))", cause: error)
    }
  }
}
