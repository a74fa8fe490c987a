// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import Hashing
import TensorIO

/// Lists the samples of folders in a manifest, and can resume after it was killed.
///
/// Items are in the order of the inputs, and those of a folder in the order of their paths' bytes,
/// as in ``Dataset/init(images:)``. Memory use grows with the largest single folder, not with the
/// number of items.
package enum ManifestListing {
  /// What is known when a listing ends.
  package struct Outcome: Sendable, Hashable {
    /// The number of items in the file.
    package var count: Int
    /// Sentences about the files that were left out.
    package var notes: [String] = []
    /// Whether the manifest is complete.
    package var isComplete = true
  }

  /// Writes a manifest.
  ///
  /// - Parameters:
  ///   - inputs: Folders, files and URLs. A missing file isn't an error here: it becomes a row with
  ///     an error.
  ///   - path: The manifest. If it exists, it is continued, unless it is complete.
  ///   - isOver: Called between items. If it returns true, the listing stops, and can be resumed.
  /// - Returns: The number of items, and what was left out.
  /// - Throws: `TensorIOError` if a folder can't be read, if there are no samples, if an input is
  ///   inside of another one, or if the file can't be written or lists other inputs.
  package static func list(
    _ inputs: [String], in path: String, until isOver: () -> Bool = { false }
  ) throws -> Outcome {
    try check(inputs)
    let writer = try ManifestWriter(path, inputs: inputs)
    guard !writer.isComplete else { return Outcome(count: writer.count) }
    var outcome = Outcome(count: 0)
    var inputs = inputs[...]
    if let last = writer.last {
      // The longest one, because 'a' also seems to contain the items of 'a/../b'.
      let owners = inputs.indices.filter { contains(inputs[$0], last) }
      guard let owner = owners.max(by: { inputs[$0].count < inputs[$1].count }) else {
        throw TensorIOError(
          .unreadableFile,
          "'\(path)' ends with '\(last)', which is in none of the inputs. Pass --force to start from "
            + "the beginning.")
      }
      // A file is an item of its own, so the next input follows.
      inputs = inputs[(inputs[owner] == last ? owner + 1 : owner)...]
    }
    func add(_ item: String) throws -> Bool {
      guard !isOver() else { return false }
      try writer.add(item)
      return true
    }
    for input in inputs {
      var isWhole = true
      if FileSystem.isFolder(input) {
        let prefix = folderPrefix(input)
        let last = writer.last.flatMap {
          contains(input, $0) ? String($0.dropFirst(prefix.count)) : nil
        }
        let notes = try files(in: input, after: last) { file in
          isWhole = try add(prefix + file)
          return isWhole
        }
        outcome.notes += notes.map { "\(input): \($0)" }
      } else {
        isWhole = try add(input)
      }
      guard isWhole else {
        try writer.pause()
        outcome.count = writer.count
        outcome.isComplete = false
        return outcome
      }
    }
    guard writer.count > 0 else {
      try writer.remove()
      throw DatasetReader.noImages(in: Array(inputs), outcome.notes, code: .fileNotFound)
    }
    try writer.complete()
    outcome.count = writer.count
    return outcome
  }

  /// Passes the images of a folder to a closure until it returns false, or the recordings if there
  /// are no images, or else the NumPy files.
  ///
  /// - Returns: Sentences about the files that were left out.
  private static func files(
    in folder: String, after last: String?, _ body: (String) throws -> Bool
  ) throws -> [String] {
    guard let isListed = try kind(in: folder) else { return try FolderWalk(folder).notes }
    var walk = try FolderWalk(folder)
    var sounds = 0
    while let file = try walk.next(after: last) {
      if isListed(file) {
        guard try body(file) else { break }
      } else if ImageFolder.isSound(file) {
        sounds += 1
      }
    }
    guard sounds > 0 else { return walk.notes }
    return ["left out: \(counted(sounds, "recording")) beside images"] + walk.notes
  }

  /// Returns a function that recognizes the files of a folder that are listed; nil if there are none.
  ///
  /// In a folder of images, the first one ends the search.
  private static func kind(in folder: String) throws -> ((String) -> Bool)? {
    var walk = try FolderWalk(folder)
    var found: ((String) -> Bool)?
    while let file = try walk.next() {
      if ImageFolder.isImage(file) { return ImageFolder.isImage }
      if ImageFolder.isSound(file) { found = ImageFolder.isSound }
      found = found ?? ImageFolder.isArray
    }
    return found
  }

  // MARK: - Inputs

  private static func folderPrefix(_ input: String) -> String {
    input.hasSuffix("/") ? input : input + "/"
  }

  /// Whether an item is an input, or is inside of one.
  private static func contains(_ input: String, _ item: String) -> Bool {
    input == item || item.utf8.starts(with: folderPrefix(input).utf8)
  }

  /// Throws for inputs that would list an item twice, which only a table of all items could notice.
  private static func check(_ inputs: [String]) throws {
    func pathOf(_ input: String) -> String {
      ObjectAddress.isAddress(input) ? input : FileOperations.realPath(input) ?? input
    }
    var seen: [String: String] = [:]
    for input in inputs {
      guard !CollectionReader.isCollection(ImageSource(item: input)) else {
        throw TensorIOError(
          .invalidOption,
          "'\(input)' is an archive or a folder in S3. A manifest lists files and addresses of single "
            + "files; 'tensorio bulk' reads the others itself, on one machine.")
      }
      guard !Dataset.isTable(input) || FileSystem.isFolder(input) else {
        throw TensorIOError(
          .invalidOption,
          "'\(input)' is a table. A manifest lists files and URLs; 'tensorio bulk' reads a table itself."
        )
      }
      if let other = seen.updateValue(input, forKey: pathOf(input)) {
        throw TensorIOError(
          .invalidOption, "'\(other)' and '\(input)' are the same input. Name it once.")
      }
    }
    for input in inputs where !ObjectAddress.isAddress(input) {
      var folder = pathOf(input)
      while folder.count > 1, folder != "." {
        folder = FileSystem.folder(of: folder)
        guard let outer = seen[folder] else { continue }
        throw TensorIOError(
          .invalidOption,
          "'\(input)' is inside of '\(outer)', so its items would be listed twice. Name one of them."
        )
      }
    }
  }
}
