// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI
import Synchronization

/// The blobs that were found damaged while the server runs, and that must not be sent.
final class DamagedBlobs: Sendable {
  private let known = Mutex<Set<BlobDigest>>([])
  /// Downloads ask this first, so that they take no lock while nothing is damaged.
  private let size = Atomic(0)

  /// All of them.
  var digests: Set<BlobDigest> { known.withLock { $0 } }
  /// How many there are.
  var count: Int { size.load(ordering: .relaxed) }

  /// Whether a blob was found damaged.
  func contains(_ digest: BlobDigest) -> Bool {
    guard count > 0 else { return false }
    return known.withLock { $0.contains(digest) }
  }

  /// Notes a damaged blob.
  ///
  /// - Returns: Whether that is news.
  func insert(_ digest: BlobDigest) -> Bool {
    known.withLock { digests in
      let isNew = digests.insert(digest).inserted
      size.store(digests.count, ordering: .relaxed)
      return isNew
    }
  }

  /// Forgets a blob that is whole again, or gone.
  func remove(_ digest: BlobDigest) {
    guard count > 0 else { return }
    known.withLock { digests in
      digests.remove(digest)
      size.store(digests.count, ordering: .relaxed)
    }
  }
}
#endif
