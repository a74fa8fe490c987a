// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes a bundle's folder, whole or not at all.
struct BundleWriter {
  static let fileExtension = ".tiobundle"

  /// The folder to write.
  let destination: String
  private let replaces: Bool

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - destination: The folder to write.
  ///   - replaces: Whether a folder that is there goes away, with everything in it.
  init(destination: String, replaces: Bool) {
    self.destination =
      destination.count > 1 && destination.hasSuffix("/")
      ? String(destination.dropLast()) : destination
    self.replaces = replaces
  }

  /// The folder's name without its extension.
  var name: String {
    String(FileSystem.name(of: destination).dropLast(Self.fileExtension.count))
  }

  private var parent: String {
    guard let slash = destination.lastIndex(of: "/") else { return "." }
    return slash == destination.startIndex ? "/" : String(destination[..<slash])
  }

  /// Refuses a destination that cannot be written.
  func checkDestination() throws {
    guard FileSystem.isFolder(parent) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(parent)' to put the bundle into.")
    }
    if FileSystem.isFile(destination) {
      throw ValidationError("'\(destination)' is a file, and stays as it is.")
    }
    if FileSystem.isFolder(destination), !replaces {
      throw ValidationError("'\(destination)' exists. Pass --force to replace it.")
    }
  }

  /// Writes a bundle beside the destination, checks it, and gives it its name.
  func write(_ draft: BundleDraft, modelPath: String) throws {
    let files = FileManager.default
    let token = UUID().uuidString
    let fresh = "\(parent)/.\(token)\(Self.fileExtension)"
    do {
      defer { try? files.removeItem(atPath: fresh) }
      try files.createDirectory(atPath: fresh, withIntermediateDirectories: false)
      try draft.copyModel(at: modelPath, into: fresh)
      try Data(draft.manifest.text.utf8).write(to: URL(filePath: fresh + "/model.json"))
      if !draft.assets.isEmpty {
        try files.createDirectory(atPath: fresh + "/assets", withIntermediateDirectories: false)
      }
      for asset in draft.assets {
        try Data(asset.text.utf8).write(to: URL(filePath: fresh + "/assets/" + asset.name))
      }
      try check(fresh)
      try move(fresh, token: token)
    } catch let error as TensorIOError {
      throw error
    } catch let error as ValidationError {
      throw error
    } catch {
      throw TensorIOError(
        .unreadableFile, "'\(destination)' cannot be written: \(error)", cause: error)
    }
  }

  private func check(_ folder: String) throws {
    do {
      _ = try ModelBundle(folder)
    } catch let error as TensorIOError {
      let found = error.issues.filter { $0.severity == .error }.map(\.description)
      throw TensorIOError(
        .unsupportedModel,
        "A model.json cannot describe this model: \(found.joined(separator: " "))", cause: error)
    }
  }

  private func move(_ fresh: String, token: String) throws {
    let files = FileManager.default
    try checkDestination()
    guard FileSystem.isFolder(destination) else {
      return try files.moveItem(atPath: fresh, toPath: destination)
    }
    let old = "\(parent)/.\(token).old"
    try files.moveItem(atPath: destination, toPath: old)
    do {
      try files.moveItem(atPath: fresh, toPath: destination)
    } catch {
      try files.moveItem(atPath: old, toPath: destination)
      throw error
    }
    try files.removeItem(atPath: old)
  }
}
