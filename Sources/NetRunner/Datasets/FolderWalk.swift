// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// A walk through the images, recordings and NumPy files of a folder and its subfolders.
///
/// Only the names in the folders from the root to the current file are in memory.
///
/// Hidden files and `__MACOSX` are skipped. Links to images are followed, wherever they lead. If
/// the folder is confined, because its author must not read other files of this machine, links
/// that lead out of it are skipped, too. Links to folders aren't followed, because they could form
/// a cycle or lead to the same images twice. Pipes and devices with the name of an image are
/// skipped because reading them might never end.
struct FolderWalk {
  /// The names of the direct subfolders, sorted by their bytes.
  private(set) var subfolders: [String] = []

  private let root: String
  private let realRoot: String
  private let isConfined: Bool
  /// The folders from the root to the current one.
  private var levels: [Level] = []
  private var brokenLinks = LeftOut()
  private var leavingLinks = LeftOut()
  private var folderLinks = LeftOut()
  private var specialFiles = LeftOut()
  private var unreadableNames = LeftOut()

  /// A folder, with the names that are left to visit.
  private struct Level {
    let folder: String
    /// The names in the order of their bytes; those of folders end in a slash, as in a path.
    let names: [String]
    var next = 0
  }

  /// Files that are left out: their number, and the first of them.
  private struct LeftOut {
    var count = 0
    var first = ""

    mutating func add(_ path: String) {
      if count == 0 || ImageFolder.precedes(path, first) { first = path }
      count += 1
    }
  }

  /// Prepares a walk.
  ///
  /// - Throws: `TensorIOError` if the folder doesn't exist or can't be read.
  init(_ path: String, isConfined: Bool = false) throws {
    root = path
    self.isConfined = isConfined
    guard let real = FileOperations.realPath(path) else {
      throw TensorIOError(.fileNotFound, "There is no folder '\(path)'.")
    }
    realRoot = real
    levels = [Level(folder: "", names: try names(in: ""))]
    subfolders = levels[0].names.filter { $0.hasSuffix("/") }.map { String($0.dropLast()) }
      .sorted(by: ImageFolder.precedes)
  }

  /// Continues to the next file, in the order of the paths' bytes.
  ///
  /// - Parameter last: Files up to this path are skipped.
  /// - Returns: The path relative to the root, or nil at the end.
  /// - Throws: `TensorIOError` if a folder can't be read.
  mutating func next(after last: String? = nil) throws -> String? {
    while let level = levels.last {
      guard level.next < level.names.count else {
        levels.removeLast()
        continue
      }
      levels[levels.count - 1].next += 1
      let path = level.folder + level.names[level.next]
      let isFolder = path.hasSuffix("/")
      let isPassed =
        last.map {
          !ImageFolder.precedes($0, path) && !(isFolder && $0.utf8.starts(with: path.utf8))
        } ?? false
      if isPassed { continue }
      guard isFolder else { return path }
      levels.append(Level(folder: path, names: try names(in: path)))
    }
    return nil
  }

  /// Sentences about the files that were left out so far.
  var notes: [String] {
    [
      note(brokenLinks, "link", "leads nowhere", "lead nowhere"),
      note(leavingLinks, "link", "leads out of the folder", "lead out of the folder"),
      note(
        folderLinks, "link to a folder", "is not followed", "are not followed", "links to folders"),
      note(specialFiles, "file", "is a pipe or a device", "are pipes or devices"),
      note(unreadableNames, "name", "is not UTF-8", "are not UTF-8"),
    ].compactMap(\.self)
  }

  private func note(
    _ files: LeftOut, _ noun: String, _ singular: String, _ plural: String, _ nouns: String? = nil
  ) -> String? {
    guard files.count > 0 else { return nil }
    let verb = files.count == 1 ? singular : plural
    let example = files.count == 1 ? "'\(files.first)'" : "the first is '\(files.first)'"
    return "left out: \(counted(files.count, noun, nouns)) that \(verb) (\(example))"
  }

  /// Returns the names in a folder that are to be visited, in the order of their bytes.
  ///
  /// The folder is relative to the root, and ends in a slash unless it is the root.
  private mutating func names(in folder: String) throws -> [String] {
    let path = folder.isEmpty ? root : root + "/" + folder.dropLast()
    var names: [String] = []
    for name in try FileSystem.contents(of: path) where !name.hasPrefix(".") && name != "__MACOSX" {
      let relative = folder + name
      guard let status = try? FileStatus(of: root + "/" + relative, followsLinks: false) else {
        if name.unicodeScalars.contains("\u{FFFD}") { unreadableNames.add(relative) }
        continue
      }
      switch status.kind {
      case .folder: names.append(name + "/")
      case .file where ImageFolder.isSample(name): names.append(name)
      case .link: if leadsToSample(relative, name) { names.append(name) }
      case _ where ImageFolder.isSample(name): specialFiles.add(relative)
      default: break
      }
    }
    return names.sorted(by: ImageFolder.precedes)
  }

  private mutating func leadsToSample(_ relative: String, _ name: String) -> Bool {
    guard let target = FileOperations.realPath(root + "/" + relative) else {
      if ImageFolder.isSample(name) { brokenLinks.add(relative) }
      return false
    }
    if FileSystem.isFolder(target) {
      folderLinks.add(relative)
      return false
    }
    guard ImageFolder.isSample(name) else { return false }
    let prefix = realRoot.hasSuffix("/") ? realRoot : realRoot + "/"
    if isConfined, !target.hasPrefix(prefix) {
      leavingLinks.add(relative)
      return false
    }
    // A status that can't be read is that of a file which can't be read either.
    guard (try? FileStatus(of: target))?.kind == .file else {
      specialFiles.add(relative)
      return false
    }
    return true
  }
}
