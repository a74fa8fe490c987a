// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization
import WebServing

/// The server's counters, in Prometheus' text format.
final class ServerMetrics: Sendable {
  let requests = RequestMetrics()
  private let blobBytes = Atomic(0)
  private let scrubbedBytes = Atomic(0)

  func sent(_ bytes: Int) { blobBytes.add(bytes, ordering: .relaxed) }

  func scrubbed(_ bytes: Int) { scrubbedBytes.add(bytes, ordering: .relaxed) }

  /// Returns the text that Prometheus reads, with the values that aren't counters.
  func text(_ gauges: [RequestMetrics.Series]) -> String {
    requests.text(
      [
        RequestMetrics.Series(
          "sent_blob_bytes_total", "Bytes of blobs that were sent.",
          blobBytes.load(ordering: .relaxed), .counter),
        RequestMetrics.Series(
          "scrubbed_blob_bytes_total", "Bytes of blobs that were read again to find damage.",
          scrubbedBytes.load(ordering: .relaxed), .counter),
      ] + gauges)
  }
}
#endif
