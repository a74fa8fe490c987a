// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file or folder that is written under a hidden name and moved to its destination when complete.
struct AtomicOutput {
  private let destination: String
  private let replaces: Bool

  init(_ destination: String, replaces: Bool) throws {
    self.destination =
      destination.count > 1 && destination.hasSuffix("/")
      ? String(destination.dropLast()) : destination
    self.replaces = replaces
    guard FileSystem.isFolder(parent) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(parent)' to write into.")
    }
    try checkDestination()
  }

  private var parent: String { FileSystem.folder(of: destination) }

  private func checkDestination() throws {
    guard replaces || !FileManager.default.fileExists(atPath: destination) else {
      throw TensorIOError(
        .fileExists, "'\(destination)' already exists; name another, or allow it to be replaced.")
    }
  }

  /// Writes the output with a closure, which creates it at a path where nothing exists yet.
  ///
  /// On failure, nothing is left behind.
  func write<Result>(_ fill: (_ path: String) throws -> Result) throws -> Result {
    try FileSystem.writeAtomically(destination, fill: fill) { fresh in
      try checkDestination()
      try move(fresh)
    }
  }

  private func move(_ fresh: String) throws {
    if FileSystem.isFile(fresh), replaces, !FileSystem.isFolder(destination) {
      try FileSystem.flush(fresh)
      try FileSystem.rename(fresh, to: destination)
      // The output is complete. Folders that can't be read can't be flushed, which isn't an error.
      try? FileSystem.flush(parent)
      return
    }
    try FileSystem.move(fresh, over: destination)
  }
}
