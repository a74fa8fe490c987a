// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// A blob's digest and size.
///
/// The size tells clients when to stop reading.
public struct BlobReference: Sendable, Hashable, Codable {
  /// The SHA-256 of the bytes.
  public var digest: BlobDigest
  /// The number of bytes.
  public var size: Int

  package init(digest: BlobDigest, size: Int) {
    self.digest = digest
    self.size = size
  }
}
#endif
