// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The samples of a dataset in their order, of which some are found only while a bulk run runs.
///
/// `@unchecked Sendable` because only one thread at a time calls it.
final class SampleFeed: BulkFeed, @unchecked Sendable {
  private(set) var counts: BulkItem.Counts

  private let dataset: Dataset
  private let indices: [Int]
  private let access: ObjectAccess?
  private let stored: StoredSamples
  private var position = 0
  private var reader: CollectionReader?
  /// The index of the first sample that the reader finds.
  private var firstIndex = 0
  /// How many more samples were found than the dataset had in their place.
  private var extra = 0

  /// Makes a feed.
  ///
  /// - Parameters:
  ///   - dataset: The samples, archives and prefixes.
  ///   - access: Reads archives and lists objects elsewhere.
  ///   - stored: The samples that have a row.
  init(_ dataset: Dataset, _ access: ObjectAccess?, without stored: StoredSamples) {
    self.dataset = dataset
    indices = dataset.indices
    self.access = access
    self.stored = stored
    // What was found in an archive counts when it is found again.
    counts = BulkItem.Counts(known: dataset.samples.count, done: 0, failed: 0)
    for sample in dataset.samples
    where stored.hasRow(of: sample.id) && !CollectionReader.isCollection(sample.source) {
      counts.done += 1
      if stored.hasFailed(sample.id) { counts.failed += 1 }
    }
  }

  func next(until isOver: () -> Bool) -> BulkItem? {
    while !isOver() {
      if let reader {
        if let entry = reader.next(until: isOver) {
          counts.known += 1
          if let item = item(entry, at: firstIndex + reader.index) { return item }
        } else if !isOver() {
          counts.known -= 1
          extra += reader.index
          self.reader = nil
        }
        continue
      }
      guard position < dataset.samples.count else { return nil }
      let (sample, index) = (dataset.samples[position], indices[position] + extra)
      position += 1
      guard CollectionReader.isCollection(sample.source) else {
        if stored.hasRow(of: sample.id) { continue }
        return item(sample, sample.source, at: index)
      }
      firstIndex = index
      // A table names its samples in its own way.
      reader = CollectionReader(sample.source.id, access, selection)
    }
    return nil
  }

  private var selection: CollectionReader.Selection {
    CollectionReader.Selection(
      isWanted: { [content = dataset.content] path in
        ImageFolder.isSample(path) && Dataset.Content(ofFile: path) == content
      },
      isDone: { [stored] name, _ in stored.hasRow(of: name) }, part: dataset.listedPart)
  }

  private func item(_ entry: CollectionReader.Entry, at index: Int) -> BulkItem? {
    switch entry {
    case .object(let address):
      return item(Sample(id: address, source: .url(address)), .url(address), at: index)
    case .member(let name, let bytes):
      return item(Sample(inArchive: name), .bytes(bytes, name: "'\(name)'"), at: index)
    case .failure(let name, let error): return item(name, failing: error, at: index)
    case .done(let name):
      counts.done += 1
      if stored.hasFailed(name) { counts.failed += 1 }
      return nil
    }
  }

  private func item(_ name: String, failing error: TensorIOError, at index: Int) -> BulkItem {
    item(Sample(inArchive: name), .refused(error.message, name: name), at: index)
  }

  private func item(_ sample: Sample, _ source: ImageSource, at index: Int) -> BulkItem {
    BulkItem(index: index, sample: sample, source: source, counts: counts)
  }
}

extension Sample {
  /// Creates the sample of a file in an archive, or of an archive that can't be read.
  init(inArchive name: String) { self.init(id: name, source: ImageSource(item: name)) }
}
