// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import NetRunner
import TensorIO

/// The result files of a bulk run: a log that rows are appended to, and exports that are made from
/// it.
struct BulkResults {
  /// The log that rows are appended to.
  let log: any BulkLog

  private let logPath: String
  /// Whether the log is removed when everything is done.
  private let isTemporary: Bool
  private let exports: [(format: BulkExport, path: String)]

  /// Opens the files.
  ///
  /// - Parameters:
  ///   - paths: The paths from the user. The first one that rows can be appended to is the log. If
  ///     there is none, the log is a file beside the first path.
  ///   - resuming: Whether existing rows are kept.
  ///   - replacing: Whether existing files are removed.
  /// - Throws: `TensorIOError` for an extension that isn't a known format, or a file that exists.
  init(_ paths: [String], resuming: Bool, replacing: Bool) throws {
    for path in paths { try Self.check(path) }
    let log = paths.first(where: Self.isDatabase) ?? paths.first { $0.hasSuffix(".jsonl") }
    logPath = log ?? paths[0] + ".rows.jsonl"
    isTemporary = log == nil
    exports = try paths.filter { $0 != log }.map { path in
      guard let format = BulkExport.allCases.first(where: { path.hasSuffix("." + $0.rawValue) })
      else {
        throw TensorIOError(
          .invalidOption, "Only one results database can be written. Leave out '\(path)'.")
      }
      return (format, path)
    }
    if replacing {
      for path in paths + [logPath] { try Self.remove(path) }
    } else if resuming, isTemporary, !FileSystem.isFile(logPath),
      let path = paths.first(where: FileSystem.isFile)
    {
      throw TensorIOError(
        .fileExists,
        "'\(path)' is complete, and this format can't be resumed. Pass --force to start from the "
          + "beginning, or write the results as .sqlite or .jsonl.")
    } else if !resuming, let path = (paths + [logPath]).first(where: FileSystem.isFile) {
      throw TensorIOError(
        .fileExists,
        "'\(path)' exists. Pass --resume to continue it, or --force to start from the beginning.")
    }
    self.log = try Self.isDatabase(logPath) ? SQLiteLog(logPath) : JSONLinesLog(logPath)
  }

  /// Writes the exports.
  ///
  /// - Parameter isWhole: Whether every photo has its row. Otherwise the log is kept for later.
  /// - Throws: `TensorIOError` when a file cannot be written.
  func finish(isWhole: Bool) throws {
    for (format, path) in exports { try format.write(log, to: path) }
    if isTemporary, isWhole { try FileSystem.remove(logPath) }
  }

  private static func check(_ path: String) throws {
    guard
      isDatabase(path) || BulkExport.allCases.contains(where: { path.hasSuffix("." + $0.rawValue) })
    else {
      throw TensorIOError(
        .invalidOption, "'\(path)' must end in .sqlite, .db, .jsonl, .csv or .json.")
    }
    guard !FileSystem.isFolder(path) else {
      throw TensorIOError(.invalidOption, "'\(path)' is a folder. The results must be a file.")
    }
    let folder = FileSystem.folder(of: path)
    guard FileSystem.isFolder(folder) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(folder)' for '\(path)'.")
    }
  }

  private static func isDatabase(_ path: String) -> Bool {
    path.hasSuffix(".sqlite") || path.hasSuffix(".db")
  }

  private static func remove(_ path: String) throws {
    for path in [path, path + "-wal", path + "-shm"] where FileSystem.isFile(path) {
      try FileSystem.remove(path)
    }
  }
}
