// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import ModelRepositoryAPI

/// What a channel gives this installation of a model; a pinned key signed all of it.
package struct ModelOffer: Sendable {
  /// The model.
  package let model: RepositoryName
  /// The version, and its size.
  package let release: ChannelDocument.Release
  /// Which of the channel's documents says so.
  package let documentVersion: Int
  /// What the version's files make together.
  package let format: VersionManifest.Format
  /// What people should know of the version.
  package let details: String?
}

/// What a server has.
package struct ModelOffers: Sendable {
  /// A model that the server names, which nobody signed, and what its channel gives.
  package struct Entry: Sendable {
    package let model: RepositoryName
    package let offer: Result<ModelOffer, ModelRepositoryClientError>
  }

  /// The models, by name.
  package let entries: [Entry]
  /// How many models more the server has.
  package let leftOff: Int
}
#endif
