// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the server counts, in Prometheus' text format.
final class ServerMetrics: Sendable {
  private struct Key: Hashable {
    let method: String
    let route: String
    let status: Int
  }

  private struct Histogram {
    var counts: [Int]
    var sum = 0.0
    var count = 0
  }

  private struct State {
    var requests: [Key: Int] = [:]
    var durations: [String: Histogram] = [:]
    var underWay = 0
    var blobBytes = 0
  }

  /// What there is at the moment.
  struct Gauges {
    var blobs = 0
    var blobBytes = 0
    var uploads = 0
    var models = 0
    var versions = 0
    var freeBytes = 0
  }

  private let state = Mutex(State())

  /// The upper bounds of the buckets of answers' times, in seconds.
  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

  /// Notes that a request began.
  func begin() { state.withLock { $0.underWay += 1 } }

  /// Notes that bytes of a blob were sent.
  func sent(_ bytes: Int) { state.withLock { $0.blobBytes += bytes } }

  /// Notes a request's end.
  ///
  /// - Parameters:
  ///   - method: Its method.
  ///   - route: The route's pattern, not the request's path: clients must not make up series.
  ///   - status: The answer's status.
  ///   - duration: How long it took, to the last byte.
  func end(method: String, route: String, status: Int, duration: Duration) {
    let seconds = duration / .seconds(1)
    state.withLock { state in
      state.underWay -= 1
      state.requests[Key(method: method, route: route, status: status), default: 0] += 1
      var histogram =
        state.durations[route]
        ?? Histogram(counts: Array(repeating: 0, count: Self.bounds.count))
      for (place, bound) in Self.bounds.enumerated() where seconds <= bound {
        histogram.counts[place] += 1
      }
      histogram.sum += seconds
      histogram.count += 1
      state.durations[route] = histogram
    }
  }

  /// The text that Prometheus reads.
  func text(_ gauges: Gauges) -> String {
    let state = state.withLock { $0 }
    let requests = "model_repository_requests_total"
    var lines = [
      "# HELP \(requests) Requests that were answered.", "# TYPE \(requests) counter",
    ]
    for (key, count) in state.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      lines.append(
        "\(requests){method=\"\(key.method)\",route=\"\(key.route)\","
          + "status=\"\(key.status)\"} \(count)")
    }
    let durations = "model_repository_request_duration_seconds"
    lines += ["# HELP \(durations) How long answers took.", "# TYPE \(durations) histogram"]
    for (route, histogram) in state.durations.sorted(by: { $0.key < $1.key }) {
      for (bound, count) in zip(Self.bounds, histogram.counts) {
        lines.append("\(durations)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(count)")
      }
      lines += [
        "\(durations)_bucket{route=\"\(route)\",le=\"+Inf\"} \(histogram.count)",
        "\(durations)_sum{route=\"\(route)\"} \(histogram.sum)",
        "\(durations)_count{route=\"\(route)\"} \(histogram.count)",
      ]
    }
    lines += Self.lines(
      "sent_blob_bytes_total", "Bytes of blobs that were sent.", "counter", state.blobBytes)
    let numbers = [
      ("requests_under_way", "Requests not yet answered.", state.underWay),
      ("blobs", "Blobs that are there.", gauges.blobs),
      ("blob_bytes", "Bytes of all blobs.", gauges.blobBytes),
      ("uploads", "Uploads under way.", gauges.uploads),
      ("models", "Models that are there.", gauges.models),
      ("versions", "Versions that are there.", gauges.versions),
      ("free_bytes", "Bytes that the disk has left.", gauges.freeBytes),
    ]
    for (name, help, number) in numbers { lines += Self.lines(name, help, "gauge", number) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(
    _ name: String, _ help: String, _ type: String, _ value: Int
  ) -> [String] {
    let name = "model_repository_" + name
    return ["# HELP \(name) \(help)", "# TYPE \(name) \(type)", "\(name) \(value)"]
  }
}
