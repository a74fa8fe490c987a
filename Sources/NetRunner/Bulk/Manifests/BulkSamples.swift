// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// The samples of a bulk run.
package enum BulkSamples: Sendable {
  /// The samples of a dataset.
  case dataset(Dataset)
  /// Every `count`th item of a manifest.
  case manifest(Manifest, PartRecord)

  /// The part of a manifest, or nil without a manifest.
  package var part: BulkPart? {
    guard case .manifest(let manifest, let part) = self else { return nil }
    return BulkPart(
      manifest: manifest.sha256, items: manifest.count, index: part.index, count: part.count)
  }

  /// Returns an empty set of samples that have a row.
  func makeStored() -> StoredSamples { StoredSamples(of: part) }

  /// Hands out the samples that have no row.
  func makeFeed(without stored: StoredSamples, _ access: ObjectAccess?) -> any BulkFeed {
    switch self {
    case .dataset(let dataset): SampleFeed(dataset, access, without: stored)
    case .manifest(let manifest, let part): ManifestFeed(manifest, part, access, without: stored)
    }
  }
}

extension Dataset {
  /// Creates a dataset of a manifest's first item, which knows what all items are.
  package init(firstOf manifest: Manifest) {
    self.init(
      layout: .folder, name: FileSystem.name(of: manifest.path), path: manifest.path,
      samples: [Sample(id: manifest.first, source: ImageSource(item: manifest.first))])
    foundContent = manifest.content
  }
}

extension ImageSource {
  /// Creates the source of an item that is named by its path or its URL.
  init(item: String) { self = ObjectAddress.isAddress(item) ? .url(item) : .file(item) }
}
