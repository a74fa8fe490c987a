// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import Files

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The file system operations that bundles need.
package enum FileSystem {
  package static func isFolder(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }

  /// Whether a file that is not a folder exists at this path.
  package static func isFile(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory
  }

  /// Returns the size of a regular file in bytes; nil when there is none.
  package static func byteCount(of path: String) -> Int? {
    guard let status = try? FileStatus(of: path), status.kind == .file else { return nil }
    return status.size
  }

  /// Returns the names of the files and folders in a folder.
  package static func contents(of path: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw TensorIOError(
        isFolder(path) ? .unreadableFile : .fileNotFound,
        "The folder '\(path)' cannot be read: \(reason(for: error)).",
        cause: error
      ).about(path)
    }
  }

  /// Returns the system's own reason for an error, such as "No space left on device".
  package static func reason(for error: any Error) -> String {
    let underlying = (error as? CocoaError)?.underlying ?? error
    if let error = underlying as? FileError { return error.reason }
    guard let code = (underlying as? POSIXError)?.code else { return "\(error)" }
    return FileError.reason(code)
  }

  /// Returns the last component of a path.
  package static func name(of path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  /// Returns the folder that contains a path.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Whether a path is relative and stays inside the folder that it starts from.
  package static func staysInside(_ path: String) -> Bool {
    !path.hasPrefix("/") && !path.contains("\0") && !path.split(separator: "/").contains("..")
  }

  package static func read(_ path: String) throws -> Data {
    let file = try open(path)
    do {
      var data = Data()
      let size = (try? file.status.size) ?? 0
      // One byte more than the size, so that the last read detects the end of the file.
      var room = size + 1
      while true {
        let count = data.count
        data.count = count + room
        let got = try data.withUnsafeMutableBytes { bytes in
          try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
        }
        data.count = count + got
        if got == 0 { return data }
        // What was read may be more than the size, if the file is growing.
        room = got < room ? room - got : 65536
      }
    } catch let error as FileError {
      throw TensorIOError(reading: error)
    }
  }

  /// Opens a regular file for reading, without ever blocking.
  package static func open(_ path: String) throws -> OpenFile {
    do {
      return try OpenFile(reading: path)
    } catch {
      throw TensorIOError(reading: error)
    }
  }

  /// Checks that a regular file can be opened, before a library opens it and would wait for a
  /// pipe's writer.
  package static func requireFile(_ path: String) throws { _ = try open(path) }
}

extension TensorIOError {
  /// Says why a file cannot be read.
  package init(reading error: FileError) {
    let path = error.path
    switch error.kind {
    case .folder:
      self.init(.unreadableFile, "'\(path)' is a folder, but a file was expected.")
    case .socket:
      self.init(.unreadableFile, "'\(path)' is a socket, but a file was expected.")
    case .some(let kind):
      self.init(
        .unreadableFile,
        "'\(path)' is a \(kind.rawValue), but a file was expected. Write its contents to a file "
          + "first.")
    case nil where error.number == FileError.noEntry:
      self.init(.fileNotFound, "There is no file '\(path)'.")
    case nil:
      self.init(.unreadableFile, "'\(path)' cannot be read: \(error.reason).")
    }
  }

  /// Says why a file cannot be written.
  package init(writing error: FileError) {
    self.init(
      .unwritableFile, "'\(error.newPath ?? error.path)' cannot be written: \(error.reason).")
  }
}

/// Operations for replacing a file with a complete new one.
extension FileSystem {
  /// Flushes a file's content, or the names in a folder, to the disk, so that a power cut does not
  /// leave an empty file.
  package static func flush(_ path: String) throws {
    try mappingErrors { () throws(FileError) in try FileOperations.flush(path) }
  }

