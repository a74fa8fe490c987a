// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Files
import Foundation
import TensorIO

/// A zip file with one bundle at its top level.
///
/// Other files at the top level, such as a README, are skipped. So are the files that macOS adds
/// (`__MACOSX`, `.DS_Store`). All entries must be safe, even those that are skipped.
struct BundleArchive {
  /// The name of the bundle's folder: `X.tiobundle`.
  let name: String

  let path: String
  let directory: ZipDirectory
  /// The entries to unpack, in the order of the zip file.
  let items: [Item]

  struct Item {
    let entry: ZipEntry
    /// The path's components, starting with the bundle's folder.
    let path: [String]
  }

  /// Opens a zip file and checks its entries without unpacking anything.
  init(_ path: String, limits: ArchiveLimits = ArchiveLimits()) throws {
    self.path = path
    directory = try ZipDirectory(of: path, limits)
    var items: [Item] = []
    var names = NameTable()
    for entry in directory.entries {
      let item = Item(entry: entry, path: try entry.checkedPath(limits))
      guard item.path.first != "__MACOSX", item.path.last != ".DS_Store" else { continue }
      try names.add(item)
      items.append(item)
    }
    let name = try Self.bundle(in: items)
    self.name = name
    self.items = items.filter { $0.path.first == name }
    try checkSizes(limits)
  }

  private static func bundle(in items: [Item]) throws -> String {
    let names = Set(items.compactMap(\.path.first)).sorted()
    let bundles = names.filter { name in
      isBundle(name) && items.contains { $0.path[0] == name && $0.isInFolder }
    }
    if let name = bundles.first, bundles.count == 1 { return name }
    guard bundles.isEmpty else {
      throw ImportError(
        .severalBundles,
        "The zip file has \(bundles.count) bundles: \(list(bundles)). Zip each of them separately.")
    }
    if names.contains("model.json") {
      throw ImportError(
        .noBundle,
        "The zip file has a bundle's contents, but not its folder. Zip the .tiobundle folder itself."
      )
    }
    for item in items {
      guard let index = item.path.firstIndex(where: isBundle), index > 0 else { continue }
      throw ImportError(
        .noBundle,
        "The bundle in the zip file is inside '\(item.path[0])'. Zip '\(item.path[index])' itself.")
    }
    throw ImportError(
      .noBundle,
      names.isEmpty
        ? "The zip file is empty. Zip a .tiobundle folder."
        : "The zip file has no .tiobundle folder, only \(list(names)). Zip the bundle's folder.")
  }

  private static func isBundle(_ name: String) -> Bool {
    !name.hasPrefix(".") && (name.hasSuffix(".tiobundle") || name.hasSuffix(".tfbundle"))
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(3).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 3 ? " and more" : "")
  }

  private func checkSizes(_ limits: ArchiveLimits) throws {
    var bytes = 0
    var packedBytes = 0
    for item in items {
      let entry = item.entry
      bytes = bytes.addingReportingOverflow(entry.size).partialValue
      packedBytes = packedBytes.addingReportingOverflow(entry.packedSize).partialValue
      guard entry.size <= limits.bytes, bytes <= limits.bytes else {
        throw ImportError(
          .zipTooLarge,
          "The unpacked bundle has more than \(ByteCount(limits.bytes)), which is the limit.")
      }
      // A small zip file could fill a disk if several of its entries shared the same bytes.
      guard entry.packedSize <= directory.fileSize, packedBytes <= directory.fileSize else {
        throw ImportError.damaged("its entries have more bytes than the file")
      }
      guard entry.size <= limits.bytesOfAnyRatio || entry.size / limits.ratio <= entry.packedSize
      else {
        throw ImportError(
          .zipTooLarge,
          "The zip file was not unpacked: its entry '\(entry.shownName)' grows more than"
            + " \(limits.ratio) times when it is unpacked, which no model does.")
      }
      try check(item, isAtMost: limits.manifestBytes) { $0 == ["model.json"] }
      try check(item, isAtMost: limits.assetBytes) { $0.first == "assets" }
    }
  }

  private func check(
    _ item: Item, isAtMost most: Int, where applies: (ArraySlice<String>) -> Bool
  ) throws {
    guard applies(item.path.dropFirst()), item.entry.size > most else { return }
    throw ImportError(
      .zipTooLarge,
      "'\(item.entry.shownName)' has \(ByteCount(item.entry.size)), but the limit is "
        + "\(ByteCount(most))."
    )
  }
}

extension BundleArchive.Item {
  var isInFolder: Bool { path.count > 1 || entry.isFolder }
}

/// The names of a zip file's entries and of the folders that contain them.
///
/// Case is ignored, and so are the different ways to encode a letter such as 'é', because some file
/// systems treat such names as the same.
private struct NameTable {
  private var uses: [[String]: Use] = [:]

