// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// The progress of a model's download.
///
/// The total is known from the start, because the sizes are signed and no server can change them.
public struct DownloadProgress: Sendable, Hashable {
  /// The number of bytes on disk, including the bytes of earlier downloads.
  public var receivedBytes: Int
  /// The total size of the version's files, in bytes.
  public var totalBytes: Int
  /// The file that is being downloaded, or nil before the first and after the last.
  public var file: String?

  /// Creates a progress value.
  public init(receivedBytes: Int, totalBytes: Int, file: String? = nil) {
    self.receivedBytes = receivedBytes
    self.totalBytes = totalBytes
    self.file = file
  }
}
#endif
