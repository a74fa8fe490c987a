// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Hands out the samples of a bulk run that have no row yet, in their order.
///
/// Only one thread at a time calls it.
protocol BulkFeed: AnyObject, Sendable {
  /// The counts of what was handed out or passed over so far.
  var counts: BulkItem.Counts { get }

  /// Returns the next sample that has no row; nil at the end, after an error, and after `isOver` has
  /// returned true.
  ///
  /// - Throws: `TensorIOError` if the list of samples can't be read.
  func next(until isOver: () -> Bool) throws -> BulkItem?
}

/// A sample to run.
struct BulkItem: Sendable {
  /// Numbers of samples.
  struct Counts: Sendable {
    /// All that are known so far, where an archive or a prefix that isn't read to its end is one more.
    var known: Int
    /// Those that had a row before.
    var done: Int
    /// Those of them that had failed.
    var failed: Int
  }

  /// The sample's index in the results.
  var index: Int
  /// The sample as the results name it.
  var sample: Sample
  /// Where its bytes are; nil for an archive that was read to its end, of which nothing is run.
  var source: ImageSource?
  /// The counts when the sample was found.
  var counts: Counts
  /// The sample's place in an archive that is an item of a manifest; otherwise nil.
  var place: ArchivePlace?
}
