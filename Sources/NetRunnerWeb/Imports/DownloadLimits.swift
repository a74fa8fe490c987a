// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
/// The limits of a download.
struct DownloadLimits: Hashable, Sendable {
  /// The maximum size of the file, in bytes.
  var bytes = 512 << 20
  /// How long a server may take to accept a connection.
  var connect: Duration = .seconds(10)
  /// How long a server may send no data.
  var stall: Duration = .seconds(30)
  /// How long the whole download may take.
  var total: Duration = .seconds(600)
  /// The maximum number of redirects.
  var redirects = 5
}
#endif
