// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// The items of a part of a manifest, which are read when they are needed.
///
/// The files of an archive are found when the archive's turn comes. After them comes an item that
/// says how many they are, because the manifest doesn't.
///
/// `@unchecked Sendable` because only one thread at a time calls it.
final class ManifestFeed: BulkFeed, @unchecked Sendable {
  private(set) var counts: BulkItem.Counts

  private let manifest: Manifest
  private let part: PartRecord
  private let access: ObjectAccess?
  private let stored: StoredSamples
  /// The number of items in the part.
  private let share: Int
  private var items: ManifestItems
  /// The number of items that were read from the manifest.
  private var read = 0
  /// The position of the next item in the part.
  private var position = 0
  private var archive: OpenArchive?

  /// An archive that is being read.
  private struct OpenArchive {
    let name: String
    /// The index of the archive in the manifest.
    let index: Int
    let reader: CollectionReader
    /// The number of files that have a row, or were handed out.
    var rows: Int
    let stored: StoredArchive
  }

  init(
    _ manifest: Manifest, _ part: PartRecord, _ access: ObjectAccess?, without stored: StoredSamples
  ) {
    self.manifest = manifest
    self.part = part
    self.access = access
    self.stored = stored
    share = part.share(of: manifest.count)
    items = ManifestItems(manifest.file, from: manifest.start, to: manifest.end)
    counts = stored.counts
  }

  func next(until isOver: () -> Bool) throws -> BulkItem? {
    while !isOver() {
      if let archive {
        if let item = nextMember(of: archive, until: isOver) { return item }
        continue
      }
      while position < share, stored.contains(position) { position += 1 }
      guard position < share else { return nil }
      let index = position * part.count + part.index - 1
      let name = try item(at: index)
      let source = ImageSource(item: name)
      if CollectionReader.isCollection(source) {
        archive = open(name, index, stored.archives[position] ?? StoredArchive())
      }
      position += 1
      if archive == nil {
        return BulkItem(
          index: index, sample: Sample(id: name, source: source), source: source, counts: counts)
      }
    }
    return nil
  }

  /// Reads the manifest up to an item, which is behind those that were read before.
  private func item(at index: Int) throws -> String {
    do {
      while read < index {
        try items.skip()
        read += 1
      }
      guard let item = try items.next() else {
        throw TensorIOError(reading: .endedEarly(manifest.path))
      }
      read += 1
      return item
    } catch {
      position = share
      throw error
    }
  }

  // MARK: - Archives

  private func open(_ name: String, _ index: Int, _ stored: StoredArchive) -> OpenArchive {
    let selection = CollectionReader.Selection(
      isWanted: { [content = manifest.content] path in
        ImageFolder.isSample(path) && Dataset.Content(ofFile: path) == content
      },
      isDone: { _, member in member.map(stored.members.contains) ?? false })
    return OpenArchive(
      name: name, index: index, reader: CollectionReader(name, access, selection),
      rows: stored.members.count, stored: stored)
  }

  /// Returns the next file of an archive, or the item that ends it; nil after a file that has a row,
  /// and after `isOver` has returned true.
  private func nextMember(of archive: OpenArchive, until isOver: () -> Bool) -> BulkItem? {
    guard let entry = archive.reader.next(until: isOver) else {
      return isOver() ? nil : end(of: archive, failing: nil)
    }
    let member = archive.reader.index
    switch entry {
    case .done:
      counts.known += 1
      counts.done += 1
      if archive.stored.failed.contains(member) { counts.failed += 1 }
      return nil
    case .failure(archive.name, let error): return end(of: archive, failing: error)
    case .failure(let name, let error):
      return item(name, .refused(error.message, name: name), archive, member)
    case .member(let name, let bytes):
      return item(name, .bytes(bytes, name: "'\(name)'"), archive, member)
    case .object(let address): return item(address, .url(address), archive, member)
    }
  }

  private func item(
    _ name: String, _ source: ImageSource, _ archive: OpenArchive, _ member: Int
  ) -> BulkItem {
    self.archive?.rows += 1
    counts.known += 1
    return BulkItem(
      index: archive.index, sample: Sample(inArchive: name), source: source, counts: counts,
      place: .member(member))
  }

  private func end(of archive: OpenArchive, failing error: TensorIOError?) -> BulkItem {
    self.archive = nil
    // An archive that was read to its end isn't a sample.
    if error == nil { counts.known -= 1 }
    return BulkItem(
      index: archive.index, sample: Sample(inArchive: archive.name),
      source: error.map { .refused($0.message, name: archive.name) }, counts: counts,
      place: .end(members: archive.rows))
  }
}
