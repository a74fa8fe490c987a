// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Dispatch
import Foundation
import WebClient

/// Resolves the names of hosts.
struct HostResolver: Sendable {
  /// Returns the addresses of a host, best first.
  var addresses: @Sendable (_ host: String) async throws -> [IPAddress]

  /// The system's resolver.
  ///
  /// The system's function blocks its thread while name servers don't respond, and can't be
  /// cancelled. It therefore runs on its own thread, and a cancelled task doesn't wait for it.
  static let system = HostResolver { host in
    let (answers, continuation) = AsyncThrowingStream<[IPAddress], any Error>.makeStream()
    DispatchQueue(label: "netrunner.resolver").async {
      do {
        continuation.yield(try resolve(host))
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    for try await addresses in answers { return addresses }
    throw CancellationError()
  }

  /// An error for a host that the system can't resolve.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The corresponding C function is `getaddrinfo`.
  private static func resolve(_ host: String) throws -> [IPAddress] {
    var hints = addrinfo()
    #if canImport(Glibc)
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    #else
    hints.ai_socktype = SOCK_STREAM
    #endif
    var first: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &first)
    defer { if let first { freeaddrinfo(first) } }
    guard status == 0 else { throw Failure(description: String(cString: gai_strerror(status))) }
    var addresses: [IPAddress] = []
    var next = first
    while let info = next?.pointee {
      if let address = IPAddress(info), !addresses.contains(address) { addresses.append(address) }
      next = info.ai_next
    }
    return addresses
  }
}
#endif
