// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// A blob, and how many bytes it has: who fetches it knows when to stop.
public struct BlobReference: Sendable, Hashable, Codable {
  /// The SHA-256 of the bytes.
  public var digest: BlobDigest
  /// How many bytes there are.
  public var size: Int

  /// Makes a reference.
  public init(digest: BlobDigest, size: Int) {
    self.digest = digest
    self.size = size
  }
}
#endif
