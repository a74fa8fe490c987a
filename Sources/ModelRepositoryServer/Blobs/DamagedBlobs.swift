// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI
import Synchronization

/// The blobs that were found damaged while the server runs; they must not be sent.
final class DamagedBlobs: Sendable {
  private let known = Mutex<Set<BlobDigest>>([])
  /// The number of digests, which downloads check first to avoid the lock while nothing is damaged.
  private let size = Atomic(0)

  var digests: Set<BlobDigest> { known.withLock { $0 } }
  var count: Int { size.load(ordering: .relaxed) }

  func contains(_ digest: BlobDigest) -> Bool {
    guard count > 0 else { return false }
    return known.withLock { $0.contains(digest) }
  }

  /// Records a damaged blob.
  ///
  /// - Returns: Whether the blob wasn't recorded before.
  func insert(_ digest: BlobDigest) -> Bool {
    known.withLock { digests in
      let isNew = digests.insert(digest).inserted
      size.store(digests.count, ordering: .relaxed)
      return isNew
    }
  }

  /// Removes a blob that was repaired or deleted.
  func remove(_ digest: BlobDigest) {
    guard count > 0 else { return }
    known.withLock { digests in
      digests.remove(digest)
      size.store(digests.count, ordering: .relaxed)
    }
  }
}
#endif
