// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI

/// A verified document of a channel, with the keys that signed it.
struct TrustedDocument: Sendable {
  let content: ChannelDocument
  /// The keys that were trusted when it was verified.
  let keys: [VerificationKey]
  /// The ids of the keys that signed it.
  let signers: Set<String>
  /// The ids of revoked keys, which may be in other hands.
  let revoked: Set<String>
}

extension ChannelDocument {
  /// The manifest digests of all versions that the document assigns.
  var manifests: Set<BlobDigest> {
    let releases = [release].compactMap { $0 } + (experiment?.arms.map(\.release) ?? [])
    return Set(releases.map(\.manifest.digest))
  }
}
#endif
