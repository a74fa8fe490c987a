// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation

@testable import ModelRepositoryAPI

/// Documents for tests.
enum Samples {
  static func name(_ text: String) -> RepositoryName {
    guard let name = RepositoryName(text) else { preconditionFailure("'\(text)' is no name") }
    return name
  }

  static func release(_ version: String, _ sequence: Int) -> ChannelDocument.Release {
    ChannelDocument.Release(
      version: name(version), sequence: sequence,
      manifest: BlobReference(digest: BlobDigest(of: version.utf8), size: 100), size: 1000)
  }

  static func document(experiment: ChannelDocument.Experiment? = nil) -> ChannelDocument {
    ChannelDocument(
      model: name("pets"), channel: name("stable"), documentVersion: 3,
      issued: Date(timeIntervalSince1970: 1_800_000_000),
      expires: Date(timeIntervalSince1970: 1_802_592_000), release: release("1.0", 1),
      experiment: experiment, parameters: ["threshold": "0.5", "color": "red"])
  }

  static func experiment(_ arms: (String, Int)..., isPaused: Bool = false)
    -> ChannelDocument.Experiment
  {
    ChannelDocument.Experiment(
      salt: "spring",
      arms: arms.enumerated().map { index, arm in
        ChannelDocument.Arm(
          name: name(arm.0), threshold: arm.1, release: release("2.\(index)", 2 + index),
          parameters: ["threshold": "0.\(index + 6)"])
      }, isPaused: isPaused)
  }
}
#endif
