// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ModelCommands
import NetRunner
import TensorIO

/// The files of a bulk run: one that rows are added to, and those that are made of it in the end.
struct BulkResults {
  /// Where the rows go.
  let log: any BulkLog

  private let logPath: String
  /// Whether the log is only there until everything is done.
  private let isTemporary: Bool
  private let exports: [(format: BulkExport, path: String)]

  /// Opens the files.
  ///
  /// - Parameters:
  ///   - paths: What the person named. The first that rows can be added to is the log; without one,
  ///     it is a file beside the first.
  ///   - resuming: Whether rows that are there stay.
  ///   - replacing: Whether files that are there are removed.
  /// - Throws: `TensorIOError` for an extension that names no format, and a file that is there.
  init(_ paths: [String], resuming: Bool, replacing: Bool) throws {
    for path in paths { try Self.check(path) }
    let log = paths.first(where: Self.isDatabase) ?? paths.first { $0.hasSuffix(".jsonl") }
    logPath = log ?? paths[0] + ".rows.jsonl"
    isTemporary = log == nil
    exports = try paths.filter { $0 != log }.map { path in
      guard let format = BulkExport.allCases.first(where: { path.hasSuffix("." + $0.rawValue) })
      else {
        throw TensorIOError(
          .invalidOption, "Only one database of results can be written: leave out '\(path)'.")
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
        "'\(path)' is complete, and rows cannot be added to it. Pass --force to start from the beginning, or keep "
          + "the results as .sqlite or .jsonl.")
    } else if !resuming, let path = (paths + [logPath]).first(where: FileSystem.isFile) {
      throw TensorIOError(
        .fileExists,
        "'\(path)' exists. Pass --resume to go on with it, or --force to start from the beginning.")
    }
    self.log = try Self.isDatabase(logPath) ? SQLiteLog(logPath) : JSONLinesLog(logPath)
  }

  /// Makes the other files.
  ///
  /// - Parameter isWhole: Whether every photo has its row; else the rows stay for later.
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
      throw TensorIOError(.invalidOption, "'\(path)' is a folder; results are a file.")
    }
    let folder = FileSystem.folder(of: path)
    guard FileSystem.isFolder(folder) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(folder)' to write '\(path)' into.")
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
