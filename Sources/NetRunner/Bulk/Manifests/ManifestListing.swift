// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import Hashing
import TensorIO

/// Lists the samples of folders and the objects of stores in a manifest, and can resume after it was
/// killed.
///
/// Items are in the order of the inputs, and those of a folder in the order of their paths' bytes,
/// as in ``Dataset/init(images:)``. Objects are in the order of the store. An archive is one item.
/// Memory use grows with the largest single folder, not with the number of items.
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
  ///   - inputs: Folders, files, archives, URLs and prefixes. A missing file isn't an error here: it
  ///     becomes a row with an error.
  ///   - path: The manifest. If it exists, it is continued, unless it is complete.
  ///   - replacing: Whether an existing manifest is replaced instead, if no other listing writes to it.
  ///   - access: Reads archives and lists objects elsewhere.
  ///   - isOver: Called between items. If it returns true, the listing stops, and can be resumed.
  /// - Returns: The number of items, and what was left out.
  /// - Throws: `TensorIOError` if a folder or a store can't be read, if there are no samples, if an
  ///   input is inside of another one, or if the file can't be written or lists other inputs.
  package static func list(
    _ inputs: [String], in path: String, replacing: Bool = false, with access: ObjectAccess? = nil,
    until isOver: () -> Bool = { false }
  ) throws -> Outcome {
    try check(inputs)
    let writer = try ManifestWriter(path, inputs: inputs, replacing: replacing) {
      try content(of: inputs, access)
    }
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
    do {
      for input in inputs where outcome.isComplete {
        outcome.isComplete = try add(input, to: writer, access, until: isOver, &outcome.notes)
      }
    } catch let error as TensorIOError {
      // What was listed before a server failed needn't be listed again.
      guard writer.count > 0, (try? writer.pause()) != nil else { throw error }
      throw TensorIOError(
        error.code,
        "\(error.message) --resume continues after the \(counted(writer.count, "item")) that were listed.",
        cause: error.cause)
    }
    guard outcome.isComplete else {
      try writer.pause()
      outcome.count = writer.count
      return outcome
    }
    guard writer.count > 0 else {
      try writer.remove()
      throw DatasetReader.noImages(in: Array(inputs), outcome.notes, code: .fileNotFound)
    }
    try writer.complete()
    outcome.count = writer.count
    return outcome
  }

  /// Adds the items of an input that come after the last one of an earlier listing.
  ///
  /// - Returns: Whether everything was added before `isOver` returned true.
  private static func add(
    _ input: String, to writer: ManifestWriter, _ access: ObjectAccess?, until isOver: () -> Bool,
    _ notes: inout [String]
  ) throws -> Bool {
    var isWhole = true
    func add(_ item: String) throws -> Bool {
      isWhole = !isOver()
      if isWhole { try writer.add(item) }
      return isWhole
    }
    let last = writer.last.flatMap { contains(input, $0) ? $0 : nil }
    guard !FileSystem.isFolder(input) else {
      let prefix = folderPrefix(input)
      let found = try files(in: input, after: last.map { String($0.dropFirst(prefix.count)) }) {
        try add(prefix + $0)
      }
      notes += found.map { "\(input): \($0)" }
      return isWhole
    }
    guard ObjectAddress.isPrefix(input) else { return try add(input) }
    let prefix = ObjectAddress.withSlash(input)
    let content = writer.content ?? .images
    let next = try access.required(for: input).list(prefix, last)
    let count = writer.count
    while isWhole, let address = try next() {
      let isEntry = CollectionReader.isEntry(address, below: prefix) {
        ImageFolder.isSample($0) && Dataset.Content(ofFile: $0) == content
      }
      if isEntry {
        _ = try add(address)
      } else {
        isWhole = !isOver()
      }
    }
    if isWhole, last == nil, writer.count == count {
      notes.append("\(input): it has no \(content.plural)")
    }
    return isWhole
  }

  /// Passes the images of a folder to a closure until it returns false, or the recordings if there
  /// are no images, or else the NumPy files.
  ///
  /// - Returns: Sentences about the files that were left out.
  private static func files(
    in folder: String, after last: String?, _ body: (String) throws -> Bool
  ) throws -> [String] {
    guard let content = try content(ofFolder: folder) else { return try FolderWalk(folder).notes }
    var walk = try FolderWalk(folder)
    var sounds = 0
    while let file = try walk.next(after: last) {
      if Dataset.Content(ofFile: file) == content {
        guard try body(file) else { break }
      } else if ImageFolder.isSound(file) {
        sounds += 1
      }
    }
    guard sounds > 0 else { return walk.notes }
    return ["left out: \(counted(sounds, "recording")) beside images"] + walk.notes
  }

  // MARK: - Content

  /// Returns what the files of a folder that are listed are; nil if there are none.
  ///
  /// In a folder of images, the first one ends the search.
  private static func content(ofFolder folder: String) throws -> Dataset.Content? {
    var walk = try FolderWalk(folder)
    var found: Dataset.Content?
    while let file = try walk.next() {
      let content = Dataset.Content(ofFile: file)
      if content == .images { return .images }
      if content == .recordings || found == nil { found = content }
    }
    return found
  }

  /// Returns what the samples are, as the first one shows; nil if no input needs to be opened for it.
  private static func content(
    of inputs: [String], _ access: ObjectAccess?
  ) throws -> Dataset.Content? {
    guard inputs.contains(where: isCollection) else { return nil }
    var search = ContentSearch(with: access)
    for input in inputs where !search.isOver {
      let found =
        try FileSystem.isFolder(input)
        ? content(ofFolder: input)
        : search.content(of: ImageSource(item: ObjectAddress.withSlash(input)))
      if let found { return found }
    }
    throw search.failures.first ?? DatasetReader.noImages(in: inputs, [], code: .fileNotFound)
  }

  /// Whether an input is an archive or a prefix, and not a folder with such a name.
  private static func isCollection(_ input: String) -> Bool {
    CollectionReader.isCollection(ImageSource(item: input)) && !FileSystem.isFolder(input)
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
      ObjectAddress.isAddress(input)
        ? ObjectAddress.withSlash(input) : FileOperations.realPath(input) ?? input
    }
    func failure(_ inner: String, inside outer: String) -> TensorIOError {
      TensorIOError(
        .invalidOption,
        "'\(inner)' is inside of '\(outer)', so its items would be listed twice. Name one of them.")
    }
    var seen: [String: String] = [:]
    for input in inputs {
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
    let prefixes = inputs.filter(ObjectAddress.isPrefix)
    for input in inputs {
      let isInside = { (prefix: String) in
        ObjectAddress.isListed(pathOf(input), below: ObjectAddress.withSlash(prefix))
      }
      if let outer = prefixes.first(where: isInside) { throw failure(input, inside: outer) }
    }
    // Folders don't list the archives in them.
    for input in inputs where !ObjectAddress.isAddress(input) && !isCollection(input) {
      var folder = pathOf(input)
      while folder.count > 1, folder != "." {
        folder = FileSystem.folder(of: folder)
        guard let outer = seen[folder] else { continue }
        throw failure(input, inside: outer)
      }
    }
  }
}
