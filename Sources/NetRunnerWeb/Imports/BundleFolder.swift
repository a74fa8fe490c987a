// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import TensorIO

/// A folder with the files of a bundle, which belongs to somebody else and isn't changed.
struct BundleFolder {
  let path: String
  /// The name of the bundle's folder: `X.tiobundle`.
  let name: String
  /// The path and the size in bytes of each file.
  let files: [(path: String, size: Int)]
  private let folders: [String]

  /// Checks a folder without copying anything.
  init(_ path: String, as name: String, limits: ArchiveLimits) throws {
    self.path = path
    self.name = name
    var files: [(path: String, size: Int)] = []
    var folders: [String] = []
    do {
      for item in try FileManager.default.subpathsOfDirectory(atPath: path).sorted() {
        switch try FileStatus(of: "\(path)/\(item)", followsLinks: false)?.kind {
        case .folder?: folders.append(item)
        case .file?:
          files.append((item, try OpenFile(reading: "\(path)/\(item)").status.size))
        default:
          throw ImportError(
            .invalidBundle, "'\(name)' has '\(item)', which is neither a file nor a folder.")
        }
      }
    } catch let error as ImportError {
      throw error
    } catch {
      throw ImportError(
        .cannotWrite, "'\(name)' cannot be read: \(FileSystem.reason(for: error)).", cause: error)
    }
    self.files = files
    self.folders = folders
    try check(limits)
  }

  private func check(_ limits: ArchiveLimits) throws {
    func require(_ condition: Bool, _ what: String) throws {
      guard condition else { throw ImportError(.tooLarge, "'\(name)' \(what).") }
    }
    let entries = files.count + folders.count
    try require(
      entries <= limits.entries,
      "has \(entries) files and folders, but the limit is \(limits.entries)")
    let bytes = files.reduce(0) { $0 + $1.size }
    try require(
      bytes <= limits.bytes, "has \(ByteCount(bytes)), but the limit is \(ByteCount(limits.bytes))")
    for (file, size) in files {
      // The bundle's own folder counts towards the depth, as it does in a zip file.
      let parts = file.split(separator: "/")
      try require(
        parts.count < limits.depth,
        "has '\(file)', which lies more than \(limits.depth) folders deep")
      try require(
        parts.allSatisfy { $0.utf8.count <= limits.nameBytes },
        "has '\(file)', whose name has more than \(limits.nameBytes) bytes")
      var most = limits.bytes
      if file == "model.json" { most = limits.manifestBytes }
      if parts.first == "assets" { most = limits.assetBytes }
      try require(
        size <= most, "has '\(file)' with \(ByteCount(size)), but the limit is \(ByteCount(most))")
    }
  }

  /// Makes another folder with the same files, without copying their bytes if the file system allows it.
  ///
  /// - Parameters:
  ///   - copy: The path of the new folder.
  ///   - changed: The files that the new folder doesn't get.
  /// - Throws: ``ImportError`` if a file can't be read or written.
  func link(to copy: String, except changed: Set<String>) throws {
    try ImportError.writing(name) {
      for folder in [copy] + folders.map({ "\(copy)/\($0)" }) {
        try FileOperations.makeFolder(folder, permissions: 0o755)
      }
      for file in files where !changed.contains(file.path) {
        let target = "\(copy)/\(file.path)"
        do {
          try FileOperations.link("\(path)/\(file.path)", to: target)
        } catch {
          // Not every file system has hard links, and not every file can get one.
          try self.copy(file, to: target) { false }
        }
      }
    }
  }

  /// Copies the bundle into a hidden folder that is deleted afterwards.
  ///
  /// Copies are readable by everyone and never executable, whatever the originals' permissions
  /// were.
  func withCopy<Result>(
    in folder: String, until isOver: () -> Bool, _ body: (_ bundle: String) throws -> Result
  ) throws -> Result {
    try BundleArchive.withHiddenFolder(in: folder, for: name) { fresh in
      let copy = "\(fresh)/\(name)"
      try ImportError.writing(name) {
        for folder in [copy] + folders.map({ "\(copy)/\($0)" }) {
          try FileOperations.makeFolder(folder, permissions: 0o755)
        }
        for file in files { try self.copy(file, to: "\(copy)/\(file.path)", until: isOver) }
      }
      return try body(copy)
    }
  }

  private func copy(
    _ file: (path: String, size: Int), to target: String, until isOver: () -> Bool
  ) throws {
    let source = try OpenFile(reading: "\(path)/\(file.path)")
    let copy = try OpenFile(creating: target)
    for start in stride(from: 0, to: file.size, by: 1 << 20) {
      guard !isOver() else { throw ImportError.cancelled }
      let part = try source.bytes(in: start..<min(start + 1 << 20, file.size))
      try part.withUnsafeBytes { try copy.write($0) }
    }
    try copy.flush()
  }
}
#endif
