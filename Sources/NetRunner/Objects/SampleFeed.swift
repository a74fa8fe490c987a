// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// The samples of a bulk run in their order, of which some are found only while it runs.
///
/// `@unchecked Sendable` because only one thread at a time calls it.
final class SampleFeed: @unchecked Sendable {
  /// Numbers of samples.
  struct Counts {
    /// All that are known so far, where an archive or a prefix that isn't read to its end is one more.
    var known: Int
    /// Those that had a row before.
    var done: Int
    /// Those of them that had failed.
    var failed: Int
  }

  /// A sample to run.
  struct Item {
    /// The sample's index in the results.
    var index: Int
    /// The sample as the results name it.
    var sample: Sample
    /// Where its bytes are.
    var source: ImageSource
    /// The counts when the sample was found.
    var counts: Counts
  }

  private(set) var counts: Counts

  private let dataset: Dataset
  private let indices: [Int]
  private let access: ObjectAccess?
  private let done: Set<String>
  private let failed: Set<String>
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
  ///   - done: The names of samples that have a row.
  ///   - failed: Those of them that failed.
  init(_ dataset: Dataset, _ access: ObjectAccess?, done: Set<String>, failed: Set<String>) {
    self.dataset = dataset
    indices = dataset.indices
    self.access = access
    self.done = done
    self.failed = failed
    // What was found in an archive counts when it is found again.
    func count(_ names: Set<String>) -> Int {
      dataset.samples.count {
        names.contains($0.id) && !CollectionReader.isCollection($0.source)
      }
    }
    counts = Counts(known: dataset.samples.count, done: count(done), failed: count(failed))
  }

  /// Returns the next sample that has no row, or nil at the end and after `isOver` has returned true.
  func next(until isOver: () -> Bool) -> Item? {
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
        if done.contains(sample.id) { continue }
        return item(sample, sample.source, at: index)
      }
      firstIndex = index
      reader = CollectionReader(sample.id, access, selection)
    }
    return nil
  }

  private var selection: CollectionReader.Selection {
    CollectionReader.Selection(
      isWanted: { [content = dataset.content] path in
        ImageFolder.isSample(path) && Dataset.Content(ofFile: path) == content
      },
      isDone: { [done] in done.contains($0) }, part: dataset.listedPart)
  }

  private func item(_ entry: CollectionReader.Entry, at index: Int) -> Item? {
    switch entry {
    case .object(let address):
      return item(Sample(id: address, source: .url(address)), .url(address), at: index)
    case .member(let name, let bytes):
      return item(Self.sample(name), .bytes(bytes, name: "'\(name)'"), at: index)
    case .failure(let name, let error): return item(name, failing: error, at: index)
    case .done(let name):
      counts.done += 1
      if failed.contains(name) { counts.failed += 1 }
      return nil
    }
  }

  private func item(_ name: String, failing error: TensorIOError, at index: Int) -> Item {
    item(Self.sample(name), .refused(error.message, name: name), at: index)
  }

  private func item(_ sample: Sample, _ source: ImageSource, at index: Int) -> Item {
    Item(index: index, sample: sample, source: source, counts: counts)
  }

  private static func sample(_ name: String) -> Sample {
    Sample(id: name, source: ObjectAddress.isAddress(name) ? .url(name) : .file(name))
  }
}
