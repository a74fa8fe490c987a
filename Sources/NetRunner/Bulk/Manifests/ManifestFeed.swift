// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// The items of a part of a manifest, which are read when they are needed.
///
/// `@unchecked Sendable` because only one thread at a time calls it.
final class ManifestFeed: BulkFeed, @unchecked Sendable {
  let counts: BulkItem.Counts

  private let manifest: Manifest
  private let part: PartRecord
  private let stored: StoredSamples
  private var items: ManifestItems
  /// The number of items that were read from the manifest.
  private var read = 0
  /// The position of the next sample in the part.
  private var position = 0

  init(_ manifest: Manifest, _ part: PartRecord, without stored: StoredSamples) {
    self.manifest = manifest
    self.part = part
    self.stored = stored
    items = ManifestItems(manifest.file, from: manifest.start, to: manifest.end)
    counts = BulkItem.Counts(
      known: part.share(of: manifest.count), done: stored.count, failed: stored.failedCount)
  }

  func next(until isOver: () -> Bool) throws -> BulkItem? {
    while position < counts.known, stored.contains(position) { position += 1 }
    guard position < counts.known, !isOver() else { return nil }
    let index = position * part.count + part.index - 1
    do {
      while read < index {
        try items.skip()
        read += 1
      }
      guard let path = try items.next() else {
        throw TensorIOError(reading: .endedEarly(manifest.path))
      }
      read += 1
      position += 1
      let source = ImageSource(item: path)
      return BulkItem(
        index: index, sample: Sample(id: path, source: source), source: source, counts: counts)
    } catch {
      position = counts.known
      throw error
    }
  }
}
