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
  private let isLasting: Bool

  /// Makes a writer of a folder.
  ///
  /// - Parameters:
  ///   - destination: The folder to write.
  ///   - replaces: Whether to replace an existing one with everything in it.
  ///   - isLasting: Whether the bundle must survive a power failure, unlike a temporary one.
  package init(destination: String, replaces: Bool = false, isLasting: Bool = true) {
    self.destination =
      destination.count > 1 && destination.hasSuffix("/")
      ? String(destination.dropLast()) : destination
    self.replaces = replaces
    self.isLasting = isLasting
  }

  /// The folder's name without its extension.
  package var name: String {
    String(FileSystem.name(of: destination).dropLast(Self.fileExtension.count))
  }

  private var parent: String { FileSystem.folder(of: destination) }

  /// Checks that the destination can be written; one that already exists is the error
  /// ``TensorIOError/Code/fileExists``.
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

  /// Lets closures write a bundle's files into an empty folder and check the bundle, and moves it
  /// to the destination.
  ///
  /// After an error, nothing is left behind.
  package func write(
    _ fill: (_ folder: String) throws -> Void, check: (ModelBundle) throws -> Void = { _ in }
  ) throws {
    try checkDestination()
    try FileSystem.writeAtomically(destination) { fresh in
      try FileManager.default.createDirectory(
        atPath: fresh, withIntermediateDirectories: false)
      try fill(fresh)
      try check(open(fresh))
      // After a power failure the bundle must be whole or missing.
      if isLasting { try FileSystem.flushAll(fresh) }
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