  /// Flushes a file, or a folder and everything in it, to the disk.
  package static func flushAll(_ path: String) throws {
    guard isFolder(path) else { return try flush(path) }
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) + [""] {
      let inner = path + "/" + name
      // Not every file system can flush a folder, which isn't an error.
      if isFolder(inner) { try? flush(inner) } else if isFile(inner) { try flush(inner) }
    }
  }

  /// Renames a file in one step, and replaces an existing file with the new name.
  package static func rename(_ path: String, to newPath: String) throws {
    try mappingErrors { () throws(FileError) in try FileOperations.rename(path, to: newPath) }
  }

  /// Removes a file; a missing file is not an error.
  package static func remove(_ path: String) throws {
    try mappingErrors { () throws(FileError) in try FileOperations.remove(path) }
  }

  /// Does something to a file.
  ///
  /// If it fails, the error has what can't be done, such as "'a.svg' can't be written", and the
  /// system's reason.
  package static func writing<Result>(
    _ failure: @autoclosure () -> String, _ work: () throws -> Result
  ) throws -> Result {
    do {
      return try work()
    } catch {
      throw TensorIOError(.unwritableFile, "\(failure()): \(reason(for: error)).", cause: error)
    }
  }

  /// Checks that files can be made in a folder, by making a hidden one and removing it.
  package static func checkWritable(folder: String) throws {
    let trial = "\(folder)/.\(UUID().uuidString)"
    try writing("The folder '\(folder)' can't be written") {
      try Data().write(to: URL(filePath: trial))
      try FileManager.default.removeItem(atPath: trial)
    }
  }

  private static func mappingErrors(_ work: () throws(FileError) -> Void) throws {
    do {
      try work()
    } catch {
      throw TensorIOError(writing: error)
    }
  }

  /// Makes a file or folder under a hidden name, and moves it to its destination when complete.
  ///
  /// On failure, nothing is left behind, and the ``TensorIOError`` names the destination.
  package static func writeAtomically<Result>(
    _ destination: String, fill: (_ fresh: String) throws -> Result,
    move: (_ fresh: String) throws -> Void
  ) throws -> Result {
    // The end of the name keeps the extension, and the whole stays below the limit of 255 bytes.
    let end = String(name(of: destination).unicodeScalars.suffix(40))
    let fresh = "\(folder(of: destination))/.\(UUID().uuidString)-\(end)"
    do {
      defer { try? FileManager.default.removeItem(atPath: fresh) }
      let result = try fill(fresh)
      try move(fresh)
      return result
    } catch var error as TensorIOError {
      // The caller doesn't know the hidden name, so the message names the destination.
      error.message = error.message.replacing(fresh, with: destination)
      throw error
    } catch {
      throw TensorIOError(
        .unwritableFile, "'\(destination)' cannot be written: \(reason(for: error)).",
        cause: error)
    }
  }

  /// Moves a folder or a file to a path, and replaces what exists there.
  ///
  /// - Throws: The system's error. What existed at the path is then still there.
  package static func move(_ fresh: String, over destination: String) throws {
    let files = FileManager.default
    guard files.fileExists(atPath: destination) else {
      return try files.moveItem(atPath: fresh, toPath: destination)
    }
    // A file replaces another in one step. A folder swaps names with what it replaces.
    if isFile(fresh), isFile(destination) { return try rename(fresh, to: destination) }
    // The swap succeeded, so failing to delete the old content is harmless.
    if (try? FileOperations.exchange(fresh, destination)) != nil {
      try? files.removeItem(atPath: fresh)
      return
    }
    // The file system cannot swap names in one step.
    let old = "\(folder(of: destination))/.\(UUID().uuidString).old"
    try files.moveItem(atPath: destination, toPath: old)
    do {
      try files.moveItem(atPath: fresh, toPath: destination)
    } catch {
      try files.moveItem(atPath: old, toPath: destination)
      throw error
    }
    try? files.removeItem(atPath: old)
  }
}

/// A temporary folder, which is deleted with this object.
package final class TemporaryFolder: Sendable {
  package let path = FileManager.default.temporaryDirectory
    .appending(path: "tensorio-\(UUID().uuidString)").path

  /// Makes a folder; `purpose` names it in the error, as in " for the best weights".
  package init(_ purpose: String = "") throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw TensorIOError(
        .unwritableFile,
        "The folder '\(path)'\(purpose) cannot be created: \(FileSystem.reason(for: error)).",
        cause: error)
    }
  }

  deinit {
    // Failing to delete a temporary folder is harmless.
    try? FileManager.default.removeItem(atPath: path)
  }
}
