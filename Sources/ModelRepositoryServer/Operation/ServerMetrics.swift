// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization
import WebServing

/// The server's counters, in Prometheus' text format.
final class ServerMetrics: Sendable {
  /// The current values that aren't counters.
  struct Gauges {
    var blobs = 0
    var blobBytes = 0
    var uploads = 0
    var models = 0
    var versions = 0
    var freeBytes = 0
    var damagedBlobs = 0
  }

  let requests = RequestMetrics(prefix: "model_repository")
  private let blobBytes = Atomic(0)
  private let scrubbedBytes = Atomic(0)

  /// Records that bytes of a blob were sent.
  func sent(_ bytes: Int) { blobBytes.add(bytes, ordering: .relaxed) }

  /// Records that bytes of a blob were read to check them.
  func scrubbed(_ bytes: Int) { scrubbedBytes.add(bytes, ordering: .relaxed) }

  /// Returns the text that Prometheus reads.
  func text(_ gauges: Gauges) -> String {
    requests.text([
      RequestMetrics.Series(
        "sent_blob_bytes_total", "Bytes of blobs that were sent.",
        blobBytes.load(ordering: .relaxed), .counter),
      RequestMetrics.Series(
        "scrubbed_blob_bytes_total", "Bytes of blobs that were read again to find damage.",
        scrubbedBytes.load(ordering: .relaxed), .counter),
      RequestMetrics.Series(
        "damaged_blobs", "Blobs that are damaged, for which the server responds with 500.",
        gauges.damagedBlobs),
      RequestMetrics.Series("blobs", "Blobs in the repository.", gauges.blobs),
      RequestMetrics.Series("blob_bytes", "Bytes of all blobs.", gauges.blobBytes),
      RequestMetrics.Series("uploads", "Unfinished uploads.", gauges.uploads),
      RequestMetrics.Series("models", "Models in the repository.", gauges.models),
      RequestMetrics.Series("versions", "Versions in the repository.", gauges.versions),
      RequestMetrics.Series("free_bytes", "Bytes that are free on the disk.", gauges.freeBytes),
    ])
  }
}
#endif