  private struct Use {
    let path: [String]
    let isFolder: Bool
    var isEntry: Bool
  }

  mutating func add(_ item: BundleArchive.Item) throws {
    for count in 1...item.path.count {
      let part = Array(item.path.prefix(count))
      let isEntry = count == item.path.count
      let use = Use(path: part, isFolder: !isEntry || item.entry.isFolder, isEntry: isEntry)
      let key = part.map { $0.lowercased() }
      guard let known = uses[key] else {
        uses[key] = use
        continue
      }
      guard known.isFolder, use.isFolder, !(known.isEntry && isEntry),
        known.path.joined(separator: "/").utf8.elementsEqual(part.joined(separator: "/").utf8)
      else {
        throw item.entry.unsafe(
          "has the same name as another entry, or one that some computers don't tell apart")
      }
      if isEntry { uses[key]?.isEntry = true }
    }
  }
}

extension BundleArchive {
  /// The prefix of the names of folders that bundles are unpacked into.
  static let freshPrefix = ".import-"

  /// Unpacks the bundle into a hidden folder, calls a closure with its path, and deletes the
  /// folder.
  ///
  /// The closure may move the bundle. Files are readable by everyone and never executable, whatever
  /// the zip file says. Unpacking stops if `isOver` returns true, which is called now and then. The
  /// progress is the fraction that has been unpacked, from 0 to 1.
  func withUnpackedBundle<Result>(
    in folder: String, until isOver: () -> Bool = { false },
    onProgress: (Double) -> Void = { _ in }, _ body: (_ bundle: String) throws -> Result
  ) throws -> Result {
    try Self.withHiddenFolder(in: folder, for: name) { fresh in
      try unpack(into: fresh, until: isOver, onProgress: onProgress)
      return try body("\(fresh)/\(name)")
    }
  }

  /// Makes a hidden folder for a bundle that isn't checked yet, and deletes it afterwards.
  static func withHiddenFolder<Result>(
    in folder: String, for name: String, _ body: (_ fresh: String) throws -> Result
  ) throws -> Result {
    let fresh = "\(folder)/\(freshPrefix)\(UUID().uuidString)"
    try ImportError.writing(name) { try FileOperations.makeFolder(fresh, permissions: 0o700) }
    // If the folder can't be deleted, it stays hidden and `removeLeftovers()` tries again.
    defer { try? FileManager.default.removeItem(atPath: fresh) }
    return try body(fresh)
  }

  private func unpack(
    into folder: String, until isOver: () -> Bool, onProgress: (Double) -> Void
  ) throws {
    let reader = try ZipReader(path, expecting: directory)
    let total = max(1, items.reduce(0) { $0 + $1.entry.size })
    var done = 0
    var folders: Set<[String]> = []
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    onProgress(0)
    for item in items {
      guard !isOver() else { throw ImportError.cancelled }
      let depth = item.path.count - (item.entry.isFolder ? 0 : 1)
      for count in stride(from: 1, through: depth, by: 1) {
        let part = Array(item.path.prefix(count))
        guard folders.insert(part).inserted else { continue }
        try ImportError.writing(name) {
          try FileOperations.makeFolder(
            "\(folder)/\(part.joined(separator: "/"))", permissions: 0o755)
        }
      }
      guard !item.entry.isFolder else { continue }
      let file = try ImportError.writing(name) {
        try OpenFile(creating: "\(folder)/\(item.path.joined(separator: "/"))")
      }
      try reader.unpack(item.entry, through: &buffer) { bytes in
        guard !isOver() else { throw ImportError.cancelled }
        try ImportError.writing(name) { try file.write(bytes) }
        done += bytes.count
        onProgress(Double(done) / Double(total))
      }
      try ImportError.writing(name) { try file.flush() }
    }
  }
}

/// The limits on the content of a zip file.
///
/// The defaults allow every model that people run on phones, and keep a file of a few bytes from
/// filling a disk.
struct ArchiveLimits: Hashable, Sendable {
  /// The maximum number of entries, including folders and files that aren't unpacked.
  var entries = 10_000
  /// The maximum total size of all unpacked files, in bytes.
  var bytes = 1 << 30
  /// The maximum ratio of a file's unpacked size to its compressed size.
  var ratio = 200
  /// The size in bytes up to which ``ratio`` is ignored, as small repetitive files compress well.
  var bytesOfAnyRatio = 10 << 20
  /// The maximum size of a model.json in bytes, because it is parsed in memory.
  var manifestBytes = 4 << 20
  /// The maximum size in bytes of a file in the assets folder, as labels are read into memory.
  var assetBytes = 16 << 20
  /// The maximum number of components in a file's path, including the file's name.
  var depth = 16
  /// The maximum length of a file's or folder's name, in bytes.
  var nameBytes = 255
}
#endif
