// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension Dataset {
  /// Finds out what the samples are if the first ones are in an archive or below a prefix.
  ///
  /// - Parameter access: Reads archives and lists objects elsewhere.
  /// - Throws: `TensorIOError` if the first archives can't be read, or if they have no samples.
  package mutating func findContent(with access: ObjectAccess?) throws {
    guard let first = samples.first, CollectionReader.isCollection(first.source) else { return }
    var search = ContentSearch(with: access)
    for sample in samples where !search.isOver {
      foundContent = search.content(of: sample.source)
      if foundContent != nil { return }
    }
    throw search.failures.first
      ?? DatasetReader.noImages(in: samples.map(\.id), [], code: .fileNotFound)
  }
}
