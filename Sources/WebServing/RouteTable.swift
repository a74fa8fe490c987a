// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import Hummingbird
import Synchronization

/// The methods of each path, to distinguish a wrong method from a wrong path.
package final class RouteTable: Sendable {
  private struct Route {
    let parts: [Substring]
    let method: HTTPRequest.Method

    /// For each part, 0 for a fixed word, 1 for a parameter and 2 for `**`.
    var precedence: [Int] { parts.map { $0 == "**" ? 2 : $0.hasPrefix("{") ? 1 : 0 } }

    func matches(_ path: [Substring]) -> Bool {
      for (index, part) in parts.enumerated() {
        if part == "**" { return path.count > index }
        guard index < path.count, part.hasPrefix("{") || part == path[index] else { return false }
      }
      return path.count == parts.count
    }
  }

  private let routes = Mutex<[Route]>([])

  package init() {}

  /// Reads a router's routes, which must be complete.
  package func add<Context>(_ router: Router<Context>) {
    let all = router.routes.map { route in
      Route(parts: "\(route.path)".split(separator: "/").map { $0 }, method: route.method)
    }
    routes.withLock { $0 = all }
  }

  /// Returns a path's methods as in the header field `Allow`, or nil if the path has no route.
  func methods(of path: String) -> String? {
    let parts = path.split(separator: "/")
    let matching = routes.withLock { routes in routes.filter { $0.matches(parts) } }
    // Like the router, it prefers a fixed word to a parameter, and a parameter to `**`.
    let first = matching.map(\.precedence).min { $0.lexicographicallyPrecedes($1) }
    let methods = Set(matching.filter { $0.precedence == first }.map(\.method.rawValue))
    guard !methods.isEmpty else { return nil }
    // Every path that supports GET also supports HEAD.
    return methods.union(methods.contains("GET") ? ["HEAD"] : []).sorted().joined(separator: ", ")
  }
}
#endif
