// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// How far the download of a model is.
///
/// The total is known from the first on: the sizes are signed, and no server can change them.
public struct DownloadProgress: Sendable, Hashable {
  /// The bytes that are on disk, those that were there before with them.
  public var receivedBytes: Int
  /// The bytes of all files of the version.
  public var totalBytes: Int
  /// The file that is being fetched; nil before the first.
  public var file: String?

  /// Makes a progress.
  public init(receivedBytes: Int, totalBytes: Int, file: String? = nil) {
    self.receivedBytes = receivedBytes
    self.totalBytes = totalBytes
    self.file = file
  }
}
#endif
