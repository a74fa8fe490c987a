// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the server counts, in Prometheus' text format.
///
/// No library for that is among those that this package may use; the format is a few lines.
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
  }

  private let state = Mutex(State())

  /// The upper bounds of the buckets of answers' times, in seconds.
  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

  /// Notes that a request began.
  func begin() { state.withLock { $0.underWay += 1 } }

  /// Notes a request's end.
  ///
  /// - Parameters:
  ///   - method: Its method.
  ///   - route: The route's pattern, not the request's path: clients must not make up series.
  ///   - status: The answer's status.
  ///   - duration: How long it took.
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
  ///
  /// - Parameters:
  ///   - waiting: How many runs wait for a thread.
  ///   - models: How many models there are.
  /// - Returns: The document.
  func text(waiting: Int, models: Int) -> String {
    let state = state.withLock { $0 }
    var lines = [
      "# HELP netrunner_requests_total Requests that were answered.",
      "# TYPE netrunner_requests_total counter",
    ]
    for (key, count) in state.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      lines.append(
        "netrunner_requests_total{method=\"\(key.method)\",route=\"\(key.route)\","
          + "status=\"\(key.status)\"} \(count)")
    }
    lines += [
      "# HELP netrunner_request_duration_seconds How long answers took.",
      "# TYPE netrunner_request_duration_seconds histogram",
    ]
    for (route, histogram) in state.durations.sorted(by: { $0.key < $1.key }) {
      let name = "netrunner_request_duration_seconds"
      for (bound, count) in zip(Self.bounds, histogram.counts) {
        lines.append("\(name)_bucket{route=\"\(route)\",le=\"\(bound)\"} \(count)")
      }
      lines += [
        "\(name)_bucket{route=\"\(route)\",le=\"+Inf\"} \(histogram.count)",
        "\(name)_sum{route=\"\(route)\"} \(histogram.sum)",
        "\(name)_count{route=\"\(route)\"} \(histogram.count)",
      ]
    }
    lines += gauge("netrunner_requests_under_way", "Requests not yet answered.", state.underWay)
    lines += gauge("netrunner_runs_waiting", "Runs that wait for a thread.", waiting)
    lines += gauge("netrunner_models", "Models that are there.", models)
    return lines.joined(separator: "\n") + "\n"
  }

  private func gauge(_ name: String, _ help: String, _ value: Int) -> [String] {
    ["# HELP \(name) \(help)", "# TYPE \(name) gauge", "\(name) \(value)"]
  }
}
