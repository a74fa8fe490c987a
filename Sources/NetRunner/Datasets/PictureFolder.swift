// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The pictures in a folder and the folders within it.
struct PictureFolder {
  /// The extensions of pictures, in lower case.
  static let extensions = ["jpg", "jpeg", "png", "bmp", "webp"]

  /// The pictures' paths from the folder, in the order of their bytes.
  private(set) var pictures: [String] = []
  /// The names of the folders directly within it, in the order of their bytes.
  private(set) var subfolders: [String] = []
  /// What was left out.
  private(set) var notes: [String] = []

  private let root: String
  private let realRoot: String
  private let isConfined: Bool
  private var brokenLinks: [String] = []
  private var leavingLinks: [String] = []
  private var folderLinks: [String] = []
  private var specialFiles: [String] = []
  private var unreadableNames: [String] = []

  /// Looks for pictures.
  ///
  /// Hidden files and `__MACOSX` are left out. A link to a picture is followed, wherever it leads. A
  /// link to a folder is not: it could go round, or show the same pictures twice. What has a
  /// picture's name and is a pipe or a device is left out, since reading it may never end.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - isEnclosed: Whether links that lead out of the folder are left out, too: where whoever made
  ///     the folder may not read the rest of the machine.
  /// - Throws: `TensorIOError` when a folder cannot be read.
  init(_ path: String, isConfined: Bool = false) throws {
    root = path
    self.isConfined = isConfined
    guard let real = Self.realPath(path) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(path)'.")
    }
    realRoot = real
    var folders = [""]
    while let folder = folders.popLast() {
      try read(folder, into: &folders)
    }
    pictures.sort(by: Self.precedes)
    subfolders.sort(by: Self.precedes)
    note(brokenLinks, "link", "leads nowhere", "lead nowhere")
    note(leavingLinks, "link", "leads out of the folder", "lead out of the folder")
    note(folderLinks, "link to a folder", "is not followed", "are not followed", "links to folders")
    note(specialFiles, "file", "is a pipe or a device", "are pipes or devices")
    note(unreadableNames, "name", "is not UTF-8", "are not UTF-8")
  }

  /// Whether a file's extension is a picture's.
  static func isPicture(_ path: String) -> Bool {
    let name = FileSystem.name(of: path)
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
    return extensions.contains(name[name.index(after: dot)...].lowercased())
  }

  /// The order of paths' bytes, which no language setting changes.
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// A path without links; nil where nothing is.
  static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private mutating func read(_ folder: String, into folders: inout [String]) throws {
    let path = folder.isEmpty ? root : root + "/" + folder
    for name in try FileSystem.contents(of: path) where !name.hasPrefix(".") && name != "__MACOSX" {
      let relative = folder.isEmpty ? name : folder + "/" + name
      var status = stat()
      guard lstat(root + "/" + relative, &status) == 0 else {
        if name.unicodeScalars.contains("\u{FFFD}") { unreadableNames.append(relative) }
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        folders.append(relative)
        if folder.isEmpty { subfolders.append(name) }
      case S_IFREG where Self.isPicture(name): pictures.append(relative)
      case S_IFLNK: readLink(relative, name)
      case _ where Self.isPicture(name): specialFiles.append(relative)
      default: break
      }
    }
  }

  private mutating func readLink(_ relative: String, _ name: String) {
    guard let target = Self.realPath(root + "/" + relative) else {
      if Self.isPicture(name) { brokenLinks.append(relative) }
      return
    }
    if FileSystem.isFolder(target) {
      folderLinks.append(relative)
    } else if Self.isPicture(name) {
      let prefix = realRoot.hasSuffix("/") ? realRoot : realRoot + "/"
      if isConfined, !target.hasPrefix(prefix) {
        leavingLinks.append(relative)
      } else if isRegularFile(target) {
        pictures.append(relative)
      } else {
        specialFiles.append(relative)
      }
    }
  }

  private func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private mutating func note(
    _ paths: [String], _ noun: String, _ singular: String, _ plural: String, _ nouns: String? = nil
  ) {
    guard let first = paths.min(by: Self.precedes) else { return }
    let verb = paths.count == 1 ? singular : plural
    let example = paths.count == 1 ? "'\(first)'" : "the first is '\(first)'"
    notes.append("left out: \(counted(paths.count, noun, nouns)) that \(verb) (\(example))")
  }
}
