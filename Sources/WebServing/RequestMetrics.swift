// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a server counts of its requests, in Prometheus' text format.
///
/// No library for that is among those that this package may use; the format is a few lines.
package final class RequestMetrics: Sendable {
  /// A number beside those of the requests.
  package struct Series: Sendable {
    /// What becomes of the number.
    package enum Kind: String, Sendable {
      /// It only grows.
      case counter
      /// It comes and goes.
      case gauge
    }

    let name: String
    let help: String
    let kind: Kind
    let value: Int

    /// Makes a number; its name is without the prefix.
    package init(_ name: String, _ help: String, _ value: Int, _ kind: Kind = .gauge) {
      self.name = name
      self.help = help
      self.kind = kind
      self.value = value
    }
  }

  private struct Key: Hashable {
    let method: String
    let route: String
    let status: Int
  }

  private struct Histogram {
    var counts = Array(repeating: 0, count: bounds.count)
    var sum = 0.0
    var count = 0

    mutating func add(_ seconds: Double) {
      for (place, bound) in bounds.enumerated() where seconds <= bound { counts[place] += 1 }
      sum += seconds
      count += 1
    }
  }

  private struct State {
    var requests: [Key: Int] = [:]
    var durations: [String: Histogram] = [:]
    var underWay = 0
  }

  private let prefix: String
  private let state = Mutex(State())

  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
  /// The upper bounds of the buckets of answers' times, in seconds.
  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

  /// - Parameter prefix: What all names begin with, and a `_`.
  package init(prefix: String) { self.prefix = prefix }

  /// Notes that a request began.
  package func begin() { state.withLock { $0.underWay += 1 } }

  /// Notes a request's end.
  ///
  /// - Parameters:
  ///   - method: Its method; one that is not common counts as "other".
  ///   - route: The route's pattern, not the request's path: clients must not make up series.
  ///   - status: The answer's status.
  ///   - duration: How long it took.
  package func end(method: String, route: String, status: Int, duration: Duration) {
    let seconds = duration.inSeconds
    let key = Key(method: Self.name(ofMethod: method), route: route, status: status)
    state.withLock { state in
      state.underWay -= 1
      state.requests[key, default: 0] += 1
      state.durations[route, default: Histogram()].add(seconds)
    }
  }

  /// A method's name, where it is one that there is; else "other".
  package static func name(ofMethod method: String) -> String {
    methods.contains(method) ? method : "other"
  }

  /// The text that Prometheus reads.
  ///
  /// - Parameter series: What else there is to tell.
  /// - Returns: The document.
  package func text(_ series: [Series]) -> String {
    let state = state.withLock { $0 }
    var lines = head("requests_total", "Requests that were answered.", "counter")
    for (key, count) in state.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      lines.append(
        "\(prefix)_requests_total{method=\"\(key.method)\",route=\"\(key.route)\","
          + "status=\"\(key.status)\"} \(count)")
    }
    let durations = "\(prefix)_request_duration_seconds"
    lines += head("request_duration_seconds", "How long answers took.", "histogram")
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
    let underWay = Series("requests_under_way", "Requests not yet answered.", state.underWay)
    for series in [underWay] + series {
      lines += head(series.name, series.help, series.kind.rawValue)
      lines.append("\(prefix)_\(series.name) \(series.value)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func head(_ name: String, _ help: String, _ kind: String) -> [String] {
    ["# HELP \(prefix)_\(name) \(help)", "# TYPE \(prefix)_\(name) \(kind)"]
  }
}

extension Duration {
  /// The number of seconds; a division of durations would take much longer.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
