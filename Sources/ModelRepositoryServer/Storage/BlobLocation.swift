// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import ModelRepositoryAPI

/// The location of a repository's blobs.
public enum BlobLocation: Sendable, Hashable {
  /// The data folder.
  case folder
  /// An S3-compatible store.
  case s3(S3Location)
}

extension BlobLocation: CustomStringConvertible {
  /// A description for people.
  public var description: String {
    switch self {
    case .folder: "the data folder itself"
    case .s3(let location): "\(location)"
    }
  }
}
#endif
