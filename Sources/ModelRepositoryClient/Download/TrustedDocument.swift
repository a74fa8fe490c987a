// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import ModelRepositoryAPI

/// A channel's document that was verified, and who vouches for it.
struct TrustedDocument: Sendable {
  let content: ChannelDocument
  /// The keys whose signatures count.
  let keys: [VerificationKey]
  /// The ids of those that signed it.
  let signers: Set<String>
  /// The ids of keys that somebody else may have.
  let revoked: Set<String>
}

extension ChannelDocument {
  /// The manifests of all versions that somebody gets.
  var manifests: Set<BlobDigest> {
    let releases = [release].compactMap { $0 } + (experiment?.arms.map(\.release) ?? [])
    return Set(releases.map(\.manifest.digest))
  }
}
#endif
