// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// What a download may take at most.
public struct DownloadLimits: Hashable, Sendable {
  /// The bytes of the file.
  public var bytes = 512 << 20
  /// How long a server may take to accept a connection.
  public var connect: Duration = .seconds(10)
  /// How long a server may send nothing.
  public var stall: Duration = .seconds(30)
  /// How long everything may take.
  public var total: Duration = .seconds(600)
  /// The number of redirections.
  public var redirects = 5

  /// Makes the default limits.
  public init() {}
}
#endif
