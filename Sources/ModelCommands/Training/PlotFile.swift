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

/// The file that a plot is written to.
struct PlotFile {
  let path: String

  /// - Throws: `ValidationError` for an extension that isn't .svg.
  init(_ path: String) throws {
    guard path.lowercased().hasSuffix(".svg") else {
      throw ValidationError("--plot takes a path that ends in .svg, got '\(path)'.")
    }
    self.path = path
  }

  /// Checks that the file can be written, before the training begins.
  func checkFolder() throws {
    let folder = FileSystem.folder(of: path)
    guard FileSystem.isFolder(folder) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(folder)' for the plot.")
    }
    let files = FileManager.default
    guard !FileSystem.isFolder(path),
      FileSystem.isFile(path)
        ? files.isWritableFile(atPath: path) : files.isWritableFile(atPath: folder)
    else { throw TensorIOError(.unwritableFile, "'\(path)' can't be written.") }
  }

  /// Writes the plot, and replaces an existing file.
  func write(_ curve: LossCurve) throws {
    do {
      try Data(LossPlot(curve).svg.utf8).write(to: URL(filePath: path))
    } catch {
      throw TensorIOError(
        .unwritableFile, "'\(path)' can't be written: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }
}
