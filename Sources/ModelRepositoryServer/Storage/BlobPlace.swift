// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// Where a repository keeps its blobs.
public enum BlobPlace: Sendable, Hashable {
  /// In the data folder.
  case folder
  /// In a store that speaks S3.
  case s3(S3Place)
}

extension BlobPlace: CustomStringConvertible {
  /// What people read.
  public var description: String {
    switch self {
    case .folder: "the data folder itself"
    case .s3(let place): "\(place)"
    }
  }
}
#endif
