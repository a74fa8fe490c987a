// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import ModelRepositoryAPI

/// The version of a model that a channel assigns to this installation, verified by a trusted key.
package struct ModelOffer: Sendable {
  /// The model's name.
  package let model: RepositoryName
  /// The version and its size.
  package let release: ChannelDocument.Release
  /// The version of the channel's document that assigns it.
  package let documentVersion: Int
  /// The format of the version's files.
  package let format: VersionManifest.Format
  /// The publisher's description of the version.
  package let details: String?
}

/// The models that a server offers.
package struct ModelOffers: Sendable {
  /// A model that the server lists, and the version that its channel assigns.
  ///
  /// The list itself isn't signed.
  package struct Entry: Sendable {
    package let model: RepositoryName
    package let offer: Result<ModelOffer, ModelRepositoryClientError>
  }

  /// The models, by name.
  package let entries: [Entry]
  /// The number of further models that the server has.
  package let leftOff: Int
}
#endif
