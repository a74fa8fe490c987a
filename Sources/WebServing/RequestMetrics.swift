// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Synchronization

/// Counts a server's requests, and reports them in Prometheus' text format.
///
/// The names of requests' series have no server in them, so that one dashboard shows every server.
/// Prometheus' own label `job` tells them apart. All other names begin with `tensorio_`.
///
/// Documentation/Decisions/0011-libraries-not-used.md explains why this is not swift-metrics.
package final class RequestMetrics: Sendable {
  /// A number to report in addition to those of the requests.
  package struct Series: Sendable {
    /// Whether the number only increases, or decreases too.
    package enum Kind: String, Sendable { case counter, gauge }

    let name: String
    let help: String
    let kind: Kind
    let value: Int

    /// Makes a number, whose name doesn't include `tensorio_`.
    package init(_ name: String, _ help: String, _ value: Int, _ kind: Kind = .gauge) {
      self.name = name
      self.help = help
      self.kind = kind
      self.value = value
    }
  }

  /// Counts the requests with one method, one route and one response status.
  package final class Counter: Sendable {
    fileprivate struct Times {
      /// For each bound, the number of responses that took at most this long but longer than the
      /// previous bound.
      var counts = Array(repeating: 0, count: bounds.count)
      var sum = 0.0
      var count = 0

      mutating func add(_ other: Times) {
        for index in counts.indices { counts[index] += other.counts[index] }
        (sum, count) = (sum + other.sum, count + other.count)
      }
    }

    fileprivate let times = Mutex(Times())

    /// Counts a request and its duration.
    package func add(_ duration: Duration) {
      let seconds = duration.inSeconds
      times.withLock { times in
        if let index = bounds.firstIndex(where: { seconds <= $0 }) { times.counts[index] += 1 }
        times.sum += seconds
        times.count += 1
      }
    }
  }

  private struct Key: Hashable {
    let method: String
    let route: String
    let status: String
  }

  /// The names of a protocol's series and labels, which are those that its users expect.
  package struct Names: Sendable {
    fileprivate let requests: String
    fileprivate let durations: String
    fileprivate let inFlight: String
    fileprivate let method: String
    fileprivate let route: String
    fileprivate let status: String
    /// Whether methods that aren't common count as "other", because clients must not create series.
    fileprivate let methodsAreOpen: Bool

    package static let http = Names(
      requests: "http_requests_total", durations: "http_request_duration_seconds",
      inFlight: "http_requests_in_flight", method: "method", route: "route", status: "status",
      methodsAreOpen: true)
    package static let grpc = Names(
      requests: "grpc_server_handled_total", durations: "grpc_server_handling_seconds",
      inFlight: "grpc_server_calls_in_flight", method: "grpc_method", route: "grpc_service",
      status: "grpc_code", methodsAreOpen: false)
  }

  private let names: Names
  private let counters = Mutex<[Key: Counter]>([:])
  private let inFlight = Atomic(0)

  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
  /// The upper bounds of the buckets of response times, in seconds.
  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

  /// - Parameter names: The names of the series.
  package init(_ names: Names = .http) { self.names = names }

  package func begin() { inFlight.add(1, ordering: .relaxed) }

  /// Records the end of a request; see ``counter(method:route:status:)``.
  package func end(method: String, route: String, status: String, duration: Duration) {
    counter(method: method, route: route, status: status).add(duration)
    inFlight.subtract(1, ordering: .relaxed)
  }

  /// Returns a counter for callers that count many requests, so that they look it up only once.
  ///
  /// The route is a pattern and not the request's path, because clients must not create series. A
  /// method that isn't common counts as "other".
  package func counter(method: String, route: String, status: String) -> Counter {
    let method = names.methodsAreOpen ? Self.name(ofMethod: method) : method
    let key = Key(method: method, route: route, status: status)
    return counters.withLock { counters in
      if let counter = counters[key] { return counter }
      let counter = Counter()
      counters[key] = counter
      return counter
    }
  }

  /// Returns a method's name if it is a common one, otherwise "other".
  package static func name(ofMethod method: String) -> String {
    methods.contains(method) ? method : "other"
  }

  /// Returns the text that Prometheus reads, with additional numbers.
  package func text(_ series: [Series] = []) -> String {
    var routes: [String: Counter.Times] = [:]
    var lines = head(names.requests, "Requests that were answered.", "counter")
    let counters = counters.withLock { $0 }
    for (key, counter) in counters.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      let times = counter.times.withLock { $0 }
      guard times.count > 0 else { continue }
      routes[key.route, default: Counter.Times()].add(times)
      lines.append(
        "\(names.requests){\(names.method)=\"\(key.method)\",\(names.route)=\"\(key.route)\","
          + "\(names.status)=\"\(key.status)\"} \(times.count)")
    }
    let durations = names.durations
    lines += head(durations, "How long responses took.", "histogram")
    for (route, times) in routes.sorted(by: { $0.key < $1.key }) {
      var count = 0
      for (bound, more) in zip(Self.bounds, times.counts) {
        count += more
        lines.append("\(durations)_bucket{\(names.route)=\"\(route)\",le=\"\(bound)\"} \(count)")
      }
      lines += [
        "\(durations)_bucket{\(names.route)=\"\(route)\",le=\"+Inf\"} \(times.count)",
        "\(durations)_sum{\(names.route)=\"\(route)\"} \(times.sum)",
        "\(durations)_count{\(names.route)=\"\(route)\"} \(times.count)",
      ]
    }
    lines += head(names.inFlight, "Requests that aren't answered yet.", "gauge")
    lines.append("\(names.inFlight) \(inFlight.load(ordering: .relaxed))")
    for series in series {
      let name = "tensorio_" + series.name
      lines += head(name, series.help, series.kind.rawValue)
      lines.append("\(name) \(series.value)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func head(_ name: String, _ help: String, _ kind: String) -> [String] {
    ["# HELP \(name) \(help)", "# TYPE \(name) \(kind)"]
  }
}

extension Duration {
  /// The number of seconds, computed without the much slower division of durations.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
#endif
